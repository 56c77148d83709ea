// A temporary folder with files in it, gone after the test.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";

const made: string[] = [];
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** Call it at the top of a test file's test; the folder is removed after that test. */
export function folderWith(files: { [path: string]: string | Uint8Array } = {}): string {
  const root = mkdtempSync(join(tmpdir(), "quickswarm-cli-"));
  made.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}
