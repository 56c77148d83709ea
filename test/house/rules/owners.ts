// Each part of the outside has one owner in src: packages, Node modules and globals are used by the
// folder that owns them and by no other. Text inside strings (a guest's script) does not count.

import { importsOf } from "../../../scripts/source/imports.ts";
import { codeOf, type SourceFile, stringValue, type Token } from "../../../scripts/source/tokens.ts";
import { isSource, isUnder, type Violation } from "./violation.ts";

interface PackageOwner {
  readonly packages: RegExp;
  readonly owners: readonly string[];
}

const CLOCK = "src/contract/clock.ts";

const PACKAGE_OWNERS: readonly PackageOwner[] = [
  { packages: /^(better-sqlite3|(node:)?sqlite)$/, owners: ["src/registry/"] },
  { packages: /^(@jitl\/|quickjs-emscripten)/, owners: ["src/vm/"] },
  {
    packages: /^(ai|@ai-sdk\/.*|@openrouter\/.*|ollama-ai-provider-v2|openai|@anthropic-ai\/.*|@google\/.*)$/,
    owners: ["src/models/"],
  },
  { packages: /^(node:)?(http|https|http2|net|tls|dgram)$/, owners: ["src/gateway/", "src/models/"] },
  { packages: /^(hono|@hono)(\/|$)/, owners: ["src/gateway/", "src/models/"] },
  { packages: /^@modelcontextprotocol\/server(\/|$)/, owners: ["src/gateway/mcp/"] },
  { packages: /^(undici|ws)$/, owners: ["src/gateway/", "src/models/"] },
  // Servers of tools, over HTTP or as programs of their own.
  { packages: /^@modelcontextprotocol\/client(\/|$)/, owners: ["src/tools/"] },
  // The validator of untrusted schemas runs in a thread that can be ended.
  { packages: /^(node:)?worker_threads$/, owners: ["src/vm/", "src/models/schema/"] },
  // Its interface is marked unstable, and the package is optional.
  { packages: /^typescript(\/|$)/, owners: ["src/cli/check/typescript.ts"] },
  { packages: /^(node:)?timers(\/promises)?$/, owners: [CLOCK] },
  { packages: /^(node:)?process$/, owners: ["src/config/"] },
];

/** What the ground floor may use at all: schemas, and hashes and random bytes. */
const GROUND_PACKAGES = /^(zod|node:crypto)$/;

interface GlobalOwner {
  /** Tokens, separated by blanks. */
  readonly use: string;
  readonly owners: readonly string[];
}

const GLOBAL_OWNERS: readonly GlobalOwner[] = [
  ...["process . env", 'process [ "env" ]', "} = process ;"].map((use) => ({ use, owners: ["src/config/"] })),
  ...["Date . now", "new Date ( )", "performance . now", "process . hrtime", "Math . random"].map(clockUse),
  ...["setTimeout", "setInterval", "randomBytes", "randomUUID", "randomInt", "randomFillSync"].map(clockUse),
  ...["getRandomValues"].map(clockUse),
  ...["fetch (", "new WebSocket", "new EventSource"].map((use) => ({ use, owners: ["src/gateway/", "src/models/"] })),
];

function clockUse(use: string): GlobalOwner {
  return { use, owners: [CLOCK] };
}

export function ownerViolations(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => isSource(file) && isUnder(file, "src/"))
    .flatMap((file) => [...packageViolations(file), ...globalViolations(file)]);
}

const BARE_ERRORS = new Set(["Error", "TypeError", "RangeError", "SyntaxError", "AggregateError"]);

/** What a person can meet is a Fault, with a code, a status and what to do next. */
export function errorViolations(files: readonly SourceFile[]): Violation[] {
  return files
    .filter((file) => isSource(file) && isUnder(file, "src/"))
    .flatMap((file) => {
      const tokens = codeOf(file);
      return tokens.flatMap((token, index) => {
        const bare = BARE_ERRORS.has(token.text) && tokens[index - 1]?.text === "new";
        return bare ? [{ path: file.path, line: token.line, message: `makes a bare ${token.text}: use fault(…)` }] : [];
      });
    });
}

function packageViolations(file: SourceFile): Violation[] {
  return packagesNamed(file).flatMap(({ specifier, line }) => {
    const refuse = (message: string): Violation[] => [{ path: file.path, line, message }];
    const row = PACKAGE_OWNERS.find(({ packages }) => packages.test(specifier));
    if (row && !isUnder(file, ...row.owners)) return refuse(`imports ${specifier}: only in ${row.owners.join(", ")}`);
    if (isUnder(file, "src/contract/") && !specifier.startsWith(".") && !GROUND_PACKAGES.test(specifier)) {
      return refuse(`imports ${specifier}: the contract does no I/O`);
    }
    return [];
  });
}

/** Imports, and packages that are found by name at run time, as the engine's file is. */
function packagesNamed(file: SourceFile): { specifier: string; line: number }[] {
  const names = codeOf(file).flatMap((token) => {
    const specifier = stringValue(token) ?? "";
    return /^(@jitl\/|better-sqlite3)/.test(specifier) ? [{ specifier, line: token.line }] : [];
  });
  const imported = importsOf(file).filter(({ specifier }) => !names.some((name) => name.specifier === specifier));
  return [...imported, ...names];
}

function globalViolations(file: SourceFile): Violation[] {
  const tokens = codeOf(file);
  return GLOBAL_OWNERS.filter(({ owners }) => !isUnder(file, ...owners)).flatMap(({ use, owners }) => {
    const wanted = use.split(" ");
    return tokens.flatMap((token, index) => {
      if (token.text !== wanted[0] || isMember(tokens, index, wanted)) return [];
      if (!wanted.every((text, offset) => tokens[index + offset]?.text === text)) return [];
      return [{ path: file.path, line: token.line, message: `uses "${use}": only in ${owners.join(", ")}` }];
    });
  });
}

/** A member of some object is its own matter (`app.fetch(`); a member of the global object is the global. */
function isMember(tokens: readonly Token[], index: number, wanted: readonly string[]): boolean {
  const before = tokens[index - 1]?.text;
  if (before === "function") return true;
  if (before !== "." && before !== "?.") return false;
  const random = /random/i.test(wanted[0] ?? "");
  return !random && !["globalThis", "global"].includes(tokens[index - 2]?.text ?? "");
}
