// What a thrown value says of itself, read from the engine's own records in the linear memory: no
// getter, proxy or toString of the guest can run, because no code of the guest is entered.

import {
  ATOM,
  CLASS_SHIFT,
  OBJECT,
  PROMISE_RESULT_OFFSET,
  PROPERTY_KIND,
  PROXY_CLASS,
  SHAPE,
  VALUE_TAG,
} from "./engine-pin.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { Instance } from "./instance.ts";

/** Longest text taken from a thrown value, characters. */
const TEXT_CHARS_MAX = 8_000;
/** Most prototypes that are looked through for a name. */
const PROTOTYPES_MAX = 64;

export interface ThrownText {
  name: string;
  message: string;
  stack: string;
}

/** @param address of the JSValue */
export function describeThrown(instance: Instance, address: number): ThrownText {
  const tag = instance.memory.word(address + 4) | 0;
  if (tag === VALUE_TAG.symbol) return { name: "Thrown", message: "a symbol", stack: "" };
  if (tag !== VALUE_TAG.object) {
    return {
      name: "Thrown",
      message: cut(instance.primitiveText(address) ?? "a value that does not fit in memory"),
      stack: "",
    };
  }
  const object = instance.memory.word(address);
  const read = (atom: number, builtIn: string) => textProperty(instance, object, atom, builtIn);
  return {
    name: read(ATOM.name, "Error") ?? "Thrown",
    message: read(ATOM.message, "") ?? "an object without a message",
    stack: read(ATOM.stack, "") ?? "",
  };
}

/** The reason of a rejected promise. @param promise address of the promise object */
export function describeReason(instance: Instance, promise: number): ThrownText {
  return describeThrown(instance, instance.memory.word(promise + OBJECT.promiseData) + PROMISE_RESULT_OFFSET);
}

/**
 * The value of a plain text property of an object or its prototypes.
 * @param builtIn its value on Error.prototype, where the engine makes it only when it is first asked for
 */
function textProperty(instance: Instance, object: number, atom: number, builtIn: string): string | undefined {
  const { memory } = instance;
  let holder = object;
  for (let depth = 0; holder !== 0 && depth < PROTOTYPES_MAX; depth++) {
    if (memory.word(holder + OBJECT.flagsAndClass) >>> CLASS_SHIFT === PROXY_CLASS) return undefined;
    const shape = memory.word(holder + OBJECT.shape);
    const slot = plainSlot(memory, shape, atom);
    if (slot === "unmade") return builtIn;
    if (slot === "accessor") return undefined;
    if (slot !== undefined) {
      const address = memory.word(holder + OBJECT.properties) + SHAPE.propertyBytes * slot;
      const tag = memory.word(address + 4) | 0;
      if (tag === VALUE_TAG.object || tag === VALUE_TAG.symbol) return undefined;
      const text = instance.primitiveText(address);
      return text === undefined ? undefined : cut(text);
    }
    holder = memory.word(shape + SHAPE.prototype);
  }
  return undefined;
}

/** The index of a property that holds a value; undefined when there is no such property. */
function plainSlot(memory: GuestMemory, shape: number, atom: number): number | "unmade" | "accessor" | undefined {
  const count = memory.word(shape + SHAPE.propertyCount);
  for (let index = 0; index < count; index++) {
    const at = shape + SHAPE.firstProperty + SHAPE.propertyBytes * index;
    if (memory.word(at + 4) !== atom) continue;
    const kind = (memory.word(at) & PROPERTY_KIND.mask) >>> 0;
    if (kind === PROPERTY_KIND.value) return index;
    return kind === PROPERTY_KIND.unmade ? "unmade" : "accessor";
  }
  return undefined;
}

function cut(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX)}…`;
}
