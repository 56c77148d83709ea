// Controller, part 4: calls out and answers in. Ids count from 1 in here, so that they are part of
// the snapshot (law L2); an answer to an id that does not wait is ignored (law L3, idempotent).

import { GUEST_OP } from "../ops.ts";
import { guestText } from "./text.ts";

export const CALLS = guestText`
let nextId = 1;
let fileName = "script.js";
/** Call id → who waits for it: { kind, resolve, reject, line, column, done }. */
const pending = new PlainMap();
const spent = { __proto__: null, tokens: 0, usd: 0, tokensLeft: null, usdLeft: null, tokensTotal: null, usdTotal: null };

const KIND_CHILD = 0;
const KIND_WAIT = 1;
const KIND_CANCEL = 2;
const KIND_SLEEP = 3;

class Place {
  constructor() {
    this.line = 0;
    this.column = 0;
  }
}
setPrototypeOf(Place.prototype, null);

/** The place that a stack names at index at, where SCRIPT_FRAME stands, as the script's author counts. */
function placeIn(stack, at) {
  const place = new Place();
  const start = at + SCRIPT_FRAME.length;
  const colon = indexOf(stack, ":", start);
  let end = indexOf(stack, "\n", start);
  if (end < 0) end = stack.length;
  if (charCodeAt(stack, end - 1) === 41) end -= 1;
  if (colon < 0 || colon > end) return place;
  const line = +slice(stack, start, colon);
  const column = +slice(stack, colon + 1, end);
  if (!(line > 0 && column > 0)) return place;
  place.line = line;
  place.column = line === 1 && column > FIRST_LINE_SHIFT ? column - FIRST_LINE_SHIFT : column;
  return place;
}

/** The line and column of the script that called the surface; zeros when the engine does not say. */
function here() {
  const error = new PlainError();
  const stack = hasOwn(error, "stack") ? error.stack : "";
  const at = indexOf(stack, SCRIPT_FRAME);
  return at < 0 ? new Place() : placeIn(stack, at);
}

/** A place as the engine would write it, so that all stacks read alike. */
function frameText(place) {
  const shift = place.line === 1 ? FIRST_LINE_SHIFT : 0;
  return "    at <script> (" + SCRIPT_FRAME + place.line + ":" + (place.column + shift) + ")\n";
}

/** Sends a call and returns its id. argsText is JSON that the controller wrote itself. */
function send(method, argsText, place) {
  const id = nextId;
  nextId += 1;
  bridge(${GUEST_OP.call}, id, method, '{"at":[' + place.line + "," + place.column + '],"args":' + argsText + "}");
  return id;
}

/** A promise with its resolvers and the place that made it. */
class Waiter {
  constructor(kind, place) {
    this.kind = kind;
    this.promise = undefined;
    this.resolve = undefined;
    this.reject = undefined;
    this.line = place.line;
    this.column = place.column;
    /** Called after it is settled. */
    this.done = undefined;
    /** Hears the answer instead, when the script has given the wait up. */
    this.late = undefined;
  }
}
setPrototypeOf(Waiter.prototype, null);

function newWaiter(kind, place) {
  const waiter = new Waiter(kind, place);
  waiter.promise = new PlainPromise(function (resolve, reject) {
    waiter.resolve = resolve;
    waiter.reject = reject;
  });
  return waiter;
}

/** A rejection of this promise is looked at by nobody on purpose: it never counts as unhandled. */
async function handled(promise) {
  try {
    await pin(promise);
  } catch (error) {}
}

function callOnce(kind, method, argsText, place) {
  const waiter = newWaiter(kind, place);
  mapSet(pending, send(method, argsText, place), waiter);
  return waiter.promise;
}

/** The error of an answer, rebuilt as plain data that points at the line of the script that asked (G-004). */
function answerError(data, waiter) {
  const error = new PlainError(toText(data.message));
  define(error, "name", toText(data.name), false);
  define(error, "stack", frameText(waiter), false);
  const fields = data.data;
  if (typeof fields !== "object" || fields === null) return error;
  const names = objectKeys(fields);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index];
    if (name !== "name" && name !== "message" && name !== "stack") define(error, name, fields[name], true);
  }
  return error;
}

/** What the host says the run has spent replaces what was known; without it a child's own figures are added. */
function count(metaText, isChild) {
  if (metaText === "") return;
  const meta = jsonParse(metaText);
  if (hasOwn(meta, "run")) {
    spent.tokens = meta.run.tokens;
    spent.usd = meta.run.usd;
    spent.tokensLeft = meta.run.tokensLeft;
    spent.usdLeft = meta.run.usdLeft;
  } else if (isChild) {
    spent.tokens += meta.inputTokens + meta.outputTokens;
    spent.usd += meta.costUsd;
  }
}

function deliver(waiter, isValue, text) {
  if (waiter.late !== undefined) {
    waiter.late(isValue, text);
    return;
  }
  let value;
  try {
    if (!isValue) value = answerError(jsonParse(text), waiter);
    else if (waiter.kind !== KIND_SLEEP && waiter.kind !== KIND_CANCEL && text !== "") value = jsonParse(text);
  } catch (error) {
    waiter.reject(error);
    return;
  }
  if (isValue) waiter.resolve(value);
  else waiter.reject(value);
}

/**
 * Settles one waiting call. The promise is resolved in a job of its own: resolving looks up "then" on
 * the value, which a script may have planted on Object.prototype, and dispatch is off the stack by then.
 */
function settle(id, isValue, text, metaText) {
  const waiter = mapGet(pending, id);
  if (waiter === undefined) return 1;
  mapDelete(pending, id);
  // A child is accounted once, by the wait that belongs to its spawn.
  count(metaText, waiter.kind === KIND_CHILD);
  later(function () {
    deliver(waiter, isValue, text);
    if (waiter.done !== undefined) waiter.done();
  });
  return 0;
}
`;
