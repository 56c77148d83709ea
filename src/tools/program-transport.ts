// A server that is a program: started in a process group of its own, spoken to over its standard input and
// output, and ended with everything that it started itself (L7). Waiting for its end is the machine's time.

import { type ChildProcess, spawn } from "node:child_process";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/client";
import { getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";
import { systemClock } from "../contract/clock.ts";
import { fault } from "../contract/fault.ts";
import { MIB_BYTES } from "../contract/limits.ts";

/** Longest single message. */
const MESSAGE_BYTES_MAX = 16 * MIB_BYTES;
/** How long a program may take to end after its input was closed, and again after it was asked to. */
const END_GRACE_MS = 2_000;
/** Kept of what it wrote to its standard error, for the log. */
const STDERR_CHARS_MAX = 2_000;

export interface ProgramOptions {
  command: string;
  args: readonly string[];
  env: { [name: string]: string };
  cwd: string | undefined;
}

const hasGroups = process.platform !== "win32";

export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport["onmessage"];
  readonly #options: ProgramOptions;
  readonly #buffer = new ReadBuffer({ maxBufferSize: MESSAGE_BYTES_MAX });
  #child: ChildProcess | undefined;
  #closed: Promise<void> | undefined;
  #stderr = "";
  readonly #killNow = (): void => this.#kill("SIGKILL");

  constructor(options: ProgramOptions) {
    this.#options = options;
  }

  /** How it ended, once it has: a number, or the name of a signal. */
  get exit(): number | string | undefined {
    if (this.#child?.pid === undefined) return undefined;
    return this.#child.exitCode ?? this.#child.signalCode ?? undefined;
  }

  /** The last of what it wrote to its standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    const child = spawn(command, [...args], {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: hasGroups,
      windowsHide: true,
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child = child;
    // Whoever ends this process at once ends the program as well.
    process.once("exit", this.#killNow);
    this.#closed = new Promise((resolve) => {
      child.once("close", () => {
        this.#kill("SIGKILL");
        process.off("exit", this.#killNow);
        resolve();
        this.onclose?.();
      });
    });
    child.stdin.on("error", (error) => this.onerror?.(error));
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS_MAX);
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.on("error", (error) => {
        reject(error);
        this.onerror?.(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input?.writable) throw fault("tool_unavailable", "The program's input is closed.");
    await new Promise<void>((resolve, reject) => {
      input.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when the program and all that it started are gone. */
  async close(): Promise<void> {
    if (!this.#child || !this.#closed) return;
    this.#child.stdin?.end();
    if (!(await this.#gone())) {
      this.#kill("SIGTERM");
      if (!(await this.#gone())) {
        this.#kill("SIGKILL");
        // What left the group may still hold the pipes open.
        for (const pipe of [this.#child.stdout, this.#child.stderr]) pipe?.destroy();
      }
    }
    await this.#closed;
  }

  #gone(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = systemClock.setTimer(END_GRACE_MS, () => resolve(false));
      void this.#closed?.then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
      for (;;) {
        const message = this.#message();
        if (message === null) return;
        if (message) this.onmessage?.(message);
      }
    } catch (error) {
      // Only what does not fit the buffer comes here.
      this.onerror?.(error as Error);
      this.#kill("SIGKILL");
    }
  }

  /** Undefined for a line that is no message: some programs print there. */
  #message(): JSONRPCMessage | null | undefined {
    try {
      return this.#buffer.readMessage();
    } catch (error) {
      this.onerror?.(error as Error);
      return undefined;
    }
  }

  #kill(signal: "SIGTERM" | "SIGKILL"): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(hasGroups ? -pid : pid, signal);
    } catch {
      // It is gone, with all that it started.
    }
  }
}
