// Runs the built command as a person does: a process of its own, with an environment and a data
// directory of the test's own. What is still running when the test ends is killed.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Command {
  process: ChildProcessWithoutNullStreams;
  ended: Promise<Ended>;
  /** Resolves with what was written so far, once stdout and stderr together contain `text`. */
  says(text: string | RegExp): Promise<string>;
}

export interface Place {
  cwd: string;
  dataDir: string;
  env?: { [name: string]: string };
}

/** Starts `quickswarm …args`; `input` goes to its standard input. */
export function start(place: Place, args: string[], input = "", nodeArgs: string[] = []): Command {
  return startNode(place, [...nodeArgs, MAIN, ...args], input);
}

/** Runs `quickswarm …args` to its end with its stdout in the file at `path`. */
export function quickswarmInto(place: Place, path: string, args: string[]): Promise<Ended> {
  const script = `exec "$0" "$@" > ${JSON.stringify(path)}`;
  return startProgram(place, "/bin/sh", ["-c", script, process.execPath, MAIN, ...args], "").ended;
}

/** Starts Node.js in the same surroundings. */
export function startNode(place: Place, args: string[], input = ""): Command {
  return startProgram(place, process.execPath, args, input);
}

function startProgram(place: Place, program: string, args: string[], input: string): Command {
  const child = spawn(program, args, {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", HOME: place.cwd, QUICKSWARM_DATA_DIR: place.dataDir, ...place.env },
  });
  const heard = { out: "", err: "", wake: [] as (() => void)[] };
  const hear = (name: "out" | "err") => (text: string) => {
    heard[name] += text;
    for (const wake of heard.wake.splice(0)) wake();
  };
  child.stdout.setEncoding("utf8").on("data", hear("out"));
  child.stderr.setEncoding("utf8").on("data", hear("err"));
  // A command that ends before it has read everything is no error of the test.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  let over = false;
  const ended = once(child, "close").then(([code]): Ended => {
    over = true;
    for (const wake of heard.wake.splice(0)) wake();
    return { code, out: heard.out, err: heard.err };
  });
  onTestFinished(async () => {
    if (!over) child.kill("SIGKILL");
    await ended;
  });
  return { process: child, ended, says };

  async function says(text: string | RegExp): Promise<string> {
    for (;;) {
      const all = heard.out + heard.err;
      if (typeof text === "string" ? all.includes(text) : text.test(all)) return all;
      if (over) throw new Error(`it ended without saying ${text}; it said:\n${all}`);
      await new Promise<void>((wake) => heard.wake.push(wake));
    }
  }
}

/** Runs `quickswarm …args` to its end. */
export function quickswarm(place: Place, args: string[], input = ""): Promise<Ended> {
  return start(place, args, input).ended;
}

/** A gateway that is ready; ended by the test's end if not before. */
export async function startGateway(place: Place, ...args: string[]): Promise<Command & { url: string }> {
  const gateway = start(place, ["gateway", "--port", "0", ...args]);
  const said = await gateway.says(/answers at (http:\S+), data in /);
  return { ...gateway, url: /answers at (http:[^\s,]+)/.exec(said)?.[1] ?? "" };
}
