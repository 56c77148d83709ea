// What can be typed: commands, options and help. A command's own file is loaded when it is called.

import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { fault } from "../contract/fault.ts";
import { EXIT } from "../contract/fault-table.ts";
import { WAIT_IDS_MAX } from "../contract/limits.ts";
import { action, type Call, positiveInteger, positiveNumber, refuseEmpty } from "./declare/action.ts";
import { declarePeople } from "./declare/people.ts";
import { declareCheck, declareRuns } from "./declare/runs.ts";
import { reportFailure } from "./failure.ts";
import { type Io, lostOutput, processIo } from "./io.ts";

/** Runs one command line and gives the exit code. Never throws. */
export async function runCli(argv: string[]): Promise<number> {
  const io = processIo(!argv.includes("--no-color"));
  const exitCode = await runCommandLine(argv, io);
  const code = await lostOutput(io.out.stream);
  if (code === undefined) return exitCode;
  return reportFailure(io, false, unwritten(code, io.whenLost));
}

async function runCommandLine(argv: string[], io: Io): Promise<number> {
  const call: Call = { io, exitCode: EXIT.ok };
  const program = buildProgram(call);
  try {
    if (argv.length === 0) program.help({ error: true });
    await program.parseAsync(argv, { from: "user" });
    return call.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
    const json = argv.includes("--json");
    const withoutCommand = error instanceof CommanderError && error.code === "commander.help";
    // The help went to stderr; a program that asked for JSON has its document as well.
    if (withoutCommand && !json) return EXIT.usage;
    const told = withoutCommand ? noCommand() : error instanceof CommanderError ? usageFault(error) : error;
    return reportFailure(io, json, told);
  }
}

function unwritten(code: string, next = "Give the output another place and run the command again.") {
  const full = code === "ENOSPC" || code === "EDQUOT";
  return fault(full ? "storage_full" : "storage_io", `stdout cannot be written (${code})`, { next });
}

