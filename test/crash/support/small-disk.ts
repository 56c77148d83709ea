// A disk of a few megabytes that a test can fill: a tmpfs, which only root may mount.

import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempDir } from "../../support/temp.ts";

const CHUNK_BYTES = 4_096;

export interface SmallDisk {
  readonly path: string;
  /** Takes all the space that is left. */
  fill(): void;
  free(): void;
}

/** Why none can be made here, or undefined. */
export function whyNoSmallDisk(): string | undefined {
  if (process.getuid?.() !== 0) return "only root may mount a file system";
  const probe = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]);
  return probe.status === 0 ? undefined : `no file system can be mounted: ${probe.error?.message ?? probe.stderr}`;
}

/** Unmounted at the end of the test; what runs on it must have ended by then. */
export function mountSmallDisk(mebibytes: number): SmallDisk {
  const path = tempDir();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path]);
  if (mounted.status !== 0) throw new Error(`mount: ${mounted.stderr}`);
  onTestFinished(() => void spawnSync("umount", [path]));
  const ballast = join(path, "ballast");
  return {
    path,
    fill() {
      const file = openSync(ballast, "a");
      try {
        for (;;) writeSync(file, Buffer.alloc(CHUNK_BYTES));
      } catch (error) {
        if ((error as { code?: string }).code !== "ENOSPC") throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast),
  };
}
