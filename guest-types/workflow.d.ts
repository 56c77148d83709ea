// What a workflow sees besides agents.d.ts. A script is a workflow when its first statement is
//
//     export const meta = { name: "audit", description: "Audits every file of a list", phases: [{ title: "Read" }] };
//
// a pure literal: texts, numbers, true, false, null, arrays and objects, and nothing that would have to be
// evaluated. The rest is the body of an async function, and can read `meta`. A script without a meta is a
// plain script: it sees none of what is declared here and may use these names for itself.
//
// Fan-out with a barrier, and a pipeline without one:
//
//     const findings = await parallel(args.files.map((file) => () => agent(`Audit ${file}`, { schema: FINDINGS })));
//     const checked = await pipeline(findings.filter(Boolean),
//       (finding) => agent(`Is this true? ${JSON.stringify(finding)}`, { phase: "Verify" }),
//       (verdict, finding) => ({ finding, verdict }));
//     return checked.filter(Boolean);

/** What a workflow says about itself; shown wherever it is listed, before it runs. */
interface WorkflowMeta {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string;
  /** Phases that it means to go through, in order; shown before they begin. */
  readonly phases?: readonly (string | { readonly title: string; readonly detail?: string })[];
}

/** An option that is null counts as not given; one that is unknown is ignored, with a warning in the census. */
interface WorkflowAgentOptions extends Omit<NullableOptions, "schema"> {
  /** How much the model is to think; `thinking` of agents.run by the names of the dialect ("xhigh" and "max" are "high"). */
  effort?: "low" | "medium" | "high" | "xhigh" | "max" | null | undefined;
  /** A kind of agent that the configuration maps (dialect.agentTypes), or the id of a configured agent. */
  agentType?: string | null | undefined;
  /** Accepted for the scripts that have it: agents here work on no files, so it changes nothing. */
  isolation?: "worktree" | null | undefined;
}

type NullableOptions = { [Name in keyof AgentOptions]: AgentOptions[Name] | null };

/**
 * Starts an agent and resolves to its final text, or to the value that fits `schema`. Resolves to null when the
 * agent was stopped, timed out or died on an error that does not pass. Rejects with a SwarmAgentError when its
 * answer did not fit the schema (`schemaError`), when the budget is spent, and when it could not be started.
 * Throws a TypeError for wrong arguments, and an Error above 1000 agents in one run.
 */
declare function agent<const Schema extends { readonly type: JsonSchemaType }>(
  prompt: string,
  options: WorkflowAgentOptions & { schema: Schema },
): Promise<SchemaOf<Schema> | null>;
declare function agent<Answer = unknown>(
  prompt: string,
  options: WorkflowAgentOptions & { schema: JsonSchema },
): Promise<Answer | null>;
declare function agent(
  prompt: string,
  options?: WorkflowAgentOptions & { schema?: null | undefined },
): Promise<string | null>;

/** Calls all thunks at once and resolves when all have ended; one that throws gives null. Never rejects. At most 4096. */
declare function parallel<Value>(thunks: readonly (() => Value)[]): Promise<(Awaited<Value> | null)[]>;

/**
 * Sends each item through all stages, and never waits for the other items. A stage is called with what the
 * stage before gave, the item, and its index; one that throws drops its item to null. Results keep the order
 * of the items. At most 4096 items.
 */
declare function pipeline<Item, One>(
  items: readonly Item[],
  one: (previous: Item, item: Item, index: number) => One,
): Promise<(Awaited<One> | null)[]>;
declare function pipeline<Item, One, Two>(
  items: readonly Item[],
  one: (previous: Item, item: Item, index: number) => One,
  two: (previous: Awaited<One>, item: Item, index: number) => Two,
): Promise<(Awaited<Two> | null)[]>;
declare function pipeline<Item, One, Two, Three>(
  items: readonly Item[],
  one: (previous: Item, item: Item, index: number) => One,
  two: (previous: Awaited<One>, item: Item, index: number) => Two,
  three: (previous: Awaited<Two>, item: Item, index: number) => Three,
): Promise<(Awaited<Three> | null)[]>;
declare function pipeline(
  items: readonly unknown[],
  ...stages: ((previous: never, item: never, index: number) => unknown)[]
): Promise<unknown[]>;

/**
 * Runs a saved workflow inside this run and resolves to what it returns. It has an `args` of its own and shares
 * everything else: the count of agents, the budget, the limits. It sees what was saved when this run was
 * submitted, and cannot call a third one. Rejects with what it throws, and for a name that is not saved.
 */
declare function workflow(nameOrRef: string | { readonly scriptPath: string }, args?: unknown): Promise<unknown>;
