// One engine instance around one linear memory, and the few calls that drive it (law L5: pointers stay
// in this floor). After a trap it is condemned: nothing is read from it any more, it is only dropped.
// A VM is never disposed of by the engine's own means; its memory is garbage for V8.

import { fault } from "../contract/fault.ts";
import { utf8ByteCount } from "../contract/json.ts";
import type { Engine, EngineCalls, EngineModule } from "./engine.ts";
import { asGuestFault, nonZero } from "./engine-fault.ts";
import { EXPORT, PARSER_TOKEN_AT, REJECTION_TRACKER_OFFSET, STACK, TABLE_EXPORT, VALUE_TAG } from "./engine-pin.ts";
import { GuestMemory } from "./guest-memory.ts";
import { type OutsideWorld, wrapImports } from "./host-imports.ts";
import { type InstanceUser, quietUser } from "./instance-user.ts";
import { rejectionHook, setRejectionTarget } from "./rejection-hook.ts";
import { type WasmInstance, type WasmTable, wasm } from "./wasm-types.ts";

/** The guest's own stack; deeper recursion is a RangeError inside the guest. */
export const GUEST_STACK_BYTES = 256 * 1024;
/** The one host function's number, the same in every VM, so that a snapshot's reference stays good. */
const BRIDGE_REF = 1;
/** The lowest words of the C stack: whoever overwrites them was about to overwrite the statics. */
const STACK_CANARY_WORDS = 64;
const EVAL_COMPILE_ONLY = 32;
const VALUE_BYTES = 8;
/** At most 15 characters: the length decides where the parser's state lies in the C stack. */
const EVALUATED_FILE = "script";

/** With call sites a script could take hold of the controller's functions, `dispatch` among them. */
const LOCKDOWN = `Object.defineProperty(Error, "prepareStackTrace", { __proto__: null, get() {}, set(_value) {} })`;

/** Addresses that, with the memory, are a VM's whole state. */
export interface GuestPointers {
  runtime: number;
  context: number;
  /** Holds the controller's `dispatch` function. */
  dispatch: number;
}

/** A value that guest code threw, as the address of a JSValue; free it with `release`. */
export type Thrown = { readonly thrown: number };

/** With the place of the token at which parsing stopped, bytes of UTF-8 from the start of the code. */
export type ParseThrown = Thrown & { readonly tokenAt: number };

export class Instance {
  readonly memory: GuestMemory;
  pointers: GuestPointers = { runtime: 0, context: 0, dispatch: 0 };
  /** Set when the engine trapped or its stack is not at rest; the VM must be dropped. */
  condemned = false;
  #depth = 0;
  #user: InstanceUser;
  #hostFault: unknown;
  #tokenAt = 0;
  readonly #calls: EngineCalls;
  readonly #module: EngineModule;
  readonly #stackPointer: () => number;
  readonly #hookSlot: number;

