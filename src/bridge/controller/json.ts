// Controller, part 2: values to JSON text. Like JSON.stringify, but what JSON would drop without a
// word (functions, symbols, promises, maps) or choke on (cycles, BigInt) is refused by its path.

import { JSON_DEPTH_MAX } from "../ops.ts";
import { guestText } from "./text.ts";

export const JSON_TEXT = guestText`
const JSON_DEPTH_MAX = ${JSON_DEPTH_MAX};
const PATH_CHARS_MAX = 160;

/** Thrown by jsonText; never seen by a script. */
class NotJson {
  constructor(path, reason) {
    this.path = path;
    this.reason = reason;
  }
}

/** Why a value cannot be JSON, or "" when it can. */
function notJsonReason(value) {
  if (typeof value === "function") return "is a function";
  if (typeof value === "symbol") return "is a symbol";
  if (typeof value === "bigint") return "is a BigInt";
  if (typeof value !== "object" || value === null) return "";
  const prototype = getPrototypeOf(value);
  if (prototype === PromisePrototype) return "is a promise; await it first";
  if (prototype === MapPrototype) return "is a Map; return [...map] or Object.fromEntries(map)";
  if (prototype === SetPrototype) return "is a Set; return [...set]";
  return "";
}

const plainName = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

function childPath(path, holder, key) {
  if (isArray(holder)) return path + "[" + key + "]";
  if (regExpExec(plainName, key) !== null) return path + "." + key;
  return path + "[" + jsonStringify(key) + "]";
}

/** The path of the innermost open object, and of one key in it. */
function openPath(name, holders, keys, depth) {
  let path = name;
  for (let level = 1; level < depth; level += 1) path = childPath(path, holders[level], keys[level]);
  return path;
}

/**
 * The JSON text of value, or undefined when JSON has none (undefined itself). Throws NotJson with the
 * path from name on. Calls toJSON and getters of the value once each, as JSON.stringify does.
 */
function jsonText(value, name) {
  const holders = newList();
  const keys = newList();
  let depth = 0;
  const refuse = function (key, reason) {
    keys[depth - 1] = key;
    const path = openPath(name, holders, keys, depth);
    throw new NotJson(path.length > PATH_CHARS_MAX ? slice(path, 0, PATH_CHARS_MAX) + "…" : path, reason);
  };
  // Called by the engine for every value, after toJSON, with its holder as this.
  const visit = function (key, item) {
    while (depth > 0 && holders[depth - 1] !== this) {
      depth -= 1;
    }
    if (depth === 0) {
      holders[0] = this;
      depth = 1;
    }
    const type = typeof item;
    if (type === "string" || type === "number" || item === null || type === "boolean") return item;
    const reason = notJsonReason(item);
    if (reason !== "") refuse(key, reason);
    if (type !== "object") return item;
    for (let level = 1; level < depth; level += 1) {
      if (holders[level] === item) refuse(key, "refers back to an object that contains it");
    }
    if (depth > JSON_DEPTH_MAX) refuse(key, "is nested deeper than " + JSON_DEPTH_MAX + " levels");
    keys[depth - 1] = key;
    holders[depth] = item;
    depth += 1;
    return item;
  };
  return jsonStringify(value, visit);
}
`;
