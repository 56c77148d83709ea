// Controller, part 6: arguments and options, checked at the call, synchronously, with a TypeError that
// names the option (G-003). Read by own property only and copied as JSON, so that what the script
// does to the object afterwards, or to Object.prototype, changes nothing.

import { budgetLimits, fastModes, fieldLimits, restartModes } from "./option-limits.ts";
import { guestText } from "./text.ts";

export const OPTIONS = guestText`
const LIMITS = ${JSON.stringify(fieldLimits)};
const FAST_MODES = ${JSON.stringify(fastModes)};
const RESTART_MODES = ${JSON.stringify(restartModes)};

/** How each option is checked: a function of (value, where) that gives its JSON text, or throws. */
const CHECKS = {
  __proto__: null,
  label: textCheck(0, LIMITS.label),
  model: textCheck(1, LIMITS.model),
  thinking: textCheck(0, LIMITS.thinking),
  fastMode: oneOf(FAST_MODES),
  agentId: textCheck(1, LIMITS.agentId),
  schema: jsonObject,
  phase: textCheck(0, LIMITS.phase),
  timeoutMs: wholeNumber(1, LIMITS.timeoutMs),
  retries: wholeNumber(0, LIMITS.retries),
  tools: textList,
  budget: budgetCheck,
  onRestart: oneOf(RESTART_MODES),
  groupId: textCheck(1, LIMITS.groupId),
  key: textCheck(1, LIMITS.key),
  signal: signalCheck,
};
const SESSION_OPTIONS = {
  __proto__: null,
  label: true,
  model: true,
  thinking: true,
  fastMode: true,
  agentId: true,
  phase: true,
  timeoutMs: true,
  retries: true,
  tools: true,
  budget: true,
  onRestart: true,
  groupId: true,
};
const WAIT_OPTIONS = { __proto__: null, timeoutSeconds: true };

function typeName(value) {
  if (value === null) return "null";
  if (isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "undefined") return "undefined";
  if (typeof value === "number") return "the number " + toText(value);
  if (typeof value === "boolean") return toText(value);
  if (typeof value === "string") return "the text " + jsonStringify(cut(value, 60));
  return "a " + typeof value;
}

function expected(where, what, value) {
  return typeError(where + " must be " + what + ", got " + typeName(value));
}

function textCheck(minChars, maxChars) {
  return function (value, where) {
    if (typeof value !== "string") throw expected(where, "a string", value);
    if (value.length < minChars) throw typeError(where + " must not be empty");
    if (value.length > maxChars) {
      throw typeError(where + " must be at most " + maxChars + " characters long, got " + value.length);
    }
    return jsonStringify(value);
  };
}

function wholeNumber(min, max) {
  return function (value, where) {
    if (!isInteger(value) || value < min || value > max) {
      throw expected(where, "a whole number from " + min + " to " + max, value);
    }
    return toText(value);
  };
}

function oneOf(choices) {
  let text = "";
  for (let index = 0; index < choices.length; index += 1) {
    if (index > 0) text += index === choices.length - 1 ? " or " : ", ";
    text += jsonStringify(choices[index]);
  }
  return function (value, where) {
    for (let index = 0; index < choices.length; index += 1) {
      if (choices[index] === value) return jsonStringify(value);
    }
    throw expected(where, text, value);
  };
}

function jsonValue(value, where) {
  let text;
  try {
    text = jsonText(value, where);
  } catch (error) {
    if (error instanceof NotJson) throw typeError(error.path + " " + error.reason + "; it must be JSON");
    throw error;
  }
  if (text === undefined) throw expected(where, "JSON", value);
  return text;
}

function jsonObject(value, where) {
  if (typeof value !== "object" || value === null || isArray(value)) throw expected(where, "an object", value);
  const text = jsonValue(value, where);
  if (charCodeAt(text, 0) !== 123) throw typeError(where + " must be an object after its toJSON");
  return text;
}

function textList(value, where) {
  if (!isArray(value)) throw expected(where, "an array of strings", value);
  const length = value.length;
  if (length > LIMITS.tools) throw typeError(where + " must have at most " + LIMITS.tools + " entries, got " + length);
  let text = "[";
  for (let index = 0; index < length; index += 1) {
    const item = value[index];
    const place = where + "[" + index + "]";
    if (typeof item !== "string") throw expected(place, "a string", item);
    if (item.length > LIMITS.tool) throw typeError(place + " must be at most " + LIMITS.tool + " characters long");
    text += (index > 0 ? "," : "") + jsonStringify(item);
  }
  return text + "]";
}

const BUDGET_MAX = ${JSON.stringify(budgetLimits)};
setPrototypeOf(BUDGET_MAX, null);

/** { tokens, usd, seconds } of one agent. */
function budgetCheck(value, where) {
  const names = optionNames(where, value, BUDGET_MAX);
  let text = "";
  for (let index = 0; index < names.length; index += 1) {
    const unit = names[index];
    const limit = value[unit];
    if (limit === undefined) continue;
    const place = where + "." + unit;
    if (unit === "tokens") text += ',"tokens":' + wholeNumber(1, BUDGET_MAX.tokens)(limit, place);
    else {
      const max = BUDGET_MAX[unit];
      if (typeof limit !== "number" || !(limit > 0 && limit <= max)) {
        throw expected(place, "a number above 0, at most " + max, limit);
      }
      text += ',"' + unit + '":' + toText(limit);
    }
  }
  return "{" + slice(text, 1, text.length) + "}";
}

function signalCheck(value, where) {
  if (stateOfSignal(value) === undefined) throw expected(where, "the signal of an AbortController", value);
  return "";
}

/** Single-character edits from one short text to another. */
function editDistance(from, to) {
  let row = newList();
  for (let column = 0; column <= to.length; column += 1) append(row, column);
  for (let line = 1; line <= from.length; line += 1) {
    const next = newList();
    append(next, line);
    for (let column = 1; column <= to.length; column += 1) {
      const swap = row[column - 1] + (charCodeAt(from, line - 1) === charCodeAt(to, column - 1) ? 0 : 1);
      const drop = (row[column] < next[column - 1] ? row[column] : next[column - 1]) + 1;
      append(next, swap < drop ? swap : drop);
    }
    row = next;
  }
  return row[to.length];
}

/** " (did you mean …?)" for the nearest known name, or nothing. */
function suggestion(name, known) {
  const names = objectKeys(known);
  const wanted = toLowerCase(slice(name, 0, 40));
  let best = "";
  let bestDistance = 4;
  for (let index = 0; index < names.length; index += 1) {
    const candidate = toLowerCase(names[index]);
    const contains = wanted.length > 2 && (indexOf(wanted, candidate) >= 0 || indexOf(candidate, wanted) >= 0);
    const distance = contains ? 1 : editDistance(wanted, candidate);
    if (distance < bestDistance && distance < candidate.length) {
      best = names[index];
      bestDistance = distance;
    }
  }
  return best === "" ? "" : "; did you mean " + jsonStringify(best) + "?";
}

/** The option names of an options object, all known; undefined counts as not given. */
function optionNames(who, options, known) {
  if (options === undefined) return newList();
  if (typeof options !== "object" || options === null || isArray(options)) {
    throw expected(who + ": options", "an object", options);
  }
  const names = objectKeys(options);
  for (let index = 0; index < names.length; index += 1) {
    if (known[names[index]] === undefined) {
      const name = jsonStringify(cut(names[index], 60));
      throw typeError(who + ": unknown option " + name + suggestion(names[index], known));
    }
  }
  return names;
}

/** What options say: the JSON of each that travels to the host, and the values that the guest needs itself. */
class Options {
  constructor() {
    this.texts = undefined;
    /** The JSON of all of them, without the braces. */
    this.text = "";
    this.key = undefined;
    this.label = undefined;
    this.signal = undefined;
    this.hasPhase = false;
  }
}
setPrototypeOf(Options.prototype, null);

function readOption(into, name, value, where) {
  const text = CHECKS[name](value, where);
  if (name === "signal") {
    into.signal = value;
    return;
  }
  if (name === "label") into.label = value;
  else if (name === "key") into.key = value;
  else if (name === "phase") into.hasPhase = true;
  if (into.texts !== undefined) into.texts[name] = text;
  addOption(into, name, text);
}

function addOption(into, name, text) {
  into.text += (into.text === "" ? '"' : ',"') + name + '":' + text;
}

/** Checks options, each read once. */
function readOptions(who, options, known) {
  const into = new Options();
  readInto(into, who, options, known);
  return into;
}

function readInto(into, who, options, known) {
  const names = optionNames(who, options, known);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index];
    const value = options[name];
    if (value !== undefined) readOption(into, name, value, who + ": option " + name);
  }
}

/** What a session says for all its sends. */
function readDefaults(who, options) {
  const into = new Options();
  into.texts = new Bare();
  readInto(into, who, options, SESSION_OPTIONS);
  return into;
}

/** Checks options of one send, and adds what the session says for all. */
function readOverDefaults(who, options, defaults) {
  const into = new Options();
  into.texts = new Bare();
  readInto(into, who, options, CHECKS);
  const names = objectKeys(defaults.texts);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index];
    if (into.texts[name] === undefined) addOption(into, name, defaults.texts[name]);
  }
  if (into.label === undefined) into.label = defaults.label;
  into.hasPhase = into.hasPhase || defaults.hasPhase;
  return into;
}
`;
