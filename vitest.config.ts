// All tests run in processes of their own, two at a time, and none is retried. The heavy suites come
// after the others and have longer limits; a file that leaves something behind fails (test/support/leak-check.ts).

import { defineConfig } from "vitest/config";

const HEAVY = ["test/property/**/*.test.ts", "test/crash/**/*.test.ts", "test/hostile/**/*.test.ts"];
const QUICK_TEST_MS = 60_000;
const HEAVY_TEST_MS = 300_000;

export default defineConfig({
  test: {
    globalSetup: ["test/support/build-once.ts"],
    pool: "forks",
    maxWorkers: 2,
    retry: 0,
    reporters: ["default", "./test/support/closing-line.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "quick",
          include: ["test/**/*.test.ts"],
          exclude: HEAVY,
          setupFiles: ["test/support/leak-check.ts"],
          testTimeout: QUICK_TEST_MS,
          hookTimeout: QUICK_TEST_MS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "heavy",
          include: HEAVY,
          setupFiles: ["test/support/leak-check.ts"],
          testTimeout: HEAVY_TEST_MS,
          hookTimeout: HEAVY_TEST_MS,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
