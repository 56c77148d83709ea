// Compiles src to dist once before the tests: worker threads and the CLI run as plain JavaScript.
// Type errors do not stop it (the compiler still emits); `npm run types` is what fails on them.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function setup(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const done = spawnSync(process.execPath, ["scripts/build.mjs", "--despite-types"], { cwd: root, stdio: "inherit" });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error("src could not be compiled to dist");
}
