// Runs the check in a process of its own: it uses another processor while a script is submitted, and it can
// be ended whatever it is at. Its compiler loses its input then, and ends too (law L7).

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Finding } from "./findings.ts";
import type { CheckedText } from "./typescript.ts";

const program = import.meta.url.endsWith(".ts")
  ? new URL("../../../dist/cli/check/program.js", import.meta.url)
  : new URL("./program.js", import.meta.url);

/**
 * What is wrong with a script. Undefined when TypeScript is not installed for this machine, when its
 * program fails, and when `signal` aborted before the check had ended.
 */
export function findingsFrom({ script, language }: CheckedText, signal: AbortSignal): Promise<Finding[] | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const child = spawn(process.execPath, [...process.execArgv, fileURLToPath(program)], {
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  const end = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", end, { once: true });
  let answer = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  // A program that ends before it has read everything has failed, and that is told by its end.
  child.stdin.on("error", () => {});
  child.stdin.write(`${JSON.stringify({ script, language })}\n`);
  return new Promise((resolve) => {
    child.on("error", () => resolve(undefined));
    child.on("close", () => {
      signal.removeEventListener("abort", end);
      resolve(answerOf(answer));
    });
  });
}

function answerOf(line: string): Finding[] | undefined {
  try {
    return (JSON.parse(line) as { found?: Finding[] }).found;
  } catch {
    return undefined;
  }
}
