// The only place that loads the WASM engine: the variant's emscripten factory, its FFI class and its
// binary, checked against the pinned hash. The compiled module is made once and shared with the workers.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fault } from "../contract/fault.ts";
import { ENGINE_PACKAGE, ENGINE_SHA256, MIN_WASM_PAGES, TABLE_EXPORT } from "./engine-pin.ts";
import { patchEngine } from "./wasm-patch.ts";
import { type WasmImports, type WasmInstance, type WasmMemory, type WasmModule, wasm } from "./wasm-types.ts";

/** The variant's C functions that are used here. Pointers are numbers; JSValue arguments are pointers to them. */
export interface EngineCalls {
  QTS_NewRuntime(): number;
  QTS_RuntimeSetMaxStackSize(runtime: number, byteCount: number): void;
  QTS_RuntimeEnableInterruptHandler(runtime: number): void;
  QTS_NewContext(runtime: number, intrinsics: number): number;
  QTS_NewFunction(context: number, name: string, argCount: number, isConstructor: boolean, hostRef: number): number;
  QTS_NewFloat64(context: number, value: number): number;
  QTS_NewString(context: number, text: number): number;
  QTS_GetFloat64(context: number, value: number): number;
  QTS_GetString(context: number, value: number): number;
  QTS_GetUndefined(): number;
  QTS_FreeCString(context: number, text: number): void;
  QTS_FreeValuePointer(context: number, value: number): void;
  QTS_FreeValuePointerRuntime(runtime: number, value: number): void;
  QTS_ArgvGetJSValueConstPointer(argv: number, index: number): number;
  QTS_Call(context: number, callee: number, self: number, argCount: number, argv: number): number;
  QTS_Eval(context: number, code: number, length: number, file: string, detectModule: number, flags: number): number;
  QTS_ResolveException(context: number, value: number): number;
  QTS_ExecutePendingJob(runtime: number, jobsMax: number, contextOut: number): number;
  QTS_IsJobPending(runtime: number): number;
  QTS_Typeof(context: number, value: number): number;
  QTS_Dump(context: number, value: number): number;
}

/** The emscripten module object, as far as it is used. */
export interface EngineModule {
  callbacks: {
    callFunction(asyncify: undefined, context: number, self: number, argc: number, argv: number, ref: number): number;
    shouldInterrupt(asyncify: undefined, runtime: number): number;
    freeHostRef(asyncify: undefined, runtime: number, ref: number): void;
    loadModuleSource(): number;
    normalizeModule(): number;
  };
  _malloc(byteCount: number): number;
  _free(address: number): void;
}

interface FactoryOptions {
  wasmMemory: WasmMemory;
  thisProgram: string;
  print(): void;
  printErr(): void;
  instantiateWasm(imports: WasmImports, done: (instance: WasmInstance, module: WasmModule) => void): unknown;
}

export interface Engine {
  /** SHA-256 of the binary as published, lower-case hexadecimal. */
  readonly hash: string;
  readonly module: WasmModule;
  readonly factory: (options: FactoryOptions) => Promise<EngineModule>;
  readonly Calls: new (module: EngineModule) => EngineCalls;
}

const requireHere = createRequire(import.meta.url);

/** Loads and compiles the engine that is installed. @throws Fault as `engineFromBinary` */
export function loadEngine(): Engine {
  return engineFromBinary(readFileSync(requireHere.resolve(`${ENGINE_PACKAGE}/wasm`)));
}

/** @throws Fault `internal` when the binary is not the one this release was made for */
export function engineFromBinary(binary: Uint8Array): Engine {
  const hash = createHash("sha256").update(binary).digest("hex");
  if (hash !== ENGINE_SHA256) {
    throw fault("internal", `The installed engine is not the expected build: SHA-256 ${hash}, not ${ENGINE_SHA256}.`, {
      next: `Reinstall the package ${ENGINE_PACKAGE} in the version that package.json names.`,
    });
  }
  return engineFromModule(new wasm.Module(patchEngine(binary, MIN_WASM_PAGES, TABLE_EXPORT)));
}

/** The engine around a module that another thread compiled. */
export function engineFromModule(module: WasmModule): Engine {
  return { hash: ENGINE_SHA256, module, ...loadGlue() };
}

let glue: Pick<Engine, "factory" | "Calls"> | undefined;

/** The variant's JavaScript. A worker loads it while it waits for the module. */
export function loadGlue(): Pick<Engine, "factory" | "Calls"> {
  if (glue) return glue;
  const factory = requireHere(`${ENGINE_PACKAGE}/emscripten-module`) as Engine["factory"];
  const { QuickJSFFI } = requireHere(`${ENGINE_PACKAGE}/ffi`) as { QuickJSFFI: Engine["Calls"] };
  glue = { factory, Calls: QuickJSFFI };
  return glue;
}
