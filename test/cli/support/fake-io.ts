// Streams that keep what was written, for the parts of the CLI that can be tested without a process.

import { Writable } from "node:stream";
import pc from "picocolors";
import type { Io, Output } from "../../../src/cli/io.ts";

export interface FakeOutput extends Output {
  text(): string;
}

export interface FakeIo extends Io {
  out: FakeOutput;
  err: FakeOutput;
}

export function fakeOutput(columns = 0): FakeOutput {
  let written = "";
  const write = (text: string): void => {
    written += text;
  };
  return {
    write,
    line: (text = "") => write(`${text}\n`),
    isTerminal: columns > 0,
    columns: () => columns,
    paint: pc.createColors(false),
    stream: new Writable({
      write(chunk, _encoding, done) {
        write(String(chunk));
        done();
      },
    }),
    text: () => written,
  };
}

export function fakeIo(input = "", columns = 0): FakeIo {
  return {
    out: fakeOutput(columns),
    err: fakeOutput(columns),
    readInput: async (maxBytes) => Buffer.from(input).subarray(0, maxBytes + 1),
    inputIsTerminal: false,
  };
}
