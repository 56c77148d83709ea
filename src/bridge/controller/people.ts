// Controller, part 11: approve and waitForEvent, calls that somebody outside answers. Either can be given up
// by a signal; an event that comes for such a wait all the same is given back, so that none is lost (G-009).

import { APPROVAL_DETAILS_BYTES_MAX, APPROVAL_TITLE_CHARS_MAX, EVENT_NAME_CHARS_MAX } from "../../contract/limits.ts";
import { guestText } from "./text.ts";

export const PEOPLE = guestText`
const APPROVAL_DETAILS_BYTES_MAX = ${APPROVAL_DETAILS_BYTES_MAX};
const EVENT_NAME_CHARS_MAX = ${EVENT_NAME_CHARS_MAX};
const eventName = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;
const checkTitle = textCheck(1, ${APPROVAL_TITLE_CHARS_MAX});
const checkLateMode = oneOf(["reject", "error"]);
const EVENT_OPTIONS = { __proto__: null, timeout: true, timeoutMs: true, signal: true };
const APPROVE_OPTIONS = { __proto__: null, timeout: true, timeoutMs: true, onTimeout: true, signal: true };

class OutsideOptions {
  constructor() {
    this.timeoutText = "null";
    this.lateText = '"reject"';
    this.signal = undefined;
  }
}
setPrototypeOf(OutsideOptions.prototype, null);

/** Milliseconds of timeout: "2h", or of a number. */
function timeoutText(value, where) {
  const milliseconds = typeof value === "string" ? durationMs(value) : value;
  if (typeof milliseconds !== "number" || !(milliseconds >= 0)) {
    throw expected(where, 'milliseconds or a text such as "30s", "2h" or "7d"', value);
  }
  if (milliseconds > SLEEP_MS_MAX) {
    throw typeError(where + " must be at most " + SLEEP_MS_MAX + " ms (10 years); without one it waits for ever");
  }
  return toText(floor(milliseconds));
}

function readOutsideOptions(who, options, known) {
  const read = new OutsideOptions();
  const names = optionNames(who, options, known);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index];
    const value = options[name];
    const where = who + ": option " + name;
    if (value === undefined) continue;
    if (name === "signal") {
      signalCheck(value, where);
      read.signal = value;
    } else if (name === "onTimeout") read.lateText = checkLateMode(value, where);
    else if (read.timeoutText !== "null") throw typeError(who + ": options timeoutMs and timeout say the same; give one of them");
    else read.timeoutText = timeoutText(value, where);
  }
  return read;
}

/** Sends the call and waits. late(isValue, text) hears the answer of a wait that was given up. */
function waitOutside(method, argsText, signal, late) {
  const waiter = newWaiter(KIND_WAIT, here());
  const state = signal === undefined ? undefined : stateOfSignal(signal);
  if (state !== undefined && state.aborted) {
    waiter.reject(state.reason);
    return waiter.promise;
  }
  const id = send(method, argsText, waiter);
  mapSet(pending, id, waiter);
  if (signal === undefined) return waiter.promise;
  const hook = function (reason) {
    waiter.done = undefined;
    waiter.late = late;
    send("waitCancel", '{"callId":' + id + "}", waiter);
    waiter.reject(reason);
  };
  hookSignal(signal, hook);
  waiter.done = function () {
    unhookSignal(signal, hook);
  };
  return waiter.promise;
}

function ignoreLate() {}

function approve(title, details, options) {
  const titleText = checkTitle(title, "approve: title");
  const read = readOutsideOptions("approve", options, APPROVE_OPTIONS);
  let argsText = '{"title":' + titleText;
  if (details !== undefined) {
    const detailsText = jsonValue(details, "approve: details");
    // Counted in characters, of which there are never more than bytes; the host counts bytes.
    if (detailsText.length > APPROVAL_DETAILS_BYTES_MAX) {
      throw typeError("approve: details must take at most " + APPROVAL_DETAILS_BYTES_MAX + " bytes as JSON, got at least " + detailsText.length);
    }
    argsText += ',"details":' + detailsText;
  }
  argsText += ',"timeoutMs":' + read.timeoutText + ',"onTimeout":' + read.lateText + "}";
  return waitOutside("approve", argsText, read.signal, ignoreLate);
}

function waitForEvent(name, options) {
  if (typeof name !== "string") throw expected("waitForEvent: name", "a string", name);
  if (name.length > EVENT_NAME_CHARS_MAX || regExpExec(eventName, name) === null) {
    const what = "at most " + EVENT_NAME_CHARS_MAX + " letters, digits and . _ : - beginning with a letter or a digit";
    throw expected("waitForEvent: name", what, name);
  }
  const read = readOutsideOptions("waitForEvent", options, EVENT_OPTIONS);
  const argsText = '{"name":' + jsonStringify(name) + ',"timeoutMs":' + read.timeoutText + "}";
  const giveBack = function (isValue, text) {
    const place = new Place();
    if (isValue) send("eventReturn", '{"name":' + jsonStringify(name) + ',"payload":' + text + "}", place);
  };
  return waitOutside("waitForEvent", argsText, read.signal, giveBack);
}

install("approve", approve);
install("waitForEvent", waitForEvent);
`;
