// Controller, part 3: values as text for people: notes, console lines, thrown things. Bounded in
// depth, items and characters, and total: whatever a value does while it is read, this returns.

import { NOTE_CHARS_MAX } from "../../contract/limits.ts";
import { FIRST_LINE_COLUMN_SHIFT } from "../../vm/compile.ts";
import { ERROR_MESSAGE_CHARS_MAX, ERROR_STACK_CHARS_MAX, SCRIPT_FRAME } from "../ops.ts";
import { guestText } from "./text.ts";

export const INSPECT = guestText`
const NOTE_CHARS_MAX = ${NOTE_CHARS_MAX};
const ERROR_MESSAGE_CHARS_MAX = ${ERROR_MESSAGE_CHARS_MAX};
const ERROR_STACK_CHARS_MAX = ${ERROR_STACK_CHARS_MAX};
const SCRIPT_FRAME = ${JSON.stringify(SCRIPT_FRAME)};
/** Before the file name in a frame of a workflow that another one called. */
const NESTED_FRAME = "<saved> ";
/** Characters that stand before the script in its first line. */
const FIRST_LINE_SHIFT = ${FIRST_LINE_COLUMN_SHIFT};
const INSPECT_DEPTH_MAX = 5;
const INSPECT_ITEMS_MAX = 100;

/** A text of at most maxChars characters; a cut is visible and says how much is missing. */
function cut(text, maxChars) {
  if (text.length <= maxChars) return text;
  return slice(text, 0, maxChars) + "… (" + (text.length - maxChars) + " more characters)";
}

function kindOf(value) {
  const prototype = getPrototypeOf(value);
  if (isArray(value)) return "array";
  if (prototype === MapPrototype) return "map";
  if (prototype === SetPrototype) return "set";
  if (prototype === DatePrototype) return "date";
  if (prototype === RegExpPrototype) return "regexp";
  if (prototype === PromisePrototype) return "promise";
  return "object";
}

/** The stack lines that are the script's own, one a line, without the engine's and the controller's. */
function scriptFrames(stack) {
  let frames = "";
  let start = 0;
  while (start < stack.length && frames.length < ERROR_STACK_CHARS_MAX) {
    let end = indexOf(stack, "\n", start);
    if (end < 0) end = stack.length;
    const line = slice(stack, start, end);
    const at = lastIndexOf(line, SCRIPT_FRAME);
    if (at >= 0) {
      const place = placeIn(line, at);
      const end = indexOf(line, ")", at) >= 0 ? ")" : "";
      frames += (frames === "" ? "" : "\n") + slice(line, 0, at) + fileName + ":" + place.line + ":" + place.column + end;
    } else {
      const nested = indexOf(line, NESTED_FRAME);
      if (nested >= 0) frames += (frames === "" ? "" : "\n") + slice(line, 0, nested) + slice(line, nested + NESTED_FRAME.length);
    }
    start = end + 1;
  }
  return frames;
}

/** An own data property as text, or the fallback: no getter of the script runs here. */
function ownText(value, name, fallback) {
  let holder = value;
  for (let level = 0; level < 8 && holder !== null; level += 1) {
    const descriptor = getOwnPropertyDescriptor(holder, name);
    if (descriptor !== undefined) return typeof descriptor.value === "string" ? descriptor.value : fallback;
    holder = getPrototypeOf(holder);
  }
  return fallback;
}

function errorHead(error) {
  const name = ownText(error, "name", "Error");
  const message = ownText(error, "message", "");
  return cut(name + (message === "" ? "" : ": " + message), ERROR_MESSAGE_CHARS_MAX);
}

function errorText(error) {
  const frames = scriptFrames(ownText(error, "stack", ""));
  return errorHead(error) + (frames === "" ? "" : "\n" + frames);
}

function propertyText(holder, name, depth, budget) {
  const descriptor = getOwnPropertyDescriptor(holder, name);
  if (descriptor === undefined) return "<empty>";
  if (!hasOwn(descriptor, "value")) return "[getter]";
  return inspectValue(descriptor.value, depth, budget);
}

function arrayText(value, depth, budget) {
  let text = "[";
  const length = value.length;
  for (let index = 0; index < length; index += 1) {
    if (index > 0) text += ", ";
    if (index >= INSPECT_ITEMS_MAX || budget.left <= 0) return text + "… " + (length - index) + " more]";
    text += propertyText(value, toText(index), depth, budget);
  }
  return text + "]";
}

function collectionText(value, kind, depth, budget) {
  let text = kind === "map" ? "Map {" : "Set {";
  let count = 0;
  const each = function (item, key) {
    count += 1;
    if (count > INSPECT_ITEMS_MAX || budget.left <= 0) return;
    text += (count > 1 ? ", " : " ") + (kind === "map" ? inspectValue(key, depth, budget) + " => " : "");
    text += inspectValue(item, depth, budget);
  };
  if (kind === "map") mapForEach(value, each);
  else setForEach(value, each);
  return text + (count > INSPECT_ITEMS_MAX ? ", … " + (count - INSPECT_ITEMS_MAX) + " more }" : " }");
}

function objectText(value, depth, budget) {
  const names = objectKeys(value);
  if (names.length === 0) return "{}";
  let text = "{ ";
  for (let index = 0; index < names.length; index += 1) {
    if (index > 0) text += ", ";
    if (index >= INSPECT_ITEMS_MAX || budget.left <= 0) return text + "… " + (names.length - index) + " more }";
    const name = names[index];
    const label = regExpExec(plainName, name) !== null ? name : jsonStringify(name);
    text += label + ": " + propertyText(value, name, depth, budget);
  }
  return text + " }";
}

function partsText(value, depth, budget) {
  if (isError(value)) return errorText(value);
  const kind = kindOf(value);
  if (kind === "date") return dateIsoText(value);
  if (kind === "regexp") return regExpText(value);
  if (kind === "promise") return "Promise";
  if (depth >= INSPECT_DEPTH_MAX) return kind === "array" ? "[…]" : "{…}";
  if (setHas(budget.open, value)) return "[circular]";
  setAdd(budget.open, value);
  let text = "";
  if (kind === "array") text = arrayText(value, depth + 1, budget);
  else if (kind === "object") text = objectText(value, depth + 1, budget);
  else text = collectionText(value, kind, depth + 1, budget);
  setDelete(budget.open, value);
  return text;
}

function inspectValue(value, depth, budget) {
  let text = "";
  if (typeof value === "string") text = depth === 0 ? value : jsonStringify(cut(value, NOTE_CHARS_MAX));
  else if (typeof value === "bigint") text = bigIntText(value) + "n";
  else if (typeof value === "symbol") text = symbolText(value);
  else if (typeof value === "function") text = "[function " + ownText(value, "name", "") + "]";
  else if (typeof value === "object" && value !== null) text = partsText(value, depth, budget);
  else text = toText(value);
  budget.left -= text.length;
  return text;
}

/** Any value as text of at most about NOTE_CHARS_MAX characters. */
function inspect(value) {
  try {
    return inspectValue(value, 0, { __proto__: null, left: NOTE_CHARS_MAX, open: new PlainSet() });
  } catch (error) {
    return "[unreadable value]";
  }
}
`;
