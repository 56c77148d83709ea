// Asking a person, or whoever the handler is, before something happens. A decision is a step of its run: what
// was decided before a crash is not asked again. A handler that never answers is ended by the time-out (B-008).

import type { Clock } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import type { Fire } from "./callbacks.ts";
import type { SeatKey, SeatWork } from "./port.ts";

export interface ApprovalRequest {
  id: string;
  type: "agent" | "tool" | "emergent" | "output";
  agent: string;
  action: string;
  description: string;
  details: { [key: string]: Json };
}

export interface ApprovalDecision {
  approved: boolean;
  reason?: string | undefined;
  modifications?: { instructions?: string | undefined; output?: string | undefined; toolArgs?: unknown } | undefined;
}

export type Handler = (request: ApprovalRequest) => Promise<ApprovalDecision> | ApprovalDecision;

export interface HitlConfig {
  approvals?:
    | {
        /** Names of tools, or "*". */
        beforeTool?: readonly string[] | undefined;
        /** Names of members. */
        beforeAgent?: readonly string[] | undefined;
        beforeEmergent?: boolean | undefined;
        beforeReturn?: boolean | undefined;
      }
    | undefined;
  handler?: Handler | undefined;
  /** Milliseconds; default 30,000. */
  timeoutMs?: number | undefined;
  /** Default "reject". */
  onTimeout?: "reject" | "approve" | "error" | undefined;
}

export const APPROVAL_TIMEOUT_MS = 30_000;

export interface ApprovalPorts {
  clock: Clock;
  once: SeatWork;
  fire: Fire;
  signal: AbortSignal;
}

/**
 * Asks, or takes the decision that is kept under `key`.
 * @throws Fault `agency_approval` when the handler fails, gives no decision, or times out under "error"
 */
export async function askApproval(
  hitl: HitlConfig | undefined,
  asked: Omit<ApprovalRequest, "id">,
  key: SeatKey,
  ports: ApprovalPorts,
): Promise<ApprovalDecision> {
  const request: ApprovalRequest = { id: `${key.runId}/${key.path}/${key.index}`, ...asked };
  const decision = await ports.once(key, async () => {
    const { id, type, agent, action, description } = request;
    ports.fire("approvalRequested", { id, type, agent, action, description });
    return (await decide(hitl, request, ports)) as unknown as Json;
  });
  const { approved, reason, modifications } = decision as unknown as ApprovalDecision;
  ports.fire("approvalDecided", { requestId: request.id, approved, reason });
  return { approved, reason, modifications };
}

async function decide(
  hitl: HitlConfig | undefined,
  request: ApprovalRequest,
  ports: ApprovalPorts,
): Promise<ApprovalDecision> {
  const onTimeout = hitl?.onTimeout ?? "reject";
  const timeoutMs = hitl?.timeoutMs ?? APPROVAL_TIMEOUT_MS;
  const answer = await answerWithin(timeoutMs, ports, async () => hitl?.handler?.(request));
  if (answer === "late" && onTimeout === "error") {
    throw fault("agency_approval", `The approval of ${request.action} was not given within ${timeoutMs} ms.`);
  }
  if (answer === "late") return { approved: onTimeout === "approve", reason: `no answer within ${timeoutMs} ms` };
  const { approved, reason, modifications } = (answer ?? {}) as Partial<ApprovalDecision>;
  if (typeof approved !== "boolean") {
    throw fault("agency_approval", `The approval handler gave no decision about ${request.action}.`);
  }
  return {
    approved,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(modifications === undefined || modifications === null ? {} : { modifications }),
  };
}

function answerWithin(timeoutMs: number, ports: ApprovalPorts, ask: () => Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => end(() => reject(ports.signal.reason));
    const timer = ports.clock.setTimer(timeoutMs, () => end(() => resolve("late")));
    const end = (settle: () => void): void => {
      timer.cancel();
      ports.signal.removeEventListener("abort", onAbort);
      settle();
    };
    ports.signal.addEventListener("abort", onAbort, { once: true });
    ask().then(
      (answer) => end(() => resolve(answer)),
      (error) => end(() => reject(fault("agency_approval", "The approval handler failed.", { cause: error }))),
    );
  });
}
