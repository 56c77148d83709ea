// Controller, part 8: agents.session, a conversation that is a queue: each send is a child, begun when
// the one before it ended, so that its history is whole (G-005).

import { guestText } from "./text.ts";

export const SESSIONS = guestText`
let nextSession = 1;

/** Begins the next send that is still wanted. */
function pump(session) {
  while (session.first !== undefined) {
    const child = session.first;
    session.first = child.next;
    if (session.first === undefined) session.last = undefined;
    child.next = undefined;
    if (abortedState(child) !== undefined) continue;
    session.busy = true;
    if (child.signal !== undefined) unhookSignal(child.signal, child.queueHook);
    child.waiter.done = function () {
      session.busy = false;
      pump(session);
    };
    launch(child);
    return;
  }
}

function enqueue(session, child) {
  child.next = undefined;
  if (session.last === undefined) session.first = child;
  else session.last.next = child;
  session.last = child;
  if (child.signal !== undefined) {
    child.queueHook = function (reason) {
      child.waiter.reject(reason);
    };
    hookSignal(child.signal, child.queueHook);
  }
  if (!session.busy) pump(session);
}

function sendInSession(session, input, options, place) {
  const child = readChild("session.send", input, options, place, session);
  if (child.key !== undefined) {
    const known = mapGet(session.childByKey, child.key);
    if (known !== undefined) return known.waiter.promise;
  }
  const aborted = abortedState(child);
  if (aborted !== undefined) {
    child.waiter.reject(aborted.reason);
  } else if (session.closed) {
    child.waiter.reject(new PlainError("The session is closed; open another one with agents.session"));
  } else {
    if (child.key !== undefined) mapSet(session.childByKey, child.key, child);
    enqueue(session, child);
  }
  return child.waiter.promise;
}

function newSession(system, options) {
  checkPrompt("agents.session", "system", system);
  const defaults = readDefaults("agents.session", options);
  const id = "ses_" + runDigits + "_" + nextSession;
  nextSession += 1;
  const session = {
    __proto__: null,
    text: '{"id":"' + id + '","system":' + jsonStringify(system) + "}",
    defaults,
    childByKey: new PlainMap(),
    first: undefined,
    last: undefined,
    busy: false,
    closed: false,
  };
  return freeze({
    __proto__: null,
    id,
    send(input, sendOptions) {
      return sendInSession(session, input, sendOptions, here());
    },
    close() {
      session.closed = true;
    },
  });
}
`;
