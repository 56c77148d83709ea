import { expect, test } from "vitest";
import { readScript } from "../../src/cli/input/script.ts";
import { SCRIPT_BYTES_MAX } from "../../src/contract/limits.ts";
import { fakeIo } from "./support/fake-io.ts";
import { folderWith } from "./support/folder.ts";

test("G-012 the language follows the file's extension", async () => {
  const cwd = folderWith({ "a.js": "1", "a.mjs": "1", "a.ts": "1", "a.mts": "1", "a.MTS": "1", a: "1" });
  const languages: { [name: string]: string } = {};
  for (const name of ["a.js", "a.mjs", "a.ts", "a.mts", "a.MTS", "a"]) {
    languages[name] = (await readScript(name, false, fakeIo(), cwd)).language;
  }
  expect(languages).toEqual({ "a.js": "js", "a.mjs": "js", "a.ts": "ts", "a.mts": "ts", "a.MTS": "ts", a: "js" });
});

test("G-012 standard input is JavaScript, or TypeScript with --ts", async () => {
  expect(await readScript("-", false, fakeIo("return 1"), ".")).toEqual({
    script: "return 1",
    language: "js",
    fileName: "stdin.js",
  });
  expect(await readScript("-", true, fakeIo("return 1"), ".")).toMatchObject({ language: "ts", fileName: "stdin.ts" });
});

test("I-005 a missing script suggests the file that was probably meant", async () => {
  const cwd = folderWith({ "review.js": "return 1" });
  await expect(readScript("reveiw.js", false, fakeIo(), cwd)).rejects.toMatchObject({
    code: "file_unreadable",
    message: 'the script reveiw.js does not exist; did you mean "review.js"?',
    place: { file: "reveiw.js" },
  });
});

test("I-005 a folder, an empty file and a file that is no text are refused by name", async () => {
  const cwd = folderWith({ "empty.js": " \n", "data.js": new Uint8Array([0xff]) });
  await expect(readScript(".", false, fakeIo(), cwd)).rejects.toMatchObject({ code: "file_unreadable" });
  await expect(readScript("empty.js", false, fakeIo(), cwd)).rejects.toMatchObject({ code: "bad_request" });
  await expect(readScript("data.js", false, fakeIo(), cwd)).rejects.toMatchObject({ code: "file_unreadable" });
});

test("I-005 a script that is too large is refused with the numbers, from a file and from standard input", async () => {
  const text = "x".repeat(SCRIPT_BYTES_MAX + 1);
  const cwd = folderWith({ "big.js": text, "fits.js": text.slice(1) });
  await expect(readScript("big.js", false, fakeIo(), cwd)).rejects.toMatchObject({ code: "script_too_large" });
  await expect(readScript("-", false, fakeIo(text), cwd)).rejects.toMatchObject({ code: "script_too_large" });
  expect((await readScript("fits.js", false, fakeIo(), cwd)).script).toHaveLength(SCRIPT_BYTES_MAX);
});

test("G-012 the file's name as it was typed is kept for errors, cut at its front when it is very long", async () => {
  const cwd = folderWith({ "a/b.js": "1" });
  expect((await readScript("a/b.js", false, fakeIo(), cwd)).fileName).toBe("a/b.js");
  expect((await readScript(`${"./".repeat(200)}a/b.js`, false, fakeIo(), cwd)).fileName.length).toBeLessThanOrEqual(
    300,
  );
});
