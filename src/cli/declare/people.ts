// The commands with which people and programs answer runs that wait for them, as they are typed.

import type { Command } from "commander";
import { action, type Call, positiveInteger } from "./action.ts";

export function declarePeople(program: Command, call: Call): void {
  program
    .command("approvals")
    .argument("[id]", "show this one, with its details")
    .description("list the approvals that wait for a person")
    .option("--all", "those that were decided, expired or cancelled as well")
    .option("--run <id>", "of this run only")
    .option("--limit <count>", "rows to print (default: 100)", positiveInteger)
    .option("--after <cursor>", "go on behind this row, as the page before says")
    .action(
      action(call, async (context, id: string | undefined, options: object) => {
        const commands = await import("../commands/approvals.ts");
        return id === undefined ? commands.approvalsCommand(context, options) : commands.approvalCommand(context, id);
      }),
    );
  program
    .command("approve")
    .argument("<id>", "id of an approval, as `quickswarm approvals` lists it")
    .description("approve what a run asks for, or reject it")
    .option("--reject", "do not approve")
    .option("--comment <text>", "for the script and for whoever looks at it later")
    .option("--answer <json>", "JSON that the script gets as data")
    .action(
      action(call, async (context, id: string, options: object) =>
        (await import("../commands/approve.ts")).approveCommand(context, id, options),
      ),
    );
  program
    .command("event")
    .argument("<run>", "id of a run")
    .argument("<name>", "name that its script waits for")
    .argument("[json]", "what the script gets, or - for standard input (default: null)")
    .description("send an event to a run")
    .action(
      action(call, async (context, run: string, name: string, json: string | undefined) =>
        (await import("../commands/event.ts")).eventCommand(context, run, name, json),
      ),
    );
}
