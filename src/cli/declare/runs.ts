// The commands that take a script, or act on a run, as they are typed.

import type { Command } from "commander";
import { action, type Call, positiveInteger, wholeNumber } from "./action.ts";

export function declareRuns(program: Command, call: Call): void {
  submitOptions(program.command("run").argument("<file>", "script, - for standard input, or a saved workflow"))
    .description("run a script to its end and print its result")
    .option("--detach", "only submit; needs a running gateway")
    .action(
      action(call, async (context, file: string, { detach, ...options }: { detach?: boolean }) =>
        // A detached run needs a gateway that outlives this command: it is a submit.
        detach
          ? (await import("../commands/submit.ts")).submitCommand(context, file, options)
          : (await import("../commands/run.ts")).runCommand(context, file, options),
      ),
    );
  submitOptions(program.command("submit").argument("<file>", "script, - for standard input, or a saved workflow"))
    .description("hand a script to the running gateway and come back at once")
    .action(
      action(call, async (context, file: string, options: object) =>
        (await import("../commands/submit.ts")).submitCommand(context, file, options),
      ),
    );
  program
    .command("resume")
    .argument("<run>", "id of a run")
    .description("go on with a parked run, or release a quarantined one, and follow it")
    .action(
      action(call, async (context, run: string) => (await import("../commands/resume.ts")).resumeCommand(context, run)),
    );
  program
    .command("fork")
    .argument("<run>", "id of a run that keeps history")
    .description("make a new run that begins with a kept turn of this one, and follow it")
    .option("--at <turn>", "the kept turn (default: the newest)", positiveInteger)
    .option("--set-answer <call=json>", "another answer for a call that was pending then; repeatable", collect)
    .option("--reuse <run>", "take the results of calls that are the same in that run")
    .option("--keep-history <turns>", "as with run (default: the original's)", wholeNumber)
    .option("--name <text>", "name of the new run (default: the original's)")
    .option("--group <id>", "group of the new run's children")
    .option("--idempotency-key <key>", "the same key gives the first fork again")
    .option("--detach", "print the new run's id and come back; needs a running gateway")
    .action(
      action(call, async (context, run: string, options: object) =>
        (await import("../commands/fork.ts")).forkCommand(context, run, options),
      ),
    );
  program
    .command("stop")
    .argument("<id>", "id of a run or a child")
    .description("stop a run or a child, with its descendants")
    .option("--reason <text>", "kept with what is stopped")
    .action(
      action(call, async (context, id: string, options: object) =>
        (await import("../commands/stop.ts")).stopCommand(context, id, options),
      ),
    );
}

function submitOptions(command: Command): Command {
  return command
    .option("--args <json>", "what the script sees as args")
    .option("--args-text <text>", "args as plain text")
    .option("--files <glob>", "texts of matching files as args.files; quote the pattern; repeatable", collect)
    .option("--ts", "the script is TypeScript (default: by the file's extension)")
    .option("--model <name>", "model of children that name none")
    .option("--agent <id>", "configured agent that the script acts as")
    .option("--name <text>", "name of the run (default: the file's name)")
    .option("--group <id>", "group of the run's children")
    .option("--idempotency-key <key>", "the same key gives the first run again")
    .option("--budget <list>", "most that it may spend: tokens=200000,usd=5,seconds=3600,children=100")
    .option("--reuse <run>", "take the results of calls that are the same in that run")
    .option("--keep-history <turns>", "keep the last so many turns, to look at and to fork", wholeNumber)
    .option(
      "--strict",
      "refuse a script that its check warns of, and names that a workflow's configuration does not map",
    )
    .option("--no-check", "do not check the script");
}

export function declareCheck(program: Command, call: Call): void {
  program
    .command("check")
    .argument("<file>", "script, or - for standard input")
    .description("check a script's names, options and arguments without running it")
    .option("--ts", "the script is TypeScript (default: by the file's extension)")
    .action(
      action(call, async (context, file: string, options: object) =>
        (await import("../commands/check.ts")).checkCommand(context, file, options),
      ),
    );
}

function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value];
}
