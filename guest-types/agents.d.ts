// What a script sees. A script is the body of an async function: `await` and `return` stand at its top
// level, and what it returns (JSON) is the result of the run. It is plain JavaScript or TypeScript;
// the orchestration is the control flow. There is no import, no require, no network and no file: a
// script's only way out is what is declared here. `eval` and `Function` are plain JavaScript: they
// evaluate text of the script's own, in the same sealed room.
//
// An error that nobody catches fails the run, and so does a promise that was rejected and had no handler
// at the end of its turn (between two waits). Several agents at once: Promise.all, or Promise.allSettled
// when one may fail. What the script returns must be JSON: no function, cycle, BigInt, Map or promise.
//
// A script survives a restart at every `await`: variables, closures and half-finished loops are kept.
// So there are no rules about repeatable code; Date and Math.random work as usual.
//
// Fan-out: many readers at once, one result.
//
//     const reports = await Promise.all(args.files.map((file) => agents.run(`Review ${file.path}:\n${file.text}`)));
//     return agents.run(`Merge these reviews:\n${reports.join("\n---\n")}`);
//
// Gate: go on only when a check passes.
//
//     const verdict = await agents.run(`Is this plan safe?\n${plan}`, {
//       schema: { type: "object", properties: { safe: { type: "boolean" }, why: { type: "string" } }, required: ["safe", "why"] },
//     });
//     if (!verdict.safe) return { refused: verdict.why };
//
// Loop: improve until it is good enough, with a bound.
//
//     let draft = await agents.run("Write the release note.");
//     for (let round = 1; round <= 3; round++) {
//       const critique = await agents.run(`List what is wrong, or say OK:\n${draft}`, { phase: "review" });
//       if (critique.trim() === "OK") break;
//       draft = await agents.run(`Improve it.\nDraft:\n${draft}\nCritique:\n${critique}`, { phase: "rewrite" });
//     }
//     return draft;
//
// First completion: take results as they come, cancel what is no longer wanted.
//
//     const open = new Map(questions.map((q) => agents.spawn(q)).map((child) => [child.runId, child]));
//     while (open.size > 0) {
//       const { completed } = await agents.wait([...open.keys()]);
//       for (const child of completed) {
//         open.delete(child.runId);
//         if (child.status === "done" && isGood(child.result)) {
//           for (const loser of open.values()) loser.cancel("another answer was good");
//           return child.result;
//         }
//       }
//     }
//
// Session: one conversation, several turns.
//
//     const editor = agents.session("You are a terse editor.");
//     await editor.send("Here is the text: …");
//     const better = await editor.send("Now shorten it to 100 words.");
//     editor.close();

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

type JsonSchemaType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** A JSON Schema. A literal one gives the type of the answer; for any other, name the type: `run<Answer>(…)`. */
interface JsonSchema {
  readonly [keyword: string]: unknown;
}

type SchemaOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: "string" }
      ? string
      : Schema extends { readonly type: "number" | "integer" }
        ? number
        : Schema extends { readonly type: "boolean" }
          ? boolean
          : Schema extends { readonly type: "null" }
            ? null
            : Schema extends { readonly type: "array"; readonly items: infer Items }
              ? SchemaOf<Items>[]
              : Schema extends { readonly type: "object"; readonly properties: infer Properties }
                ? ObjectOf<Properties, Schema extends { readonly required: readonly (infer Name)[] } ? Name : never>
                : unknown;

type ObjectOf<Properties, Required> = {
  -readonly [Name in keyof Properties as Name extends Required ? Name : never]: SchemaOf<Properties[Name]>;
} & {
  -readonly [Name in keyof Properties as Name extends Required ? never : Name]?: SchemaOf<Properties[Name]>;
};

/**
 * Options of one agent. A value of the wrong type, or a name that does not exist, is a TypeError at the
 * call. Values are copied at the call; an option that is `undefined` counts as not given.
 */
