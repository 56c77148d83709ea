// The insides of a worker in the test's own thread: the engine, its base image, and what makes VMs.

import { type BaseImage, bootImage } from "../../../src/vm/base-image.ts";
import { loadEngine } from "../../../src/vm/engine.ts";
import type { VmMaker } from "../../../src/vm/guest-vm.ts";
import { macKeyOf } from "../../../src/vm/record.ts";
import { InstanceShelf } from "../../../src/vm/shelf.ts";
import { CONTROLLER } from "./controller.ts";
import { MAC_KEY } from "./guest.ts";

export async function openTestRoom(): Promise<{ maker: VmMaker; image: BaseImage }> {
  const engine = loadEngine();
  return {
    maker: { engine, macKey: macKeyOf(MAC_KEY), shelf: new InstanceShelf(engine) },
    image: await bootImage(engine, CONTROLLER),
  };
}
