// Specialists that a manager adds while it works. Each is checked, approved and judged before it joins
// the roster of this run alone; a refusal is a tool's result that the manager can go on from.

import type { Json } from "../contract/json.ts";
import { namedError } from "./errors.ts";
import { readJson } from "./json-reply.ts";
import type { Run } from "./run.ts";
import { askChair } from "./strategy.ts";
import type { Member } from "./team.ts";
import type { Tool, ToolResult } from "./tools.ts";

export const SPECIALISTS_MAX_DEFAULT = 5;
const JUDGE_CALLS_PER_SPECIALIST = 2;
const INSTRUCTIONS_CHARS_MAX = 8_192;
const ROLE = /^[A-Za-z_][\w-]{0,51}$/;
const RESERVED = new Set(["spawn_specialist", "final_answer", "plan"]);

const JUDGE_BRIEF =
  "You decide whether a specialist may join a team of agents. Judge three things: safety (it can do no harm), " +
  "scope (its task is clear and belongs to the team's) and risk (what may go wrong is small). " +
  'Answer with JSON alone: { "approved": boolean, "reason": string }';

/** The small model of a provider, for judging. */
const JUDGE_MODELS: { readonly [provider: string]: string } = {
  openai: "gpt-4o-mini",
  anthropic: "claude-haiku-4-5-20251001",
  gemini: "gemini-2.5-flash",
  groq: "llama-3.3-70b-versatile",
};

type RefusalCode =
  | "empty_instructions"
  | "instructions_too_long"
  | "reserved_role"
  | "invalid_role"
  | "missing_justification"
  | "role_taken"
  | "max_specialists"
  | "max_judge_calls"
  | "not_approved"
  | "judge_refused"
  | "judge_failed";

interface Wanted {
  role: string;
  instructions: string;
  justification: string | undefined;
}

type Verdict = { ok: true } | { ok: false; code: RefusalCode; message: string };

const OK: Verdict = { ok: true };

/** `members` is the roster of one run; who is accepted is added to it. */
export function spawnTool(run: Run, members: Member[]): Tool {
  const forge = new Forge(run, members);
  return {
    name: "spawn_specialist",
    description: "Adds a specialist to the team when no member fits. Delegate to it in your next step.",
    inputSchema: {
      type: "object",
      properties: {
        role: { type: "string", description: "Letters, digits, _ and -; no blanks, no digit in front." },
        instructions: { type: "string", description: "What the specialist is and does." },
        justification: { type: "string", description: "Why no member of the team fits." },
      },
      required: ["role", "instructions"],
      additionalProperties: false,
    },
    // What it asks is kept call by call; the roster is made anew from that.
    isKept: false,
    execute: (input) => forge.spawn(input),
  };
}

/** One after the other, so that limits hold and keys are the same on every way through the run. */
class Forge {
  readonly #run: Run;
  readonly #members: Member[];
  #last: Promise<unknown> = Promise.resolve();
  #spawned = 0;
  #judged = 0;

  constructor(run: Run, members: Member[]) {
    this.#run = run;
    this.#members = members;
  }

  spawn(input: Json): Promise<ToolResult> {
    const result = this.#last.then(() => this.#spawn(wantedIn(input)));
    this.#last = result.catch(() => {});
    return result;
  }

