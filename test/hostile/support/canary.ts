// Secrets that are planted to be found again: wherever their bytes turn up, in whatever spelling, they have leaked.

import { randomBytes } from "node:crypto";

export interface Canary {
  name: string;
  /** Ways in which the secret may be written. */
  spellings: Buffer[];
}

/** A text that nothing else contains. */
export function canaryText(): string {
  return `canary${randomBytes(16).toString("hex")}`;
}

export function textCanary(name: string, text: string): Canary {
  const wide = Buffer.from(text, "utf16le");
  return { name, spellings: [wide, Buffer.from(encodeURIComponent(text)), ...spellingsOf(Buffer.from(text))] };
}

export function bytesCanary(name: string, bytes: Buffer): Canary {
  const hex = bytes.toString("hex");
  const spaced = hex.replace(/..(?!$)/g, "$& ");
  return { name, spellings: [Buffer.from(spaced), Buffer.from([...bytes].join(",")), ...spellingsOf(bytes)] };
}

/** `canary in place` for each canary that is found in each of the places. */
export function findCanaries(canaries: Canary[], places: { [place: string]: Buffer }): string[] {
  return Object.entries(places).flatMap(([place, bytes]) =>
    canaries
      .filter(({ spellings }) => spellings.some((spelling) => bytes.includes(spelling)))
      .map(({ name }) => `${name} in ${place}`),
  );
}

function spellingsOf(bytes: Buffer): Buffer[] {
  const hex = bytes.toString("hex");
  return [bytes, Buffer.from(hex), Buffer.from(hex.toUpperCase()), ...base64Spellings(bytes)];
}

/** Base64 looks different at each of three offsets; the ends that depend on neighbours are cut off. */
function base64Spellings(bytes: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const text = padded
      .toString("base64")
      .replace(/=+$/, "")
      .slice(offset === 0 ? 0 : offset + 1, -2);
    return [Buffer.from(text), Buffer.from(text.replaceAll("+", "-").replaceAll("/", "_"))];
  });
}