  private constructor(memory: GuestMemory, engine: Engine, module: EngineModule, wasmInstance: WasmInstance) {
    this.memory = memory;
    this.#module = module;
    this.#calls = new engine.Calls(module);
    this.#user = IDLE_USER;
    this.#stackPointer = wasmInstance.exports[EXPORT.stackPointer] as () => number;
    const table = wasmInstance.exports[TABLE_EXPORT] as WasmTable;
    this.#hookSlot = table.grow(1);
    table.set(this.#hookSlot, rejectionHook());
    module.callbacks = {
      callFunction: (_asyncify, context, _self, argc, argv) => this.#fromGuest(context, argc, argv),
      shouldInterrupt: () => (this.#user.shouldStop() ? 1 : 0),
      freeHostRef: () => {},
      loadModuleSource: () => 0,
      normalizeModule: () => 0,
    };
  }

  /** An instance whose memory is empty but for the engine's statics; fill it, then set `pointers`. */
  static async open(engine: Engine, pages: number, maxPages: number): Promise<Instance> {
    const memory = new GuestMemory(pages, maxPages);
    let wasmInstance: WasmInstance | undefined;
    let user: () => OutsideWorld = () => IDLE_USER;
    const module = await engine.factory({
      wasmMemory: memory.wasmMemory,
      thisProgram: "vm",
      print: () => {},
      printErr: () => {},
      instantiateWasm(imports, done) {
        wrapImports(imports, memory, () => user());
        wasmInstance = new wasm.Instance(engine.module, imports);
        done(wasmInstance, engine.module);
        return wasmInstance.exports;
      },
    });
    if (!wasmInstance) throw fault("internal", "The engine's factory did not instantiate its module.");
    const instance = new Instance(memory, engine, module, wasmInstance);
    user = () => instance.#user;
    return instance;
  }

  /** Makes the runtime, the context and the controller in an empty memory. */
  boot(controller: string, user: InstanceUser): void {
    this.#enter(user, () => {
      const calls = this.#calls;
      const runtime = nonZero(calls.QTS_NewRuntime());
      calls.QTS_RuntimeSetMaxStackSize(runtime, GUEST_STACK_BYTES);
      calls.QTS_RuntimeEnableInterruptHandler(runtime);
      this.memory.setWord(runtime + REJECTION_TRACKER_OFFSET, this.#hookSlot);
      const context = nonZero(calls.QTS_NewContext(runtime, 0));
      this.pointers = { runtime, context, dispatch: 0 };
      const bridge = nonZero(calls.QTS_NewFunction(context, "bridge", 4, false, BRIDGE_REF));
      calls.QTS_FreeValuePointer(context, this.#value(this.#eval(LOCKDOWN, "lockdown.js", 0)));
      const factory = this.#value(this.#eval(controller, "controller.js", 0));
      this.pointers.dispatch = this.#value(this.#call(factory, [bridge]));
      calls.QTS_FreeValuePointer(context, bridge);
      calls.QTS_FreeValuePointer(context, factory);
    });
  }

  /** Calls the controller's `dispatch(op, id, a, b)`. Null, or what it threw. */
  dispatch(user: InstanceUser, op: number, id: number, a: string, b: string): Thrown | null {
    return this.#enter(user, () => {
      const { context, dispatch } = this.pointers;
      const calls = this.#calls;
      const args = [
        nonZero(calls.QTS_NewFloat64(context, op)),
        nonZero(calls.QTS_NewFloat64(context, id)),
        this.#newString(a),
        this.#newString(b),
      ];
      const result = this.#call(dispatch, args);
      for (const arg of args) calls.QTS_FreeValuePointer(context, arg);
      if (typeof result !== "number") return result;
      calls.QTS_FreeValuePointer(context, result);
      return null;
    });
  }

