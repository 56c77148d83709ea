// Where a text stops being JSON. The engine's own messages do not always give the position, so the text
// is read token by token up to the first one that cannot stand where it does.

type Expects = "value" | "key" | "colon" | "comma" | "end";

/** Offset of the first character that cannot go on a JSON document; the length when the end is missing. */
export function brokenAt(text: string): number {
  const string = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/u.source;
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.source;
  const reader = new RegExp(`[ \\t\\r\\n]+|[[\\]{}:,]|${string}|${number}|true|false|null`, "uy");
  const open: string[] = [];
  let expects: Expects = "value";
  let fresh = false;
  while (reader.lastIndex < text.length) {
    const at = reader.lastIndex;
    const token = reader.exec(text)?.[0];
    if (token === undefined) return at;
    if (/^[ \t\r\n]/.test(token)) continue;
    const next = follow(token, expects, open, fresh);
    if (next === undefined) return at;
    expects = next;
    fresh = token === "{" || token === "[";
  }
  return text.length;
}

/** What may come after `token`; undefined when the token itself may not stand here. `fresh`: right after a bracket. */
function follow(token: string, expects: Expects, open: string[], fresh: boolean): Expects | undefined {
  const afterValue = (): Expects => (open.length === 0 ? "end" : "comma");
  if (token === "}" || token === "]") {
    const closes = open.at(-1) === (token === "}" ? "{" : "[");
    if (!closes || !(expects === "comma" || (fresh && (expects === "value" || expects === "key")))) return undefined;
    open.pop();
    return afterValue();
  }
  if (expects === "key") return token.startsWith('"') ? "colon" : undefined;
  if (expects === "colon") return token === ":" ? "value" : undefined;
  if (expects === "comma") return token !== "," ? undefined : open.at(-1) === "{" ? "key" : "value";
  if (expects === "end" || token === ":" || token === ",") return undefined;
  if (token !== "{" && token !== "[") return afterValue();
  open.push(token);
  return token === "{" ? "key" : "value";
}