interface AgentOptions {
  /** Shown wherever the agent is listed. At most 200 characters. */
  label?: string | undefined;
  /** Model that answers; without it, the agent's or the run's. */
  model?: string | undefined;
  /** How much the model is to think, as the model's provider names it. */
  thinking?: string | undefined;
  /** The provider's fast mode; without it, inherited. */
  fastMode?: boolean | "auto" | undefined;
  /** The configured agent that does the work; without it, the default agent. */
  agentId?: string | undefined;
  /** JSON Schema of the wanted answer. Then the promise resolves to a value that fits it, not to text. */
  schema?: JsonSchema | undefined;
  /** Phase it is shown under; without it, the one last set by `phase()`. */
  phase?: string | undefined;
  /** Milliseconds after which the agent ends with status "timeout". */
  timeoutMs?: number | undefined;
  /** Further attempts after a failure that may pass, 0 to 20. */
  retries?: number | undefined;
  /** Names of the tools it may use. */
  tools?: string[] | undefined;
  /** Most that it may use; then it fails with the code "budget_exceeded". The run's and its group's budgets hold as well. */
  budget?: { tokens?: number | undefined; usd?: number | undefined; seconds?: number | undefined } | undefined;
  /** What becomes of it when the gateway is restarted while it runs; "rerun" unless said otherwise. */
  onRestart?: "rerun" | "fail" | undefined;
  /** Group whose limits count for it; without it, the run's own. */
  groupId?: string | undefined;
  /** A name of your own: a second call with the same key in this run gives the same promise or handle, and starts nothing. */
  key?: string | undefined;
  /** Cancels the agent when it aborts; the promise then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of a session; they hold for each of its sends that says nothing else. */
type SessionOptions = Omit<AgentOptions, "schema" | "key" | "signal">;

type AgentStatus = "done" | "failed" | "killed" | "timeout";

/** What `agents.run` rejects with when an agent did not answer. */
interface SwarmAgentError extends Error {
  readonly name: "SwarmAgentError";
  readonly runId: string;
  readonly status: Exclude<AgentStatus, "done">;
  readonly label?: string;
  /** How often it was tried. */
  readonly attempts: number;
  readonly usage?: { inputTokens: number; outputTokens: number; cachedInputTokens?: number };
  /** What in its answer did not fit the schema. */
  readonly schemaError?: string;
  /** The raw text of its answer, if there was one. */
  readonly text?: string;
  /** Stable code of the failure, for example "child_timeout". */
  readonly code?: string;
}

/** A finished agent as `agents.wait` gives it. */
interface AgentRecord {
  readonly runId: string;
  readonly status: AgentStatus;
  /** Its final text. */
  readonly result: string;
  /** The value that fits its schema, if it had one. */
  readonly structured?: Json;
  readonly schemaError?: string;
  readonly error?: string;
  readonly errorCode?: string;
  readonly label?: string;
  readonly phase?: string;
  readonly model: string;
  readonly attempts: number;
  readonly usage?: { inputTokens: number; outputTokens: number; cachedInputTokens?: number };
  readonly costUsd?: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** An agent that was started and is not waited for yet. */
interface AgentHandle<Answer = string> {
  readonly runId: string;
  readonly label: string | undefined;
  /**
   * Resolves like `agents.run`. Its rejection alone does not fail the run when nobody looks at it; that of
   * a promise derived from it does.
   */
  readonly result: Promise<Answer>;
  /** Stops it; its `result` rejects with status "killed". Harmless when it has ended. */
  cancel(reason?: string): Promise<void>;
}

/** A conversation that lasts: its history survives restarts. Sends are answered one after the other. */
interface AgentSession {
  readonly id: string;
  send<const Schema extends { readonly type: JsonSchemaType }>(
    input: string,
    options: AgentOptions & { schema: Schema },
  ): Promise<SchemaOf<Schema>>;
  send<Answer = unknown>(input: string, options: AgentOptions & { schema: JsonSchema }): Promise<Answer>;
  send(input: string, options?: AgentOptions): Promise<string>;
  /** Later sends reject; those already sent are still answered. */
  close(): void;
}

interface Agents {
  /** Starts an agent and resolves to its final text, or to the value that fits `schema`. Rejects with a SwarmAgentError. */
  run<const Schema extends { readonly type: JsonSchemaType }>(
    prompt: string,
    options: AgentOptions & { schema: Schema },
  ): Promise<SchemaOf<Schema>>;
  run<Answer = unknown>(prompt: string, options: AgentOptions & { schema: JsonSchema }): Promise<Answer>;
  run(prompt: string, options?: AgentOptions): Promise<string>;

