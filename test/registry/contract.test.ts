// The registry's contract on the SQLite store, on real files.

import { systemClock } from "../../src/contract/clock.ts";
import { openRegistry } from "../../src/registry/open.ts";
import type { Registry } from "../../src/registry/port.ts";
import { endsWithTest, type Store } from "../suites/registry/builders.ts";
import { registrySuite } from "../suites/registry.ts";
import { tempDir } from "../support/temp.ts";

async function openStore(): Promise<Store> {
  const options = { dataDir: tempDir(), clock: systemClock };
  let registry: Registry = await openRegistry(options);
  return endsWithTest({
    get registry() {
      return registry;
    },
    async restart() {
      await registry.close();
      registry = await openRegistry(options);
      return registry;
    },
  });
}

registrySuite("SQLite", openStore);
