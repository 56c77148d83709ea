// Controller, part 13: what a workflow sees besides the surface of every script: agent, parallel, pipeline
// and workflow (D-002 to D-006, D-012). Installed at the start of a run whose script has a meta, and
// only there: a plain script may use these names for itself.

import { PIPELINE_ITEMS_MAX, WORKFLOW_NAME_CHARS_MAX } from "../../contract/limits.ts";
import { GUEST_OP } from "../ops.ts";
import { guestText } from "./text.ts";

export const DIALECT = guestText`
const PIPELINE_ITEMS_MAX = ${PIPELINE_ITEMS_MAX};
const WARNINGS_MAX = 50;
/** Efforts of the dialect → what the models of this product know. */
const EFFORTS = { __proto__: null, low: "low", medium: "medium", high: "high", xhigh: "high", max: "high" };
const AGENT_OPTIONS = { __proto__: null, effort: true, agentType: true, isolation: true };
const REF_OPTIONS = { __proto__: null, scriptPath: true };
const checkEffort = oneOf(objectKeys(EFFORTS));
const checkIsolation = oneOf(["worktree"]);

/** DialectLimits of the host; set at the start of a workflow. */
let dialect;
let agentsMade = 0;
const warned = new PlainSet();

/** A warning stands in the census of the run, each once. */
function warnOnce(text) {
  if (setHas(warned, text) || setSize(warned) >= WARNINGS_MAX) return;
  setAdd(warned, text);
  bridge(${GUEST_OP.note}, 0, "warning:warn", jsonStringify(cut(text, NOTE_CHARS_MAX)));
}

function mapped(names, name) {
  return hasOwn(names, name) ? names[name] : undefined;
}

function unmapped(what, name, setting) {
  const text = "agent: " + what + " " + jsonStringify(name) + " is mapped to nothing in " + setting;
  if (dialect.strict) throw typeError(text + ", and the run is strict");
  return text;
}

/** A name with a provider is one of ours already; a bare one belongs to the product the script was written for. */
function modelOf(name) {
  const model = mapped(dialect.models, name);
  if (model !== undefined) return model;
  if (indexOf(name, ":") >= 0 || indexOf(name, "/") >= 0) return name;
  if (name !== "inherit") warnOnce(unmapped("model", name, "dialect.models") + "; the run's own model answers instead");
  return undefined;
}

/** What the options of one agent say, and what its type adds to its brief. */
class AgentBrief {
  constructor() {
    this.options = { __proto__: null };
    this.preface = "";
  }
}
setPrototypeOf(AgentBrief.prototype, null);

function readType(brief, type) {
  const agentId = mapped(dialect.agentTypes, type);
  if (agentId !== undefined) {
    brief.options.agentId = agentId;
    return;
  }
  warnOnce(unmapped("agentType", type, "dialect.agentTypes") + "; the default agent does its work");
  brief.preface = "You are asked as an agent of the type " + jsonStringify(type) + ".\n\n";
}

const checkName = textCheck(1, LIMITS.model);

function nearOption(name) {
  const near = suggestion(name, AGENT_OPTIONS);
  return near === "" ? suggestion(name, CHECKS) : near;
}

function readAgentOption(brief, name, value) {
  const where = "agent: option " + name;
  const own = brief.options;
  if (name === "effort") {
    checkEffort(value, where);
    if (own.thinking === undefined) own.thinking = EFFORTS[value];
  } else if (name === "agentType") {
    checkName(value, where);
    readType(brief, value);
  } else if (name === "isolation") {
    checkIsolation(value, where);
    warnOnce('agent: isolation "worktree" makes no difference here: agents work on no files of yours');
  } else if (name === "model") {
    checkName(value, where);
    const model = modelOf(value);
    if (model !== undefined) own.model = model;
  } else if ((name === "label" || name === "phase") && typeof value === "string") {
    own[name] = slice(value, 0, LIMITS[name]);
  } else if (CHECKS[name] !== undefined) own[name] = value;
  else warnOnce("agent: the option " + jsonStringify(cut(name, 60)) + " is unknown and ignored" + nearOption(name));
}

/** Options that are null count as not given, as the scripts that exist rely on. */
function readBrief(options) {
  const brief = new AgentBrief();
  if (options === undefined || options === null) return brief;
  if (typeof options !== "object" || isArray(options)) throw expected("agent: options", "an object", options);
  const names = objectKeys(options);
  for (let index = 0; index < names.length; index += 1) {
    const value = options[names[index]];
    if (value !== undefined && value !== null) readAgentOption(brief, names[index], value);
  }
  return brief;
}

/** Whether an agent that ended so was stopped or has died, which is null; all else is for the script to hear. */
function isDead(child, error) {
  if (abortedState(child) !== undefined) return true;
  if (!hasOwn(error, "status") || hasOwn(error, "schemaError")) return false;
  // Never spawned: a limit, a budget, an unknown model or agent.
  if (error.attempts === 0 && error.status === "failed") return false;
  return error.code !== "budget_exceeded";
}

async function answerOf(child) {
  try {
    return await pin(child.waiter.promise);
  } catch (error) {
    if (isDead(child, error)) return null;
    throw error;
  }
}

function agent(prompt, options) {
  const place = here();
  checkPrompt("agent", "prompt", prompt);
  const brief = readBrief(options);
  if (agentsMade >= dialect.agentsMax) {
    throw new PlainError("agent: this run has started " + agentsMade + " agents, and may start no more");
  }
  const callsBefore = nextId;
  const child = startChild("agent", brief.preface + prompt, brief.options, place);
  if (nextId > callsBefore) agentsMade += 1;
  return answerOf(child);
}

function checkItems(who, name, items) {
  if (!isArray(items)) throw expected(who + ": " + name, "an array", items);
  if (items.length > PIPELINE_ITEMS_MAX) {
    throw typeError(who + ": " + name + " must have at most " + PIPELINE_ITEMS_MAX + " entries, got " + items.length);
  }
  return items.length;
}

function sayDropped(who, index, error) {
  note("console:warn", who + "[" + index + "] threw and is null: " + (isError(error) ? errorHead(error) : inspect(error)));
}

/** One thunk of parallel; never rejects. */
async function settleThunk(thunk, index) {
  try {
    return await pinned(thunk());
  } catch (error) {
    sayDropped("parallel", index, error);
    return null;
  }
}

/** One item on its way through all stages; never rejects. */
async function settleItem(item, index, stages) {
  let previous = item;
  try {
    for (let stage = 0; stage < stages.length; stage += 1) previous = await pinned(stages[stage](previous, item, index));
    return previous;
  } catch (error) {
    sayDropped("pipeline", index, error);
    return null;
  }
}

/** A value as "await" takes it by the engine alone, when it is a promise of ours or of the script. */
function pinned(value) {
  return typeof value === "object" && value !== null && getPrototypeOf(value) === PromisePrototype ? pin(value) : value;
}

/** Resolves with the values in order when all are there. */
function gather(length, settled) {
  const values = [];
  return new PlainPromise(function (resolve) {
    let open = length;
    if (open === 0) resolve(values);
    for (let index = 0; index < length; index += 1) {
      defineProperty(values, index, { __proto__: null, value: null, writable: true, configurable: true, enumerable: true });
      fill(values, index, settled(index), function () {
        open -= 1;
        if (open === 0) resolve(values);
      });
    }
  });
}

async function fill(values, index, promise, done) {
  const value = await pin(promise);
  defineProperty(values, index, { __proto__: null, value, writable: true, configurable: true, enumerable: true });
  done();
}

function parallel(thunks) {
  const length = checkItems("parallel", "thunks", thunks);
  const list = newList();
  for (let index = 0; index < length; index += 1) {
    const thunk = thunks[index];
    if (typeof thunk !== "function") {
      throw expected("parallel: thunks[" + index + "]", "a function such as () => agent(…)", thunk);
    }
    append(list, thunk);
  }
  return gather(length, function (index) {
    return settleThunk(list[index], index);
  });
}

function pipeline(items, ...stages) {
  const length = checkItems("pipeline", "items", items);
  if (stages.length === 0) throw typeError("pipeline: at least one stage must follow the items");
  const list = newList();
  for (let index = 0; index < stages.length; index += 1) {
    if (typeof stages[index] !== "function") throw expected("pipeline: stage " + (index + 1), "a function", stages[index]);
    append(list, stages[index]);
  }
  const own = newList();
  for (let index = 0; index < length; index += 1) append(own, items[index]);
  return gather(length, function (index) {
    return settleItem(own[index], index, list);
  });
}

const checkRef = textCheck(1, ${WORKFLOW_NAME_CHARS_MAX});

function refText(ref) {
  if (typeof ref === "string") return '{"name":' + checkRef(ref, "workflow: name") + "}";
  const names = optionNames("workflow", ref, REF_OPTIONS);
  if (names.length === 0) throw expected("workflow: the workflow", 'a name or { scriptPath: "…" }', ref);
  return '{"scriptPath":' + checkRef(ref.scriptPath, "workflow: scriptPath") + "}";
}

/** The frames of a called workflow under its own file's name: their lines are not lines of the run's script. */
function nestedFrames(stack, path) {
  let frames = "";
  let start = 0;
  while (start < stack.length && frames.length < ERROR_STACK_CHARS_MAX) {
    let end = indexOf(stack, "\n", start);
    if (end < 0) end = stack.length;
    const line = slice(stack, start, end);
    const at = lastIndexOf(line, SCRIPT_FRAME);
    if (at >= 0) {
      const place = placeIn(line, at);
      frames += slice(line, 0, at) + NESTED_FRAME + path + ":" + place.line + ":" + place.column;
      frames += (indexOf(line, ")", at) >= 0 ? ")" : "") + "\n";
    }
    start = end + 1;
  }
  return frames;
}

/** What a called workflow threw stands at the line that called it, and below that at its own. */
function renameFrames(error, path, place) {
  if (typeof error !== "object" || error === null || !isError(error)) return;
  const own = getOwnPropertyDescriptor(error, "stack");
  if (own === undefined || typeof own.value !== "string" || own.configurable !== true) return;
  define(error, "stack", frameText(place) + nestedFrames(own.value, path), false);
}

/** Runs another saved workflow in here, with an args of its own; it shares everything else (D-005). */
async function runNested(promise, nestedArgs, place) {
  const found = await pin(promise);
  try {
    return await pinned(indirectEval(found.code)(nestedArgs));
  } catch (error) {
    renameFrames(error, found.path, place);
    throw error;
  }
}

function workflow(ref, nestedArgs) {
  const place = here();
  return runNested(callOnce(KIND_WAIT, "workflow", refText(ref), place), nestedArgs, place);
}

function installDialect(limits) {
  dialect = limits;
  install("agent", agent);
  install("parallel", parallel);
  install("pipeline", pipeline);
  install("workflow", workflow);
}
`;
