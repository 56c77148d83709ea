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
  /** What to do when stdout turns out not to take what was written, for example how to read a run's result. */
  whenLost?: string;
}

interface TerminalStream extends Writable {
  isTTY?: boolean;
  columns?: number;
}

/** What went wrong with a stream first; a stream that is watched is in here or has not failed. */
const failures = new WeakMap<Writable, Error>();
const watched = new WeakSet<Writable>();

/** Keeps the first error of a stream for `lostOutput`, instead of ending the process by it. */
export function watchOutput(stream: Writable): void {
  if (watched.has(stream)) return;
  watched.add(stream);
  stream.on("error", (error) => {
    if (!failures.has(stream)) failures.set(stream, error);
  });
}

/**
 * The code of the error that kept stdout from taking what was written; undefined when all is written, or
 * when the reader has gone away (`| head`), which is no error.
 */
export async function lostOutput(stream: Writable): Promise<string | undefined> {
  if (stream.writableLength > 0) await new Promise<void>((resolve) => stream.write("", () => resolve()));
  // A file refuses in the same call and says so in the next tick.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const { code = "unknown" } = (failures.get(stream) ?? { code: "EPIPE" }) as NodeJS.ErrnoException;
  return code === "EPIPE" ? undefined : code;
}

/** The streams of this process; neither ends it by an error of its own. */
export function processIo(color: boolean): Io {
  watchOutput(process.stdout);
  watchOutput(process.stderr);
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
