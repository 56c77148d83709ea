// The engine's binary, the base image, and an instance between two tenants.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { beforeAll, expect, test } from "vitest";
import type { BaseImage } from "../../src/vm/base-image.ts";
import { engineFromBinary } from "../../src/vm/engine.ts";
import { ENGINE_PACKAGE, HEAP } from "../../src/vm/engine-pin.ts";
import { GuestVm, type VmMaker } from "../../src/vm/guest-vm.ts";
import { scrubHeap } from "../../src/vm/heap.ts";
import { quietUser } from "../../src/vm/instance-user.ts";
import { patchEngine } from "../../src/vm/wasm-patch.ts";
import { wasm } from "../../src/vm/wasm-types.ts";
import { CONTROLLER } from "./support/controller.ts";
import { LIMITS } from "./support/guest.ts";
import { openTestRoom } from "./support/room.ts";

let maker: VmMaker;
let image: BaseImage;
beforeAll(async () => {
  ({ maker, image } = await openTestRoom());
});

const binary = readFileSync(createRequire(import.meta.url).resolve(`${ENGINE_PACKAGE}/wasm`));

function freshVm(runId: string): Promise<GuestVm> {
  return GuestVm.fresh(maker, image, runId, LIMITS.memoryLimitBytes);
}

test("R-007 an engine that is not the expected build is refused with both hashes", () => {
  const other = Uint8Array.from(binary);
  other[other.length - 1] = (other.at(-1) ?? 0) ^ 1;
  expect(() => engineFromBinary(other)).toThrow(/not the expected build: SHA-256 [0-9a-f]{64}, not [0-9a-f]{64}/);
});

test("the patch changes the memory's minimum and the exports, and the rest is byte for byte the same", () => {
  const patched = Buffer.from(patchEngine(binary, 84, "the table"));
  expect(() => new wasm.Module(patched)).not.toThrow();
  expect(patched.length - binary.length).toBe("the table".length + 3 - 1);
  const codeAt = binary.length - 400_000;
  expect(patched.subarray(patched.length - 400_000).equals(binary.subarray(codeAt))).toBe(true);
});

test("a binary of another form is not patched", () => {
  expect(() => patchEngine(binary.subarray(0, 500), 84, "t")).toThrow(/ends inside a section|no import or export/);
  expect(() => patchEngine(binary.subarray(0, 8), 84, "t")).toThrow(/no import or export section/);
});

test("R-003 the base image is the same bytes whatever the process's environment is", () => {
  const program = `
    import { loadEngine } from ${JSON.stringify(new URL("../../dist/vm/engine.js", import.meta.url).href)};
    import { bootImage } from ${JSON.stringify(new URL("../../dist/vm/base-image.js", import.meta.url).href)};
    console.log((await bootImage(loadEngine(), ${JSON.stringify(CONTROLLER)})).imageHash);`;
  const environments = [{}, { TZ: "Asia/Tokyo", LANG: "de_DE.UTF-8", HOME: "/elsewhere", LONG: "x".repeat(5000) }];
  const hashes = environments.map((env) =>
    execFileSync(process.execPath, ["--input-type=module", "-e", program], { env, encoding: "utf8" }).trim(),
  );
  expect(hashes).toEqual([image.imageHash, image.imageHash]);
});

test("R-006 an instance that a run has left is byte for byte a new one for the next", async () => {
  const clean = await freshVm("run_clean");
  const expected = Buffer.from(clean.instance.memory.bytes);
  const first = await freshVm("run_first");
  const code = `
    globalThis.secret = "hunter2-".repeat(20000);
    const dig = (depth) => depth === 0 ? 0 : 1 + dig(depth - 1); dig(500);
    globalThis.rows = Array.from({ length: 20000 }, (_, i) => ({ i, text: "row " + i }));
    rows = null;`;
  expect(first.instance.evaluate(quietUser(0), code, "run")).toBe(null);
  expect(first.instance.memory.bytes.includes("hunter2-")).toBe(true);
  first.leave();
  const second = await freshVm("run_second");
  expect(second.instance).toBe(first.instance);
  const { bytes } = second.instance.memory;
  expect(bytes.subarray(0, expected.length).equals(expected)).toBe(true);
  expect(bytes.subarray(expected.length).every((byte) => byte === 0)).toBe(true);
});

test("a VM that is condemned serves nobody again", async () => {
  const vm = await freshVm("run_bad");
  vm.instance.condemned = true;
  vm.leave();
  expect((await freshVm("run_next")).instance).not.toBe(vm.instance);
  expect(() => vm.instance.evaluate(quietUser(0), "1", "run")).toThrow(/condemned/);
});

test("R-003 a heap whose chunks do not add up is not snapshotted", async () => {
  const vm = await freshVm("run_heap");
  const { memory } = vm.instance;
  expect(scrubHeap(memory)).toBeGreaterThan(50_000);
  memory.setWord(HEAP.firstChunk + 4, 3);
  expect(() => scrubHeap(memory)).toThrow(/heap is corrupt/);
  expect(() => vm.snapshot(1, 0, LIMITS.maxSnapshotBytes)).toThrow(/heap is corrupt/);
});

test("R-003 no snapshot is taken inside a call of the host", async () => {
  const vm = await freshVm("run_inside");
  const user = quietUser(0);
  let inside: unknown;
  user.receive = () => {
    try {
      vm.snapshot(1, 0, LIMITS.maxSnapshotBytes);
    } catch (error) {
      inside = error;
    }
  };
  vm.instance.evaluate(user, "host.call()", "run");
  expect(inside).toMatchObject({ code: "guest_crashed", message: expect.stringContaining("not at rest") });
  expect(vm.snapshot(1, 0, LIMITS.maxSnapshotBytes).turn).toBe(1);
});
