// `quickswarm doctor`: looks at what quickswarm needs and says what is wrong and what to do about it.
// The last check is the whole way: a gateway in a folder of its own runs a script with one child.

import { EXIT } from "../../contract/fault-table.ts";
import {
  type Check,
  databaseCheck,
  dataDirChecks,
  gatewayCheck,
  nodeCheck,
  selfTest,
  settingsCheck,
} from "../checks.ts";
import type { Context } from "../context.ts";
import { block, jsonText } from "../format.ts";
import type { Output } from "../io.ts";

export async function doctorCommand(context: Context): Promise<number> {
  const checks: Check[] = [nodeCheck(process.versions.node)];
  const { check, loaded } = await settingsCheck(context);
  checks.push(check);
  if (loaded) {
    checks.push(...(await dataDirChecks(loaded.settings.dataDir)));
    checks.push(await databaseCheck(context, loaded.settings.dataDir));
    checks.push(await gatewayCheck(loaded.settings));
    checks.push(await selfTest(loaded.settings));
  }
  const failed = checks.filter((one) => one.status === "fail").length;
  if (context.json) context.io.out.line(jsonText({ ok: failed === 0, checks }));
  else for (const one of checks) print(context.io.out, one);
  return failed === 0 ? EXIT.ok : EXIT.failed;
}

function print(out: Output, check: Check): void {
  const { paint } = out;
  const marks = {
    ok: paint.green("ok  "),
    warn: paint.yellow("warn"),
    fail: paint.red("FAIL"),
    skip: paint.dim("skip"),
  };
  out.line(`${marks[check.status]}  ${check.name.padEnd(16)}  ${block(check.detail)}`);
  if (check.next !== undefined) out.line(`      ${paint.cyan("next")}: ${block(check.next)}`);
}