  /** Runs at most `jobsMax` promise jobs. True when jobs may be left; or what a job threw. */
  drain(user: InstanceUser, jobsMax: number): boolean | Thrown {
    return this.#enter(user, () => {
      const calls = this.#calls;
      const { runtime } = this.pointers;
      const contextOut = nonZero(this.#module._malloc(4));
      const result = nonZero(calls.QTS_ExecutePendingJob(runtime, jobsMax, contextOut));
      this.#module._free(contextOut);
      if (this.#isNumber(result)) {
        calls.QTS_FreeValuePointerRuntime(runtime, result);
        return calls.QTS_IsJobPending(runtime) !== 0;
      }
      return { thrown: result };
    });
  }

  /** Evaluates `code` as a script, or only parses it. Null, or what was thrown. */
  evaluate(user: InstanceUser, code: string, mode: "run" | "parse"): ParseThrown | null {
    return this.#enter(user, () => {
      const result = this.#eval(code, EVALUATED_FILE, mode === "run" ? 0 : EVAL_COMPILE_ONLY);
      if (typeof result !== "number") return { ...result, tokenAt: this.#tokenAt };
      this.#calls.QTS_FreeValuePointer(this.pointers.context, result);
      return null;
    });
  }

  /** The engine's own JSON of a value. May run guest code: only for VMs that never ran any. */
  dumpUnguarded(value: Thrown): string {
    const text = this.#calls.QTS_Dump(this.pointers.context, value.thrown);
    if (text === 0) return "null";
    const json = this.memory.text(text);
    this.#calls.QTS_FreeCString(this.pointers.context, text);
    return json;
  }

  /** The text of a primitive other than a symbol; runs no guest code. Undefined when memory is out. */
  primitiveText(address: number): string | undefined {
    const text = this.#calls.QTS_GetString(this.pointers.context, address);
    if (text === 0) return undefined;
    const result = this.memory.text(text);
    this.#calls.QTS_FreeCString(this.pointers.context, text);
    return result;
  }

  /** Lets go of one reference to an object. */
  releaseObject(object: number): void {
    const value = nonZero(this.#module._malloc(VALUE_BYTES));
    this.memory.setWord(value, object);
    this.memory.setWord(value + 4, VALUE_TAG.object);
    this.#calls.QTS_FreeValuePointer(this.pointers.context, value);
  }

  release(value: Thrown): void {
    this.#calls.QTS_FreeValuePointer(this.pointers.context, value.thrown);
  }

  /** True when no guest frame is on the stack and it never came near its end: the moment for a snapshot. */
  atRest(): boolean {
    if (this.condemned || this.#depth !== 0 || this.#stackPointer() !== STACK.top) return false;
    const words = this.memory.words;
    const first = Math.ceil(STACK.low / 4);
    for (let i = first; i < first + STACK_CANARY_WORDS; i++) if (words[i] !== 0) return false;
    return true;
  }

  #enter<T>(user: InstanceUser, run: () => T): T {
    if (this.condemned) throw fault("internal", "A condemned VM was entered.");
    const outer = this.#user;
    this.#user = user;
    setRejectionTarget(user);
    this.#depth++;
    try {
      const result = run();
      if (this.#hostFault !== undefined) throw this.#hostFault;
      return result;
    } catch (error) {
      this.condemned = true;
      throw asGuestFault(error);
    } finally {
      this.#depth--;
      this.#user = outer;
      setRejectionTarget(null);
    }
  }

  /** The bridge function. Nothing may be thrown through the engine's frames: a fault is kept aside (L6). */
  #fromGuest(context: number, argc: number, argv: number): number {
    try {
      if (argc < 4) return 0;
      const calls = this.#calls;
      const at = (index: number) => calls.QTS_ArgvGetJSValueConstPointer(argv, index);
      const op = calls.QTS_GetFloat64(context, at(0));
      const id = calls.QTS_GetFloat64(context, at(1));
      this.#user.receive(op, id, this.primitiveText(at(2)) ?? "", this.primitiveText(at(3)) ?? "");
    } catch (error) {
      this.#hostFault ??= error;
    }
    return 0;
  }

  #eval(code: string, fileName: string, flags: number): number | Thrown {
    const byteCount = utf8ByteCount(code);
    const text = this.#newText(code, byteCount);
    const result = this.#calls.QTS_Eval(this.pointers.context, text, byteCount, fileName, 0, flags);
    this.#tokenAt = this.memory.word(PARSER_TOKEN_AT) - text;
    this.#module._free(text);
    return this.#resolve(result);
  }

  #call(callee: number, args: number[]): number | Thrown {
    const argv = nonZero(this.#module._malloc(4 * args.length));
    args.forEach((arg, index) => {
      this.memory.setWord(argv + 4 * index, arg);
    });
    const { context } = this.pointers;
    const result = this.#calls.QTS_Call(context, callee, this.#calls.QTS_GetUndefined(), args.length, argv);
    this.#module._free(argv);
    return this.#resolve(result);
  }

  #resolve(result: number): number | Thrown {
    const { context } = this.pointers;
    const thrown = this.#calls.QTS_ResolveException(context, nonZero(result));
    if (thrown === 0) return result;
    this.#calls.QTS_FreeValuePointer(context, result);
    return { thrown };
  }

  #value(result: number | Thrown): number {
    if (typeof result === "number") return result;
    throw fault("internal", `The controller's text does not boot: ${this.dumpUnguarded(result)}`);
  }

  #newString(text: string): number {
    const address = this.#newText(text, utf8ByteCount(text));
    const value = nonZero(this.#calls.QTS_NewString(this.pointers.context, address));
    this.#module._free(address);
    return value;
  }

  #newText(text: string, byteCount: number): number {
    const address = nonZero(this.#module._malloc(byteCount + 1));
    this.memory.writeText(address, text, byteCount);
    return address;
  }

  #isNumber(value: number): boolean {
    const type = nonZero(this.#calls.QTS_Typeof(this.pointers.context, value));
    const isNumber = this.memory.text(type) === "number";
    this.#module._free(type);
    return isNumber;
  }
}

const IDLE_USER = quietUser(0);
