// From a command line to a submit request: script, args and the options that `run` and `submit` share.

import { basename } from "node:path";
import type { SubmitInput } from "../contract/api.ts";
import { fault, isFault } from "../contract/fault.ts";
import { readWorkflow } from "../contract/workflow.ts";
import type { ScriptCheck } from "./check/check.ts";
import type { Context } from "./context.ts";
import { type ArgsOptions, readArgs } from "./input/args.ts";
import { parseBudget } from "./input/budget.ts";
import { readScript, type ScriptText } from "./input/script.ts";
import { callableFrom, savedByName } from "./saved.ts";

/** What a run may spend, and what it has to do with its own past and that of others. */
interface PastOptions {
  budget?: string | undefined;
  reuse?: string | undefined;
  keepHistory?: number | undefined;
}

interface ScriptOptions extends ArgsOptions {
  ts?: boolean | undefined;
  model?: string | undefined;
  name?: string | undefined;
  agent?: string | undefined;
  group?: string | undefined;
  idempotencyKey?: string | undefined;
}

interface CheckOptions {
  /** False with --no-check. */
  check?: boolean | undefined;
  strict?: boolean | undefined;
}

/** What `run` and `submit` take. */
export type SubmitFlags = ScriptOptions & PastOptions & CheckOptions;

export interface Submission {
  input: SubmitInput & ScriptText;
  /** The check that goes on beside the run, for the command to end; undefined when there is none. */
  check: ScriptCheck | undefined;
}

/** Reads everything that is local, so that mistakes there are told before a gateway is looked for. */
export async function submitInput(context: Context, file: string, options: SubmitFlags): Promise<Submission> {
  const script = await scriptOf(context, file, options);
  const args = await readArgs(options, context.cwd);
  const budget = options.budget === undefined ? undefined : parseBudget(options.budget);
  const said = readWorkflow(script.script, script.fileName)?.meta.name;
  if (options.strict) await (await import("./check/check.ts")).refuseFindings(context, script);
  const input: SubmitInput & ScriptText = { ...script, name: options.name ?? said ?? basename(script.fileName) };
  const workflows = await callableFrom(context, script.script);
  if (workflows.length > 0) input.workflows = workflows;
  if (options.strict) input.strict = true;
  if (args !== undefined) input.args = args;
  if (options.model !== undefined) input.model = options.model;
  if (options.agent !== undefined) input.agentId = options.agent;
  if (options.group !== undefined) input.groupId = options.group;
  if (options.idempotencyKey !== undefined) input.idempotencyKey = options.idempotencyKey;
  if (budget !== undefined) input.budget = budget;
  if (options.reuse !== undefined) input.reuse = options.reuse;
  if (options.keepHistory !== undefined) input.keepHistory = options.keepHistory;
  // Begun last: nothing fails from here on that would leave it behind.
  return { input, check: await besideCheck(context, script, options) };
}

/** With --strict it has been checked already; with --no-check it is not. */
async function besideCheck(
  context: Context,
  script: ScriptText,
  { check, strict }: CheckOptions,
): Promise<ScriptCheck | undefined> {
  if (check === false || strict) return undefined;
  return (await import("./check/check.ts")).checkBeside(context, script);
}

/** A file; or, where there is none, the saved workflow of that name (D-008). */
async function scriptOf(context: Context, file: string, options: SubmitFlags): Promise<ScriptText> {
  try {
    return await readScript(file, options.ts === true, context.io, context.cwd);
  } catch (error) {
    if (!isFault(error) || error.code !== "file_unreadable" || !/^[^/\\]+$/.test(file)) throw error;
    const named = await savedByName(context, file);
    if (named.saved) {
      const { script, language, path: fileName } = named.saved;
      return { script, language, fileName };
    }
    if (named.hint === "") throw error;
    throw fault(error.code, error.message + named.hint, { place: { file }, cause: error });
  }
}
