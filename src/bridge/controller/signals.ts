// Controller, part 5: AbortController and AbortSignal, as far as scripts need them: abort(reason),
// aborted, reason, onabort, listeners for "abort", throwIfAborted.

import { guestText } from "./text.ts";

export const SIGNALS = guestText`
const SIGNAL_TOKEN = { __proto__: null };
let stateOfSignal;

function abortError() {
  const error = new PlainError("This operation was aborted");
  define(error, "name", "AbortError", false);
  return error;
}

/** An error in a listener is nobody's to catch: it fails the run like any unhandled rejection. */
async function throwLater(error) {
  throw error;
}

function callListener(signal, listener) {
  try {
    const event = freeze({ __proto__: null, type: "abort", target: signal });
    if (typeof listener === "function") listener(event);
    else listener.handleEvent(event);
  } catch (error) {
    throwLater(error);
  }
}

function abortSignal(signal, reason) {
  const state = stateOfSignal(signal);
  if (state.aborted) return;
  state.aborted = true;
  state.reason = reason === undefined ? abortError() : reason;
  setForEach(state.hooks, function (hook) {
    hook(state.reason);
  });
  setClear(state.hooks);
  if (typeof state.onabort === "function") callListener(signal, state.onabort);
  const due = newList();
  mapForEach(state.listeners, function (once, listener) {
    append(due, listener);
  });
  for (let index = 0; index < due.length; index += 1) {
    const listener = due[index];
    if (!mapHas(state.listeners, listener)) continue;
    if (mapGet(state.listeners, listener)) mapDelete(state.listeners, listener);
    callListener(signal, listener);
  }
}

class AbortSignal {
  #state;
  static {
    stateOfSignal = function (value) {
      return typeof value === "object" && value !== null && #state in value ? value.#state : undefined;
    };
  }
  constructor(token) {
    if (token !== SIGNAL_TOKEN) throw typeError("AbortSignal is made by new AbortController(), read its .signal");
    this.#state = {
      __proto__: null,
      aborted: false,
      reason: undefined,
      onabort: null,
      listeners: new PlainMap(),
      hooks: new PlainSet(),
    };
  }
  get aborted() {
    return this.#state.aborted;
  }
  get reason() {
    return this.#state.reason;
  }
  get onabort() {
    return this.#state.onabort;
  }
  set onabort(listener) {
    this.#state.onabort = typeof listener === "function" ? listener : null;
  }
  addEventListener(type, listener, options) {
    if (type !== "abort" || listener === null || listener === undefined) return;
    if (typeof listener !== "function" && typeof listener !== "object") {
      throw typeError("AbortSignal.addEventListener: listener must be a function");
    }
    const once = typeof options === "object" && options !== null && options.once === true;
    if (!mapHas(this.#state.listeners, listener)) mapSet(this.#state.listeners, listener, once);
  }
  removeEventListener(type, listener) {
    if (type === "abort") mapDelete(this.#state.listeners, listener);
  }
  throwIfAborted() {
    if (this.#state.aborted) throw this.#state.reason;
  }
}

class AbortController {
  #signal = new AbortSignal(SIGNAL_TOKEN);
  get signal() {
    return this.#signal;
  }
  abort(reason) {
    abortSignal(this.#signal, reason);
  }
}
freeze(AbortSignal.prototype);
freeze(AbortSignal);
freeze(AbortController.prototype);
freeze(AbortController);

/** Calls hook(reason) once when the signal aborts; the returned text of state is kept for unhook. */
function hookSignal(signal, hook) {
  if (signal !== undefined) setAdd(stateOfSignal(signal).hooks, hook);
}

function unhookSignal(signal, hook) {
  if (signal !== undefined) setDelete(stateOfSignal(signal).hooks, hook);
}
`;
