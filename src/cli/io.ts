// The process's streams, as commands see them: results go to stdout, everything else to stderr.

import type { Readable, Writable } from "node:stream";
import pc from "picocolors";

export type Paint = ReturnType<typeof pc.createColors>;

export interface Output {
  /** Writes text as it is. */
  write(text: string): void;
  /** Writes text and a line feed. */
  line(text?: string): void;
  isTerminal: boolean;
  /** Width in characters; 0 where there is no terminal. */
  columns(): number;
  /** Colours for this stream; plain where it is no terminal or colour is switched off. */
  paint: Paint;
  stream: Writable;
}

export interface Io {
  out: Output;
  err: Output;
  /** Reads standard input to its end, as bytes. */
  readInput(maxBytes: number): Promise<Uint8Array>;
  inputIsTerminal: boolean;
}

interface TerminalStream extends Writable {
  isTTY?: boolean;
  columns?: number;
}

/** The streams of this process. A reader that went away (`| head`) ends the output without an error. */
export function processIo(color: boolean): Io {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  return {
    out: output(process.stdout, color),
    err: output(process.stderr, color),
    readInput: (maxBytes) => readAll(process.stdin, maxBytes),
    inputIsTerminal: process.stdin.isTTY === true,
  };
}

export function output(stream: TerminalStream, color: boolean): Output {
  // A terminal without a width (a recorder, an odd emulator) cannot be drawn on.
  const isTerminal = stream.isTTY === true && stream.columns !== 0;
  const write = (text: string): void => void stream.write(text);
  return {
    write,
    line: (text = "") => write(`${text}\n`),
    isTerminal,
    columns: () => (isTerminal ? (stream.columns ?? 80) : 0),
    paint: pc.createColors(color && isTerminal && pc.isColorSupported),
    stream,
  };
}

/** Everything up to `maxBytes` plus one byte, so that the caller can see that it was too much. */
async function readAll(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes: Uint8Array = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes + 1);
}
