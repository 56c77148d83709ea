// How deep JSON text is nested, without parsing it: what is parsed and walked by recursive code has
// to be known to be shallow first (law L10).

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Whether `json` nests arrays and objects deeper than `maxLevels`. */
export function isDeeper(json: string, maxLevels: number): boolean {
  if (json.length <= maxLevels) return false;
  let level = 0;
  for (let index = 0; index < json.length; index += 1) {
    const code = json.charCodeAt(index);
    if (code === QUOTE) index = stringEnd(json, index);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) level += 1;
    else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) level -= 1;
    if (level > maxLevels) return true;
  }
  return false;
}

/** The index of the quote that ends the string which begins at `start`, or the end of the text. */
function stringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
