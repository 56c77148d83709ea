// One run of one team, shared by everything that works in it: the keys of its calls, what they used, the
// records, the events, and the signal that ends it. No strategy keeps any of this itself.

import { fault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import { type Branch, branchOf, untilAborted } from "./abort.ts";
import { type ApprovalDecision, type ApprovalRequest, askApproval } from "./approvals.ts";
import type { Breach } from "./breach.ts";
import { callbacksOf, errorOf, type Fire } from "./callbacks.ts";
import type { AgentCallRecord, GenerateOptions } from "./config.ts";
import { type LiveLimits, liveLimits } from "./controls.ts";
import { namedError } from "./errors.ts";
import { Lane } from "./lane.ts";
import type { StreamPart } from "./parts.ts";
import type { AgencyHost, SeatAnswer, SeatKey, SeatMessage, SeatRequest, SeatUsage } from "./port.ts";
import { type Trail, trailFor } from "./provenance.ts";
import type { Team } from "./team.ts";
import { addUsage, NO_USAGE } from "./usage.ts";

export interface RunContext {
  id: string;
  host: AgencyHost;
  team: Team;
  options: GenerateOptions;
  /** Where the parts of a stream go; without it nobody listens. */
  emit?: ((part: StreamPart) => void) | undefined;
  /** The run of the agency this one is nested in, and this run's place in it. */
  parent?: { run: Run; path: string; signal: AbortSignal } | undefined;
  /** Aborts when the reader of a stream has left. */
  left?: AbortSignal | undefined;
  /** What was said before in an agent's own session. */
  history?: readonly SeatMessage[] | undefined;
}

/** The place of a record: taken when its call is issued, filled when it is answered, left empty otherwise. */
export interface Slot {
  fill(record: AgentCallRecord): void;
}

export class Run {
  readonly id: string;
  readonly host: AgencyHost;
  readonly team: Team;
  readonly options: GenerateOptions;
  readonly fire: Fire;
  readonly trail: Trail | undefined;
  readonly lane: Lane;
  readonly isStream: boolean;
  readonly history: readonly SeatMessage[];
  usage: SeatUsage = NO_USAGE;
  /** The limit that stopped this run (B-004). */
  breach: Breach | undefined;
  /** Calls of members that have begun. */
  #begun = 0;
  /** Why the approval of a tool failed: the run rejects with it when its strategy is done (H-023). */
  approvalFailure: { error: unknown } | undefined;
  readonly #context: RunContext;
  readonly #branch: Branch;
  readonly #limits: LiveLimits | undefined;
  readonly #slots: (AgentCallRecord | undefined)[] = [];
  readonly #places = new Map<string, number>();
  #late: ((usage: SeatUsage) => void) | undefined;

  constructor(context: RunContext) {
    const { id, host, team, options, parent } = context;
    this.id = id;
    this.host = host;
    this.team = team;
    this.options = options;
    this.#context = context;
    this.isStream = context.emit !== undefined;
    this.history = context.history ?? [];
    this.#branch = branchOf({ parents: [options.abortSignal, context.left, parent?.signal] });
    this.#limits = liveLimits(team.controls, host.clock, (breach) => this.#breached(breach));
    this.lane = new Lane(team.concurrency);
    this.trail = trailFor(team.provenance, () => host.clock.now());
    const fire = callbacksOf(team.on, host);
    this.fire = (name, event) => {
      this.trail?.record(name, trailData(event));
      fire(name, event);
    };
  }

  get signal(): AbortSignal {
    return this.#branch.signal;
  }

  /** The run of the agency that this one is nested in. */
  get parent(): Run | undefined {
    return this.#context.parent?.run;
  }

  /** The next call of `name`: `name#0`, then `name#1`. To be taken when the call is issued, before any wait. */
  place(name: string): string {
    const count = this.#places.get(name) ?? 0;
    this.#places.set(name, count + 1);
    const prefix = this.#context.parent ? `${this.#context.parent.path}/` : "";
    return `${prefix}${name}#${count}`;
  }

  slot(): Slot {
    const index = this.#slots.push(undefined) - 1;
    return { fill: (record) => void this.#slots.splice(index, 1, record) };
  }

  /** In the order in which the calls were issued. */
  records(): AgentCallRecord[] {
    return this.#slots.filter((record) => record !== undefined);
  }

  /** One model step. What comes back is billed, even when nobody waits for it any more (B-003). */
  step(request: Omit<SeatRequest, "onText">, from: "member" | "chair"): Promise<SeatAnswer> {
    for (let run: Run | undefined = this; run; run = run.parent) run.#limits?.check({ usage: run.usage });
    if (request.signal.aborted) return Promise.reject(request.signal.reason);
    const heard = new TextRelay((text) => this.emit({ type: "text", agent: request.agent, text, from }));
    const answered = this.host.call({ ...request, onText: (delta) => heard.add(delta) }).then((answer) => {
      this.bill(answer.usage);
      return answer;
    });
    return untilAborted(request.signal, answered).then((answer) => {
      heard.end(answer.text);
      return answer;
    });
  }

  /** A call of a member begins, unless a limit allows no more. */
  begin(): void {
    this.#limits?.check({ usage: this.usage, agentCalls: this.#begun });
    if (this.signal.aborted) throw this.signal.reason;
    this.#begun += 1;
  }

  #breached(breach: Breach): void {
    if (this.breach) return;
    this.breach = breach;
    const { onLimitReached } = this.team.controls;
    if (onLimitReached !== "error") this.fire("limitReached", breach);
    if (onLimitReached === "warn") return;
    this.#branch.abort(fault("agency_limit", `The run reached its ${breach.metric} of ${breach.limit}.`));
  }

  /** Work of the host that is kept under `key` where the host keeps anything. */
  once(key: SeatKey, work: () => Promise<Json>): Promise<Json> {
    return this.host.once ? this.host.once(key, work) : work();
  }

  approve(asked: Omit<ApprovalRequest, "id">, path: string, signal = this.signal): Promise<ApprovalDecision> {
    const ports = {
      clock: this.host.clock,
      once: (key: SeatKey, work: () => Promise<Json>) => this.once(key, work),
      fire: this.fire,
      signal,
    };
    return askApproval(this.team.hitl, asked, { runId: this.id, path: `${path}:approval`, index: 0 }, ports);
  }

  bill(usage: SeatUsage): void {
    if (this.#late) this.#late(usage);
    else this.usage = addUsage(this.usage, usage);
    this.#context.parent?.run.bill(usage);
  }

  emit(part: StreamPart): void {
    this.#context.emit?.(part);
  }

  failed(agent: string, error: unknown): void {
    this.fire("error", { agent, error: errorOf(error) });
  }

  /** What is answered from now on, to a call that was given up, is billed to `late`. */
  end(late: (usage: SeatUsage) => void): void {
    this.#late = late;
    this.#limits?.end();
    this.#branch.end();
  }
}

/** Hands on text as it comes; at the end what did not come by itself. */
class TextRelay {
  readonly #say: (text: string) => void;
  #heard = "";

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  add(delta: string): void {
    if (delta === "") return;
    this.#heard += delta;
    this.#say(delta);
  }

  /** A request that was tried again may have said something else before. */
  end(text: string): void {
    if (text !== this.#heard) this.add(text.startsWith(this.#heard) ? text.slice(this.#heard.length) : text);
  }
}

/** What the trail keeps of an event: an error by its name and code. */
function trailData(event: object): { [key: string]: Json } {
  return JSON.parse(JSON.stringify(event, (_key, value) => (value instanceof Error ? namedError(value) : value)));
}
