// Controller, part 10: time, money, the typed surface as a file, and the globals themselves. Every global
// is fixed and frozen; what is not built is absent, not a stub.

import { guestText } from "./text.ts";

export const SURFACE = guestText`
const durationPart = /^\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h|d)/;
const unitMs = { __proto__: null, ms: 1, s: 1000, m: 60000, h: 3600000, d: 86400000 };

/** Milliseconds of "2h", "1h30m", "500ms"; NaN for anything else. */
function durationMs(text) {
  let total = 0;
  let rest = trim(text);
  if (rest === "" || rest.length > 60) return NaN;
  while (rest !== "") {
    const match = regExpExec(durationPart, rest);
    if (match === null) return NaN;
    total += toNumber(match[1]) * unitMs[match[2]];
    rest = trim(slice(rest, match[0].length));
  }
  return total;
}

function sleep(time) {
  const milliseconds = typeof time === "string" ? durationMs(time) : time;
  if (typeof milliseconds !== "number" || !(milliseconds >= 0)) {
    throw expected("sleep: time", 'milliseconds or a text such as "500ms", "2h" or "1h30m"', time);
  }
  if (milliseconds > SLEEP_MS_MAX) throw typeError("sleep: time must be at most " + SLEEP_MS_MAX + " ms (10 years)");
  return callOnce(KIND_SLEEP, "sleep", '{"milliseconds":' + toText(milliseconds) + "}", here());
}

function now() {
  return dateNow();
}

function remainingOf(left) {
  return left === null ? Infinity : left;
}

const budget = {
  get total() {
    return spent.tokensTotal;
  },
  spent() {
    return spent.tokens;
  },
  remaining() {
    return remainingOf(spent.tokensLeft);
  },
  usd: freeze({
    get total() {
      return spent.usdTotal;
    },
    spent() {
      return spent.usd;
    },
    remaining() {
      return remainingOf(spent.usdLeft);
    },
  }),
};

let apiNames = objectKeys(API_FILES);

const API = {
  list(prefix) {
    if (prefix !== undefined && typeof prefix !== "string") throw expected("API.list: prefix", "a string", prefix);
    const names = [];
    for (let index = 0; index < apiNames.length; index += 1) {
      const name = apiNames[index];
      if (prefix === undefined || slice(name, 0, prefix.length) === prefix) define(names, names.length, name, true);
    }
    return names;
  },
  read(path) {
    if (typeof path !== "string") throw expected("API.read: path", "a string", path);
    if (hasOwn(API_FILES, path)) return API_FILES[path];
    throw typeError("API.read: there is no file " + jsonStringify(cut(path, 200)) + "; API.list() gives " + jsonStringify(apiNames));
  },
};

const consoleSurface = {
  log: consoleMethod("info"),
  info: consoleMethod("info"),
  warn: consoleMethod("warn"),
  error: consoleMethod("error"),
  debug: consoleMethod("debug"),
};

/** Freezes an object with its methods and makes it a global for good. */
function install(name, value) {
  if (typeof value === "object") {
    const names = objectKeys(value);
    for (let index = 0; index < names.length; index += 1) freeze(value[names[index]]);
  }
  fix(root, name, freeze(value));
}

install("agents", agents);
install("phase", phase);
install("log", log);
install("console", consoleSurface);
install("sleep", sleep);
install("now", now);
install("budget", budget);
install("API", API);
install("AbortController", AbortController);
install("AbortSignal", AbortSignal);
`;