  async #spawn(wanted: Wanted): Promise<ToolResult> {
    const { role, instructions, justification } = wanted;
    const verdict = await this.#verdictOn(wanted);
    const reason = verdict.ok ? undefined : verdict.message;
    this.#run.fire("emergentForge", { agentName: role, instructions, approved: verdict.ok, justification, reason });
    if (!verdict.ok) {
      const { code, message } = verdict;
      return { text: JSON.stringify({ success: false, error: { code, message } }), isError: true };
    }
    this.#spawned += 1;
    this.#members.push(specialist(wanted));
    return { text: JSON.stringify({ success: true, role, tool: `delegate_to_${role}` }), isError: false };
  }

  async #verdictOn(wanted: Wanted): Promise<Verdict> {
    const { planner, judge } = this.#run.team.emergent ?? {};
    const found = formVerdict(wanted, planner?.requireJustification === true);
    if (!found.ok) return found;
    const { role } = wanted;
    if (this.#members.some((member) => member.name === role))
      return refuse("role_taken", `${role} is a member already`);
    const most = planner?.maxSpecialists ?? SPECIALISTS_MAX_DEFAULT;
    if (this.#spawned >= most) return refuse("max_specialists", `this run has its ${most} specialists already`);
    const judgeCalls = planner?.maxJudgeCalls ?? most * JUDGE_CALLS_PER_SPECIALIST;
    if (judge && this.#judged >= judgeCalls) return refuse("max_judge_calls", `${judgeCalls} were judged already`);
    const approval = await this.#approval(wanted);
    if (!approval.ok || !judge) return approval;
    this.#judged += 1;
    return this.#judgement(wanted);
  }

  async #approval(wanted: Wanted): Promise<Verdict> {
    if (!this.#run.team.hitl?.approvals?.beforeEmergent) return OK;
    const { role, instructions, justification } = wanted;
    const { approved, reason } = await this.#run.approve(
      {
        type: "emergent",
        agent: role,
        action: `spawn ${role}`,
        description: `Let the specialist ${role} join the team.`,
        details: { role, instructions, ...(justification === undefined ? {} : { justification }) },
      },
      this.#run.place(":emergent"),
    );
    return approved ? OK : refuse("not_approved", reason ?? "the approver refused");
  }

  async #judgement({ role, instructions, justification }: Wanted): Promise<Verdict> {
    const why = justification === undefined ? "" : `\nJustification: ${justification}`;
    const prompt = `Role: ${role}\nInstructions: ${instructions}${why}`;
    try {
      const model = judgeModelOf(this.#run);
      const { text } = await askChair(this.#run, { role: "emergent-judge", brief: JUDGE_BRIEF, prompt, model });
      const { approved, reason } = (readJson(text)?.json ?? {}) as { approved?: unknown; reason?: unknown };
      if (typeof approved !== "boolean") return refuse("judge_failed", "the judge's answer is not the JSON asked for");
      return approved ? OK : refuse("judge_refused", typeof reason === "string" ? reason : "the judge refused");
    } catch (error) {
      if (this.#run.signal.aborted) throw error;
      this.#run.failed("emergent-judge", error);
      return refuse("judge_failed", `the judge failed: ${namedError(error)}`);
    }
  }
}

function formVerdict({ role, instructions, justification }: Wanted, needsJustification: boolean): Verdict {
  if (instructions.trim() === "") return refuse("empty_instructions", "expected instructions, got none");
  if (instructions.length > INSTRUCTIONS_CHARS_MAX) {
    return refuse("instructions_too_long", `expected at most ${INSTRUCTIONS_CHARS_MAX} characters`);
  }
  if (RESERVED.has(role) || role.startsWith("delegate_to_")) return refuse("reserved_role", `${role} is a tool's name`);
  if (!ROLE.test(role)) {
    return refuse("invalid_role", "expected letters, digits, _ and -, no blank, no digit in front, at most 52");
  }
  if (needsJustification && !justification?.trim()) {
    return refuse("missing_justification", "say in justification why no member fits");
  }
  return OK;
}

function refuse(code: RefusalCode, message: string): Verdict {
  return { ok: false, code, message };
}

function wantedIn(input: Json): Wanted {
  const given = (input ?? {}) as { [key: string]: unknown };
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const justification = text(given.justification);
  return {
    role: text(given.role),
    instructions: text(given.instructions),
    justification: justification === "" ? undefined : justification,
  };
}

function specialist({ role, instructions }: Wanted): Member {
  const seat = { kind: "config" as const, config: { instructions }, tools: () => [] };
  return { name: role, dependsOn: [], description: instructions, retries: 0, deadlineMs: undefined, seat };
}

/** The planner's choice, else the small model of the agency's provider, else the agency's own. */
function judgeModelOf(run: Run): string | undefined {
  const { emergent, route } = run.team;
  const chosen = emergent?.planner?.judgeModel;
  if (chosen !== undefined) return chosen;
  const prefix = /^([\w-]+)[:/]/.exec(route.model ?? "")?.[1];
  if (prefix !== undefined && Object.hasOwn(JUDGE_MODELS, prefix)) return `${prefix}:${JUDGE_MODELS[prefix]}`;
  const { provider } = route;
  return provider !== undefined && Object.hasOwn(JUDGE_MODELS, provider) ? JUDGE_MODELS[provider] : undefined;
}