/** The command tree; the command that runs leaves its exit code in `call`. */
function buildProgram(call: Call): Command {
  const program = new Command("quickswarm")
    .description("Runs model-written orchestration scripts that survive a crash of the process.")
    .version(version(), "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .option("--data <dir>", "data directory (default: ~/.quickswarm)")
    .option("--config <file>", "configuration file (default: config.json5 in the data directory)")
    .option("--port <number>", "port that the gateway listens on; 0: any free one")
    .option("--url <url>", "talk to the gateway at this address instead of the data directory's")
    .option("--json", "print one JSON document on stdout, errors included")
    .option("--no-color", "print without colours")
    .configureHelp({ showGlobalOptions: true })
    // Errors are printed once, by reportFailure.
    .configureOutput({ outputError: () => {} })
    .exitOverride()
    .showSuggestionAfterError(true)
    .addHelpText("after", HELP_AFTER);
  declareRuns(program, call);
  declareCheck(program, call);
  declareLooks(program, call);
  declarePeople(program, call);
  declareOperation(program, call);
  refuseEmpty(program);
  return program;
}

const HELP_AFTER = `
Results go to stdout, everything else to stderr.

Exit codes:
  ${EXIT.ok}    done
  ${EXIT.failed}    the run, the child or a check failed
  ${EXIT.usage}    the command line, the script, its args or the configuration is wrong
  ${EXIT.notFound}    there is no such run, child or group
  ${EXIT.refused}    refused: a limit, a permission, a wrong state, an unknown model or agent,
       a data directory or a port that another process holds
  ${EXIT.storage}    the data directory, the database or the output cannot be read or written
  ${EXIT.unreachable}    no gateway answers
  ${EXIT.killed}    the run or the child was stopped
  ${EXIT.internal}   a defect of quickswarm
  ${EXIT.pending}   wait: nothing has completed within the time-out
  ${EXIT.interrupted}  interrupted (Ctrl-C, SIGTERM or SIGHUP)

Environment: QUICKSWARM_TOKEN, QUICKSWARM_HOST, QUICKSWARM_PORT, QUICKSWARM_DATA_DIR.

First script:
  echo 'return await agents.run("Say hello")' | quickswarm run -`;

function declareLooks(program: Command, call: Call): void {
  program
    .command("workflows")
    .description("list the saved workflows that can be run by name")
    .action(action(call, async (context) => (await import("./commands/workflows.ts")).workflowsCommand(context)));
  pageOptions(program.command("ls"))
    .description("list runs")
    .option("--state <state>", "running, waiting, done, failed, killed or quarantined")
    .action(
      action(call, async (context, options: object) => (await import("./commands/ls.ts")).lsCommand(context, options)),
    );
  program
    .command("show")
    .argument("<run>", "id of a run")
    .description("show a run: state, children, what it waits at, notes, error, result")
    .option("--history", "list the kept turns")
    .option("--at <turn>", "show the run as it was after a kept turn", positiveInteger)
    .action(
      action(call, async (context, run: string, options: { history?: boolean; at?: number }) =>
        options.history === true || options.at !== undefined
          ? (await import("./commands/history.ts")).historyCommand(context, run, options.at)
          : (await import("./commands/show.ts")).showCommand(context, run),
      ),
    );
  pageOptions(program.command("groups"))
    .description("list groups of children")
    .action(
      action(call, async (context, options: object) =>
        (await import("./commands/groups.ts")).groupsCommand(context, options),
      ),
    );
  program
    .command("group")
    .argument("<id>", "id of a group")
    .description("show a group and its children")
    .action(
      action(call, async (context, id: string) => (await import("./commands/group.ts")).groupCommand(context, id)),
    );
  program
    .command("wait")
    .argument("<ids...>", `ids of runs and children, at most ${WAIT_IDS_MAX}`)
    .description("wait until one of them is complete and print what is")
    .option("--timeout <seconds>", "give up after this time (default: 30; with --all: never)", positiveNumber)
    .option("--all", "wait until all are complete")
    .action(
      action(call, async (context, ids: string[], options: object) =>
        (await import("./commands/wait.ts")).waitCommand(context, ids, options),
      ),
    );
  program
    .command("logs")
    .argument("<run>", "id of a run")
    .description("print the notes of a run")
    .option("-f, --follow", "print events as they happen, until the run ends")
    .action(
      action(call, async (context, run: string, options: object) =>
        (await import("./commands/logs.ts")).logsCommand(context, run, options),
      ),
    );
}

function pageOptions(command: Command): Command {
  return command
    .option("--limit <count>", "rows to print (default: 100)", positiveInteger)
    .option("--after <cursor>", "go on behind this row, as the page before says");
}

function declareOperation(program: Command, call: Call): void {
  program
    .command("gateway")
    .description("run the gateway in the foreground until Ctrl-C or SIGTERM")
    .option("--host <host>", "address to listen on (default: 127.0.0.1)")
    .action(action(call, async (context) => (await import("./commands/gateway.ts")).gatewayCommand(context)));
  program
    .command("mcp")
    .description("serve MCP over standard input and output, for a harness that starts it")
    .option("--session <name>", "name of this session; the same name sees the same runs again")
    .action(
      action(call, async (context, options: object) =>
        (await import("./commands/mcp.ts")).mcpCommand(context, options),
      ),
    );
  program
    .command("backup")
    .argument("<file>", "file to write")
    .description("write a consistent copy of the database while work goes on")
    .action(
      action(call, async (context, file: string) =>
        (await import("./commands/backup.ts")).backupCommand(context, file),
      ),
    );
  program
    .command("doctor")
    .description("check what quickswarm needs and say what to do about what is missing")
    .action(action(call, async (context) => (await import("./commands/doctor.ts")).doctorCommand(context)));
  program
    .command("config")
    .description("print the value of every setting and where it came from")
    .action(action(call, async (context) => (await import("./commands/config.ts")).configCommand(context)));
}

function noCommand() {
  return fault("bad_request", "there is no command", { next: "Look at `quickswarm --help`." });
}

/** commander's own message, with its "Did you mean", as a fault of ours. */
function usageFault(error: CommanderError) {
  const message = error.message.replace(/^error: /, "").replace(/\n\((.*)\)$/, " ($1)");
  if (error.code === "commander.unknownOption") return fault("option_unknown", message);
  if (error.code === "commander.invalidArgument" || error.code === "commander.optionMissingArgument") {
    return fault("option_type", message);
  }
  const next = /^too many arguments for '(?:run|submit)'/.test(message)
    ? 'Put patterns in quotes, so that the shell leaves them alone, for example --files "docs/*.md".'
    : "Look at `quickswarm --help`.";
  return fault("bad_request", message, { next });
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return (manifest as { version: string }).version;
}
