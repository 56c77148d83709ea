// The reading end of an event stream, frame by frame, as a browser would see it.

import type { IncomingMessage } from "node:http";
import type { SwarmEvent } from "../../src/contract/events.ts";
import type { Gateway } from "../../src/gateway/listen.ts";
import { open, type Sent } from "./test-gateway.ts";

export interface SseFrame {
  id: string | undefined;
  event: string | undefined;
  data: string | undefined;
  comment: string | undefined;
}

export interface SseReader {
  readonly response: IncomingMessage;
  /** The next frame; undefined at the end of the stream. */
  frame(): Promise<SseFrame | undefined>;
  /** The next frame that is an event; undefined at the end. */
  event(): Promise<SwarmEvent | undefined>;
  /** Cuts the connection, as a crash of the client does. */
  cut(): void;
}

export async function readSse(gateway: Gateway, path: string, sent: Sent = {}): Promise<SseReader> {
  const response = await open(gateway, path, { ...sent, headers: { accept: "text/event-stream", ...sent.headers } });
  const frames = framesOf(response);
  const frame = async (): Promise<SseFrame | undefined> => (await frames.next()).value;
  return {
    response,
    frame,
    async event() {
      for (;;) {
        const next = await frame();
        if (next === undefined) return undefined;
        if (next.data !== undefined) return JSON.parse(next.data) as SwarmEvent;
      }
    },
    cut: () => response.destroy(),
  };
}

async function* framesOf(response: IncomingMessage): AsyncGenerator<SseFrame, undefined> {
  let rest = "";
  response.setEncoding("utf8");
  for await (const chunk of response) {
    rest += String(chunk);
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      yield frameOf(rest.slice(0, end));
      rest = rest.slice(end + 2);
    }
  }
  return undefined;
}

function frameOf(text: string): SseFrame {
  const field = (name: string): string | undefined =>
    text
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  return { id: field("id"), event: field("event"), data: field("data"), comment: field("") };
}
