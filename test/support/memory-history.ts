// The part of an in-memory Runtime that keeps nothing of the past: every turn is one that is not kept.

import type { ForkRequest } from "../../src/contract/api.ts";
import { fault } from "../../src/contract/fault.ts";
import type { PointDetail, RunHistory } from "../../src/contract/history.ts";
import type { RunRecord } from "../../src/contract/records.ts";
import type { Caller, RuntimeHistory } from "../../src/runtime/api.ts";

export abstract class NoHistory implements RuntimeHistory {
  abstract run(caller: Caller, runId: string): Promise<RunRecord>;

  async history(caller: Caller, runId: string): Promise<RunHistory> {
    return { run: await this.run(caller, runId), points: [] };
  }

  async pointDetail(caller: Caller, runId: string, turn?: number): Promise<PointDetail> {
    await this.run(caller, runId);
    throw fault("turn_not_kept", `Turn ${turn ?? "none"} is not kept.`);
  }

  async fork(caller: Caller, runId: string, request: ForkRequest): Promise<{ run: RunRecord; created: boolean }> {
    await this.run(caller, runId);
    throw fault("turn_not_kept", `Turn ${request.at ?? "none"} is not kept.`);
  }
}
