// JSON as the project carries it: text stays text until somebody needs the value.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON document as text, already known to be valid. */
export type JsonText = string;

/** Bytes of `text` in UTF-8, without encoding it. */
export function utf8ByteCount(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** The same document with keys sorted, for hashing and comparing. */
export function canonicalJson(value: Json): JsonText {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const keys = Object.keys(value).sort();
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
