// Compiles src to dist. Made so that several processes may build at once and a running program never
// reads half a file: the compiler writes beside dist, and only files that differ are moved over. A
// build whose sources have not changed since the last one ends at once.
//
//   node scripts/build.mjs                  fails on type errors
//   node scripts/build.mjs --despite-types  emits and only shows them (tests; `npm run types` fails on them)
//   node scripts/build.mjs --if-possible    does nothing when the compiler or the types of Node.js are not
//                                           installed (`npm ci --omit=dev`)

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");
const cache = join(root, "node_modules", ".cache", "quickswarm");
const stampFile = join(cache, "build-stamp");
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const despiteTypes = process.argv.includes("--despite-types");

if (!existsSync(compiler) || !existsSync(join(root, "node_modules", "@types", "node"))) {
  if (process.argv.includes("--if-possible")) process.exit(0);
  console.error("build: the compiler is not installed; run `npm ci` first");
  process.exit(1);
}
mkdirSync(cache, { recursive: true });
process.exitCode = await withLock(join(cache, "build-lock"), build);

/** Returns the exit code. */
function build() {
  const stamp = stampOf([join(root, "src"), join(root, "tsconfig.json"), join(root, "tsconfig.build.json")]);
  const known = existsSync(stampFile) && existsSync(dist) ? readFileSync(stampFile, "utf8") : "";
  if (known === `clean ${stamp}` || (despiteTypes && known === `typed-wrong ${stamp}`)) return 0;
  const made = join(cache, `dist-${process.pid}`);
  try {
    const args = [compiler, "-p", "tsconfig.build.json", "--outDir", made];
    const compiled = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
    if (compiled.error) throw compiled.error;
    if (!existsSync(made) || (compiled.status !== 0 && !despiteTypes)) return 1;
    moveOver(made, dist);
    makeExecutable(join(dist, "cli", "main.js"));
    writeFileSync(stampFile, `${compiled.status === 0 ? "clean" : "typed-wrong"} ${stamp}`);
    return 0;
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Names, sizes and times of all sources, as one hash. */
function stampOf(places) {
  const hash = createHash("sha256");
  for (const file of places.flatMap((place) => filesUnder(place))) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Makes `to` hold exactly the files of `from`; a file that is the same already is not touched. */
function moveOver(from, to) {
  const wanted = new Set(filesUnder(from).map((file) => relative(from, file)));
  for (const file of wanted) {
    const target = join(to, file);
    if (existsSync(target) && readFileSync(join(from, file)).equals(readFileSync(target))) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(from, file), target);
  }
  for (const file of existsSync(to) ? filesUnder(to) : []) {
    if (!wanted.has(relative(to, file))) rmSync(file);
  }
}

function makeExecutable(file) {
  if (existsSync(file)) chmodSync(file, 0o755);
}

function filesUnder(place) {
  if (!statSync(place).isDirectory()) return [place];
  return readdirSync(place)
    .sort()
    .flatMap((name) => filesUnder(join(place, name)));
}
