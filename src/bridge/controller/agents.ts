// Controller, part 7: agents.run, agents.spawn, agents.wait, agents.cancel. A child's id is made of
// the run's id and the call's number, so it is known at once; its spawn is never answered, its wait is.

import { CALL_BYTES_MAX, PROMPT_CHARS_MAX, SLEEP_MS_MAX, WAIT_IDS_MAX } from "../../contract/limits.ts";
import { CANCEL_REASON_CHARS_MAX } from "../ops.ts";
import { guestText } from "./text.ts";

export const AGENTS = guestText`
const CALL_BYTES_MAX = ${CALL_BYTES_MAX};
const PROMPT_CHARS_MAX = ${PROMPT_CHARS_MAX};
const SLEEP_MS_MAX = ${SLEEP_MS_MAX};
const WAIT_IDS_MAX = ${WAIT_IDS_MAX};
const CANCEL_REASON_CHARS_MAX = ${CANCEL_REASON_CHARS_MAX};
const ID_CHARS_MAX = 120;

/** The digits of the run's id; set at start. */
let runDigits = "";
/** The phase that children belong to when their call names none; set by phase(). */
let currentPhase;
/** Idempotency key of the script → the child it made. */
const childByKey = new PlainMap();

function checkPrompt(who, name, prompt) {
  if (typeof prompt !== "string") throw expected(who + ": " + name, "a string", prompt);
  if (prompt.length > PROMPT_CHARS_MAX) {
    throw typeError(who + ": " + name + " must be at most " + PROMPT_CHARS_MAX + " characters long, got " + prompt.length);
  }
}

class Child {
  constructor(argsText, read, waiter) {
    this.argsText = argsText;
    this.key = read.key;
    this.label = read.label;
    this.signal = read.signal;
    this.waiter = waiter;
    this.runId = undefined;
    this.handle = undefined;
    /** The next send of its session, and what its signal does while it is queued there. */
    this.next = undefined;
    this.queueHook = undefined;
  }
}
setPrototypeOf(Child.prototype, null);

/** Reads and checks everything a child needs; runs code of the script (getters, toJSON) and makes no call yet. */
function readChild(who, prompt, options, place, session) {
  checkPrompt(who, session === undefined ? "prompt" : "input", prompt);
  let read;
  if (session === undefined) read = readOptions(who, options, CHECKS);
  else {
    read = readOverDefaults(who, options, session.defaults);
    addOption(read, "session", session.text);
  }
  if (!read.hasPhase && currentPhase !== undefined) addOption(read, "phase", jsonStringify(currentPhase));
  const argsText = '{"prompt":' + jsonStringify(prompt) + ',"options":{' + read.text + "}}";
  // Counted in characters, of which there are never more than bytes; the host counts bytes.
  if (argsText.length > CALL_BYTES_MAX) {
    throw typeError(who + ": prompt and options must take at most " + CALL_BYTES_MAX + " bytes as JSON, got at least " + argsText.length);
  }
  return new Child(argsText, read, newWaiter(KIND_CHILD, place));
}

/** Issues the spawn and its wait, in one turn. */
function launch(child) {
  const waiter = child.waiter;
  const spawnId = send("agentSpawn", child.argsText, waiter);
  child.argsText = "";
  child.runId = "agt_" + runDigits + "_" + spawnId;
  const waitId = send("agentWait", '{"mode":"one","ids":["' + child.runId + '"],"timeoutMs":null}', waiter);
  mapSet(pending, waitId, waiter);
  if (child.signal === undefined) return;
  const done = waiter.done;
  const hook = function (reason) {
    // The wait stays pending: its late answer changes nothing but says what the child has used.
    waiter.done = undefined;
    sendCancel(child.runId, reasonText(reason), waiter);
    waiter.reject(reason);
    if (done !== undefined) done();
  };
  hookSignal(child.signal, hook);
  waiter.done = function () {
    unhookSignal(child.signal, hook);
    if (done !== undefined) done();
  };
}

/** The state of the child's signal when it is aborted already. */
function abortedState(child) {
  const state = child.signal === undefined ? undefined : stateOfSignal(child.signal);
  return state !== undefined && state.aborted ? state : undefined;
}

/** A child of this call, or the one that its key made before. An aborted signal makes none. */
function startChild(who, prompt, options, place) {
  const child = readChild(who, prompt, options, place, undefined);
  if (child.key !== undefined) {
    const known = mapGet(childByKey, child.key);
    if (known !== undefined) return known;
  }
  const aborted = abortedState(child);
  if (aborted !== undefined) {
    child.waiter.reject(aborted.reason);
    return child;
  }
  launch(child);
  if (child.key !== undefined) mapSet(childByKey, child.key, child);
  return child;
}

function reasonText(reason) {
  const text = isError(reason) ? errorHead(reason) : inspect(reason);
  return slice(text, 0, CANCEL_REASON_CHARS_MAX);
}

function cancelArgs(id, reason) {
  return '{"id":' + jsonStringify(id) + (reason === undefined ? "" : ',"reason":' + jsonStringify(reason)) + "}";
}

/** A cancellation whose answer nobody waits for. */
function sendCancel(id, reason, place) {
  send("agentCancel", cancelArgs(id, reason), place);
}

function checkId(where, id) {
  if (typeof id !== "string") throw expected(where, "the runId of a child", id);
  if (id.length === 0 || id.length > ID_CHARS_MAX) {
    throw typeError(where + " must be from 1 to " + ID_CHARS_MAX + " characters long, got " + id.length);
  }
}

function cancelChild(who, id, reason) {
  checkId(who + ": id", id);
  if (reason !== undefined && typeof reason !== "string") throw expected(who + ": reason", "a string", reason);
  const text = reason === undefined ? undefined : slice(reason, 0, CANCEL_REASON_CHARS_MAX);
  const promise = callOnce(KIND_CANCEL, "agentCancel", cancelArgs(id, text), here());
  handled(promise);
  return promise;
}

function handleOf(child) {
  if (child.handle !== undefined) return child.handle;
  const runId = child.runId;
  const handle = {
    runId,
    label: child.label,
    result: child.waiter.promise,
    cancel(reason) {
      return cancelChild("cancel", runId, reason);
    },
  };
  handled(child.waiter.promise);
  child.handle = freeze(handle);
  return child.handle;
}

function waitIdsText(who, ids) {
  if (!isArray(ids)) throw expected(who + ": ids", "an array of runIds", ids);
  const length = ids.length;
  if (length === 0) throw typeError(who + ": ids must not be empty");
  if (length > WAIT_IDS_MAX) throw typeError(who + ": ids must have at most " + WAIT_IDS_MAX + " entries, got " + length);
  let text = "";
  for (let index = 0; index < length; index += 1) {
    const id = ids[index];
    checkId(who + ": ids[" + index + "]", id);
    text += (index > 0 ? "," : "") + jsonStringify(id);
  }
  return "[" + text + "]";
}

function waitTimeoutText(who, options) {
  const names = optionNames(who, options, WAIT_OPTIONS);
  if (names.length === 0) return "null";
  const seconds = options.timeoutSeconds;
  if (seconds === undefined) return "null";
  if (typeof seconds !== "number" || !(seconds >= 0) || seconds * 1000 > SLEEP_MS_MAX) {
    throw expected(who + ": option timeoutSeconds", "a number from 0 to " + SLEEP_MS_MAX / 1000, seconds);
  }
  return toText(floor(seconds * 1000));
}

const agents = {
  run(prompt, options) {
    return startChild("agents.run", prompt, options, here()).waiter.promise;
  },
  spawn(prompt, options) {
    const child = startChild("agents.spawn", prompt, options, here());
    if (child.runId !== undefined) return handleOf(child);
    handled(child.waiter.promise);
    throw abortedState(child).reason;
  },
  wait(ids, options) {
    const idsText = waitIdsText("agents.wait", ids);
    const timeoutText = waitTimeoutText("agents.wait", options);
    return callOnce(KIND_WAIT, "agentWait", '{"mode":"any","ids":' + idsText + ',"timeoutMs":' + timeoutText + "}", here());
  },
  cancel(id, reason) {
    return cancelChild("agents.cancel", id, reason);
  },
  session(system, options) {
    return newSession(system, options);
  },
};
`;
