// The answers that are on their way out, so that a close can let them finish, and a door that is shut
// until the runtime is open: until then every request is told to come back.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Clock } from "../contract/clock.ts";
import { fault, toFaultData } from "../contract/fault.ts";
import { PROBLEM_TYPE, problemOf } from "./problem.ts";

export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

export class InFlight {
  readonly #answers = new Set<ServerResponse>();
  #listener: Listener = refuseYet;
  #whenEmpty: (() => void) | undefined;

  constructor(server: Server) {
    server.on("request", (incoming, outgoing) => {
      this.#answers.add(outgoing);
      outgoing.once("close", () => {
        this.#answers.delete(outgoing);
        if (this.#answers.size === 0) this.#whenEmpty?.();
      });
      this.#listener(incoming, outgoing);
    });
  }

  get count(): number {
    return this.#answers.size;
  }

  /** Opens the door. */
  serve(listener: Listener): void {
    this.#listener = listener;
  }

  /** Resolves when no answer is on its way, after `graceMs` at the latest. */
  finished(clock: Clock, graceMs: number): Promise<void> {
    if (this.#answers.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = clock.setTimer(graceMs, resolve);
      this.#whenEmpty = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

function refuseYet(_incoming: IncomingMessage, outgoing: ServerResponse): void {
  const document = problemOf(toFaultData(fault("overloaded", "The gateway is starting.")));
  outgoing.writeHead(document.status, { "content-type": PROBLEM_TYPE, "retry-after": "1", connection: "close" });
  outgoing.end(JSON.stringify(document));
}