  /** Starts an agent and returns its handle at once. */
  spawn<const Schema extends { readonly type: JsonSchemaType }>(
    prompt: string,
    options: AgentOptions & { schema: Schema },
  ): AgentHandle<SchemaOf<Schema>>;
  spawn<Answer = unknown>(prompt: string, options: AgentOptions & { schema: JsonSchema }): AgentHandle<Answer>;
  spawn(prompt: string, options?: AgentOptions): AgentHandle;

  /**
   * Waits until at least one of 1 to 1000 agents has ended, or had ended already. Without
   * `timeoutSeconds` it waits for as long as that takes; with it, `completed` may be empty.
   */
  wait(
    ids: readonly string[],
    options?: { timeoutSeconds?: number | undefined },
  ): Promise<{
    completed: AgentRecord[];
    pending: string[];
    errors: { runId: string; error: "not_found" | "not_owner" }[];
  }>;

  /** Stops an agent. Resolves when that is recorded; harmless when it has ended. */
  cancel(runId: string, reason?: string): Promise<void>;

  /** Opens a conversation with a system prompt. */
  session(system: string, options?: SessionOptions): AgentSession;
}

declare const agents: Agents;

/** Names what the run is doing now; agents started from here on are shown under it. At most 200 characters. */
declare function phase(title: string): void;

/** A line for the people who watch: kept with the run, in order, cut when too long or too many. */
declare function log(...values: unknown[]): void;

declare const console: {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  debug(...values: unknown[]): void;
};

/** Waits for milliseconds or for "500ms", "30s", "5m", "2h", "1h30m", "7d". Survives restarts and costs nothing meanwhile. */
declare function sleep(time: number | string): Promise<void>;

/** Milliseconds since 1970, like Date.now(). */
declare function now(): number;

/** What the run was submitted with; undefined when nothing was. Say what you expect: `args as { files: string[] }`. */
declare const args: unknown;

/** What all agents of this run have used, as of the last answer. Once it is spent, the next rejects: "budget_exceeded". */
declare const budget: {
  /** Tokens that the run, or else its group, may use; null: no limit. `remaining()`: the least left to either, or Infinity. */
  readonly total: number | null;
  spent(): number;
  remaining(): number;
  /** The same in dollars. */
  readonly usd: {
    readonly total: number | null;
    spent(): number;
    remaining(): number;
  };
};

/** The declaration files, for scripts and their authors to read; see "people.d.ts" and "tools.d.ts" too. */
declare const API: {
  /** Names of the files that begin with `prefix`. */
  list(prefix?: string): string[];
  read(path: "agents.d.ts" | (string & {})): string;
};

interface AbortEvent {
  readonly type: "abort";
  readonly target: AbortSignal;
}

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  onabort: ((event: AbortEvent) => void) | null;
  addEventListener(type: "abort", listener: (event: AbortEvent) => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: (event: AbortEvent) => void): void;
  throwIfAborted(): void;
}

/** Only for `instanceof`: signals are made by controllers. */
declare const AbortSignal: abstract new () => AbortSignal;

declare class AbortController {
  readonly signal: AbortSignal;
  /** Aborts with `reason`, or with an Error named "AbortError". A second call changes nothing. */
  abort(reason?: unknown): void;
}
