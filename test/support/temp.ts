// Temporary folders that are removed when the test that asked for them ends.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder of its own, removed at the end of the test. */
export function tempDir(): string {
  const path = mkdtempSync(join(tmpdir(), "quickswarm-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
