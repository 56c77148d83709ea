// Controller, part 1: every built-in that the controller uses, taken before a script exists. What a
// script redefines later is not looked at again: no part below calls a method through a prototype,
// iterates, spreads or destructures an array, or sets an index on an object that inherits anything.

import { guestText } from "./text.ts";

export const PRIMORDIALS = guestText`
const root = globalThis;
const uncurry = Function.prototype.bind.bind(Function.prototype.call);

const jsonParse = JSON.parse;
const jsonStringify = JSON.stringify;
const defineProperty = Object.defineProperty;
const freeze = Object.freeze;
const getPrototypeOf = Object.getPrototypeOf;
const setPrototypeOf = Object.setPrototypeOf;
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
const objectKeys = Object.keys;
const hasOwn = Object.hasOwn;
const isArray = Array.isArray;
const isFiniteNumber = Number.isFinite;
const isInteger = Number.isInteger;
const toNumber = Number;
const toText = String;
const floor = Math.floor;
const imul = Math.imul;
const dateNow = Date.now;
const indirectEval = eval;
const later = queueMicrotask;

const PlainError = Error;
const PlainTypeError = TypeError;
const PlainPromise = Promise;
const PlainMap = Map;
const PlainSet = Set;
const PlainDate = Date;
const isError = Error.isError;
const ArrayPrototype = Array.prototype;
const MapPrototype = Map.prototype;
const SetPrototype = Set.prototype;
const PromisePrototype = Promise.prototype;
const DatePrototype = Date.prototype;
const RegExpPrototype = RegExp.prototype;

const mapGet = uncurry(Map.prototype.get);
const mapSet = uncurry(Map.prototype.set);
const mapHas = uncurry(Map.prototype.has);
const mapDelete = uncurry(Map.prototype.delete);
const mapForEach = uncurry(Map.prototype.forEach);
const mapSize = uncurry(getOwnPropertyDescriptor(Map.prototype, "size").get);
const setAdd = uncurry(Set.prototype.add);
const setHas = uncurry(Set.prototype.has);
const setDelete = uncurry(Set.prototype.delete);
const setForEach = uncurry(Set.prototype.forEach);
const setClear = uncurry(Set.prototype.clear);
const setSize = uncurry(getOwnPropertyDescriptor(Set.prototype, "size").get);
const slice = uncurry(String.prototype.slice);
const indexOf = uncurry(String.prototype.indexOf);
const lastIndexOf = uncurry(String.prototype.lastIndexOf);
const charCodeAt = uncurry(String.prototype.charCodeAt);
const toLowerCase = uncurry(String.prototype.toLowerCase);
const trim = uncurry(String.prototype.trim);
const regExpExec = uncurry(RegExp.prototype.exec);
const regExpText = uncurry(RegExp.prototype.toString);
const dateIsoText = uncurry(Date.prototype.toISOString);
const bigIntText = uncurry(BigInt.prototype.toString);
const symbolText = uncurry(Symbol.prototype.toString);

// The engine makes these texts at their first use. The host reads an unhandled error's name from the
// engine's own records, where a text that was never used does not stand yet.
const errorClasses = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, InternalError, AggregateError];
for (let index = 0; index < errorClasses.length; index += 1) {
  errorClasses[index].prototype.name;
  errorClasses[index].prototype.message;
}

// A script that could install a stack formatter would be handed the functions that are on the stack,
// dispatch among them. Reading gives undefined and setting does nothing, as if there were none.
defineProperty(Error, "prepareStackTrace", {
  __proto__: null,
  configurable: false,
  enumerable: false,
  get() {
    return undefined;
  },
  set(value) {},
});

/** A property that is there for good. */
function fix(target, name, value, enumerable) {
  defineProperty(target, name, {
    __proto__: null,
    value,
    writable: false,
    configurable: false,
    enumerable: enumerable === true,
  });
}

// Objects of these classes inherit nothing, so that setting a property runs nobody's setter and reading
// one finds nobody's getter. Classes, because an object literal with a null prototype costs a shape each.
class Bare {}
class List {
  constructor() {
    this.length = 0;
  }
}
setPrototypeOf(Bare.prototype, null);
setPrototypeOf(List.prototype, null);

function newList() {
  return new List();
}

function append(list, value) {
  list[list.length] = value;
  list.length += 1;
}

/** Makes "await" of this promise go by the engine alone: it reads "constructor", and finds ours. */
function pin(promise) {
  defineProperty(promise, "constructor", { __proto__: null, value: PlainPromise, configurable: true });
  return promise;
}

function typeError(message) {
  return new PlainTypeError(message);
}

function define(target, name, value, enumerable) {
  defineProperty(target, name, { __proto__: null, value, writable: true, configurable: true, enumerable });
}
`;
