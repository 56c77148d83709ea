// Saved workflows as files: what a folder holds is listed, what cannot run is listed with the reason, and
// nothing outside the folder is ever read.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findWorkflows, projectFolders, type WorkflowFolder, workflowNamed } from "../../src/config/workflows.ts";
import { SCRIPT_BYTES_MAX } from "../../src/contract/limits.ts";
import { tempDir } from "../support/temp.ts";

const meta = (name: string) =>
  `export const meta = { name: '${name}', description: 'does ${name}', whenToUse: 'often' }\n`;

function folderOf(files: { [name: string]: string | Uint8Array }): WorkflowFolder {
  const path = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, shown: "flows", from: "configured" };
}

test("D-008 the workflows of a folder are listed with what they say, and those that do not parse with the reason", async () => {
  const folder = folderOf({
    "b.js": `${meta("beta")}return 1`,
    "a.ts": `${meta("alpha")}return 1 as number`,
    "plain.js": "return 1",
    "broken.js": "export const meta = {\n name: NAME }",
    "bytes.js": new Uint8Array([0xff, 0xfe, 0x41]),
    "empty.mjs": " ",
    "big.js": meta("big") + " ".repeat(SCRIPT_BYTES_MAX),
    "notes.md": "no script",
  });
  const found = await findWorkflows([folder]);
  expect(found.flatMap(({ saved }) => (saved ? [[saved.name, saved.path, saved.language]] : []))).toEqual([
    ["alpha", "flows/a.ts", "ts"],
    ["beta", "flows/b.js", "js"],
  ]);
  expect(found.map(({ listing }) => [listing.path, listing.description ?? listing.problem])).toEqual([
    ["flows/a.ts", "does alpha"],
    ["flows/b.js", "does beta"],
    ["flows/big.js", expect.stringMatching(/^it has \d+ bytes; at most 1048576 are read$/)],
    ["flows/broken.js", "flows/broken.js:2:8: meta must be a pure literal: NAME is no literal"],
    ["flows/bytes.js", "it is not UTF-8 text"],
    ["flows/empty.mjs", "it is empty"],
    ["flows/plain.js", "it does not begin with export const meta = {…}"],
  ]);
});

test("D-008 a link that leads out of its folder is not followed; one that stays inside is", async () => {
  const outside = folderOf({ "secret.js": `${meta("secret")}return 1` });
  const folder = folderOf({ "real.js": `${meta("real")}return 1` });
  symlinkSync(join(outside.path, "secret.js"), join(folder.path, "out.js"));
  symlinkSync("real.js", join(folder.path, "same.js"));
  symlinkSync("nowhere.js", join(folder.path, "dead.js"));
  mkdirSync(join(folder.path, "folder.js"));
  const found = await findWorkflows([folder]);
  expect(found.map(({ listing }) => [listing.path, listing.problem])).toEqual([
    ["flows/dead.js", "it cannot be read (ENOENT)"],
    ["flows/folder.js", "it is no file"],
    ["flows/out.js", "it is a link that leads out of its folder"],
    ["flows/real.js", undefined],
    ["flows/same.js", "a workflow of this name stands in a folder that goes before"],
  ]);
});

test("D-008 the project goes before the person: of two with one name the first is run, and folders that are not there hold none", async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, ".claude/workflows"), { recursive: true });
  writeFileSync(join(cwd, ".claude/workflows/audit.js"), `${meta("audit")}return 'project'`);
  const personal = folderOf({
    "audit.js": `${meta("audit")}return 'person'`,
    "other.js": `${meta("named-otherwise")}return 2`,
  });
  const found = await findWorkflows([...projectFolders(cwd), personal, personal]);
  expect(found).toHaveLength(3);
  expect(workflowNamed(found, "audit")?.script).toContain("'project'");
  expect(workflowNamed(found, "named-otherwise")?.path).toBe("flows/other.js");
  expect(workflowNamed(found, "other")?.path).toBe("flows/other.js");
  expect(workflowNamed(found, "../audit")).toBeUndefined();
  rmSync(join(cwd, ".claude"), { recursive: true });
  expect(await findWorkflows(projectFolders(cwd))).toEqual([]);
});
