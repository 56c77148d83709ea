// What the making of one value carries along, and where in it a part stands.

import { fault } from "../../../contract/fault.ts";
import type { Json } from "../../../contract/json.ts";
import type { CheckContext } from "./check.ts";
import type { Schema } from "./types.ts";

/** From this depth on, recursions are ended as soon as the schema allows it. */
export const SIMPLEST_DEPTH = 4;
/** Deepest value that is made. */
export const VALUE_DEPTH_MAX = 32;
/** Units of work for one value; what needs more is not satisfied. Measured: 0.15 s at most. */
export const WORK_UNITS_MAX = 100_000;

export interface Making extends CheckContext {
  seed: number;
  /** Words of the prompt, to fill texts with. */
  words: string[];
  /** Values of `schema` that fit it, the preferred first. Held here because parts need the whole. */
  values(schema: Schema, place: Place): Generator<Json>;
  /** Whether `value` surely fits `schema`. */
  fits(schema: Schema, value: Json): boolean;
}

export interface Place {
  /** JSON Pointer within the value; it seeds what is made there. */
  path: string;
  /** The name of the member, if it is one. */
  name: string | undefined;
  depth: number;
  /** Differs between several values for the same place. */
  salt: number;
}

export function placeWithin(place: Place, step: string | number, salt: number): Place {
  return {
    path: `${place.path}/${step}`,
    name: typeof step === "string" ? step : place.name,
    depth: place.depth + 1,
    salt: place.salt + salt,
  };
}

export function isSimplest(place: Place): boolean {
  return place.depth >= SIMPLEST_DEPTH;
}

/** A counter of work that throws `schema_invalid` when it is spent. */
export function workCounter(): (units: number) => void {
  let left = WORK_UNITS_MAX;
  return (units) => {
    left -= units;
    if (left < 0) {
      throw fault("schema_invalid", "The offline model found no value for the schema in the work it allows itself.", {
        next: "Simplify the schema, or use another model.",
      });
    }
  };
}
