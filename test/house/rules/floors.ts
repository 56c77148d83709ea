// Imports go down only, type imports included; folders of one floor never import each other.
// This table is the house: docs and reviews point here.

import { importsOf, resolveImport } from "../../../scripts/source/imports.ts";
import type { SourceFile } from "../../../scripts/source/tokens.ts";
import { isSource, isUnder, type Violation } from "./violation.ts";

export interface Floor {
  /** A folder ends with a slash; a file is named in full. */
  readonly place: string;
  readonly floor: number;
  /** Other places it may import; its own folder always. */
  readonly mayImport: readonly string[];
  /** Only types may cross. */
  readonly typesOnly?: boolean;
}

/** Where the command line may enter the gateway: to talk to it, to find it, and to start it. */
const GATEWAY_DOORS = ["client.ts", "client/", "discovery.ts", "embedded.ts", "serve.ts"].map(
  (door) => `src/gateway/${door}`,
);

export const FLOORS: readonly Floor[] = [
  { place: "src/contract/", floor: 0, mayImport: [] },
  { place: "src/vm/", floor: 1, mayImport: ["src/contract/"] },
  { place: "src/registry/", floor: 1, mayImport: ["src/contract/"] },
  { place: "src/models/", floor: 1, mayImport: ["src/contract/"] },
  { place: "src/tools/", floor: 1, mayImport: ["src/contract/"] },
  { place: "src/config/", floor: 1, mayImport: ["src/contract/"] },
  { place: "src/bridge/", floor: 2, mayImport: ["src/vm/", "src/contract/"] },
  { place: "src/agency/", floor: 2, mayImport: ["src/contract/"] },
  { place: "src/swarm/", floor: 3, mayImport: ["src/bridge/", "src/agency/", "src/registry/", "src/contract/"] },
  {
    place: "src/runtime/",
    floor: 4,
    mayImport: [
      "src/swarm/",
      "src/bridge/",
      "src/agency/",
      "src/vm/",
      "src/registry/",
      "src/models/",
      "src/tools/",
      "src/config/",
      "src/contract/",
    ],
  },
  { place: "src/gateway/", floor: 5, mayImport: ["src/runtime/", "src/config/", "src/contract/"] },
  { place: "src/ui/", floor: 5, mayImport: ["src/contract/"], typesOnly: true },
  { place: "src/index.ts", floor: 5, mayImport: ["src/runtime/", "src/agency/", "src/contract/"] },
  { place: "src/cli/", floor: 6, mayImport: [...GATEWAY_DOORS, "src/config/", "src/contract/"] },
  { place: "guest-types/", floor: 0, mayImport: [] },
];

/** Places outside the house: they may look into every floor, and no floor looks back. */
const OUTSIDE = ["test/", "bench/", "scripts/", "examples/", "vitest.config.ts"];

export function floorViolations(files: readonly SourceFile[]): Violation[] {
  const paths = new Set(files.map((file) => file.path));
  return files.filter(isSource).flatMap((file) => {
    const floor = floorOf(file.path);
    if (floor) return importViolations(file, floor, paths);
    if (isUnder(file, ...OUTSIDE)) return missingViolations(file, paths);
    return [{ path: file.path, line: 1, message: "stands on no floor of the house" }];
  });
}

export function floorOf(path: string): Floor | undefined {
  return FLOORS.find((floor) => isAt(path, floor.place));
}

function isAt(path: string, place: string): boolean {
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}

function importViolations(file: SourceFile, floor: Floor, paths: ReadonlySet<string>): Violation[] {
  const ground = floor.place.startsWith("guest-types/");
  return importsOf(file).flatMap(({ specifier, typeOnly, line }) => {
    const target = resolveImport(file.path, specifier);
    const refuse = (message: string): Violation[] => [{ path: file.path, line, message }];
    if (ground) return refuse(`imports ${specifier}: guest types import nothing`);
    if (target === undefined) return [];
    if (!paths.has(target)) return refuse(`imports ${specifier}, which is not a file of the project`);
    if (isAt(target, floor.place)) return [];
    if (!floor.mayImport.some((place) => isAt(target, place))) {
      return refuse(`imports ${target}: ${floor.place} may import ${floor.mayImport.join(", ") || "nothing"}`);
    }
    return floor.typesOnly && !typeOnly ? refuse(`imports ${target} as a value: only types may cross`) : [];
  });
}

/** An import that names no file would be invisible to the other checks. */
function missingViolations(file: SourceFile, paths: ReadonlySet<string>): Violation[] {
  return importsOf(file).flatMap(({ specifier, line }) => {
    const target = resolveImport(file.path, specifier);
    if (target === undefined || paths.has(target) || target.startsWith("dist/")) return [];
    return [{ path: file.path, line, message: `imports ${specifier}, which is not a file of the project` }];
  });
}
