// Bytes that should be text: UTF-8 without NUL, or a fault that names the file.

import { fault } from "../../contract/fault.ts";

/** @throws Fault `file_unreadable` when the bytes are no UTF-8 text. */
export function decodeText(bytes: Uint8Array, path: string): string {
  if (!bytes.includes(0)) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // Reported below, like a NUL byte.
    }
  }
  throw fault("file_unreadable", `${path} is not UTF-8 text`, {
    place: { file: path },
    next: "Give text files only; narrow the pattern or convert the file to UTF-8.",
  });
}
