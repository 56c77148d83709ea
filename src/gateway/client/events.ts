// The client's end of an event stream: parses server-sent events, and after a cut goes on behind the last
// event it has seen, so that each comes once and in order (I-002).

import type { IncomingMessage } from "node:http";
import type { Clock } from "../../contract/clock.ts";
import type { SwarmEvent } from "../../contract/events.ts";
import { fault } from "../../contract/fault.ts";
import { MIB_BYTES } from "../../contract/limits.ts";
import type { Channel } from "./http.ts";
import { type IsGone, isPassing, newPatience } from "./retry.ts";

/** Longest frame that is taken. */
export const FRAME_CHARS_MAX = 4 * MIB_BYTES;
/** A stream without a byte for this long is cut: three heartbeats were missed. */
export const SILENCE_MS_MAX = 45_000;

export interface EventsRequest {
  /** Only this run's events. */
  runId?: string | undefined;
  /** Begin after this event; without it a run's stream begins with its first event, the other one now. */
  after?: number | undefined;
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
}

export interface Frame {
  id: string | undefined;
  data: string;
}

/** Throws what the gateway refuses with, and `gateway_unreachable` when it stays away. Ends by `break` or the signal. */
export async function* followEvents(
  channel: Channel,
  { clock, isGone }: { clock: Clock; isGone?: IsGone | undefined },
  asked: EventsRequest,
): AsyncGenerator<SwarmEvent> {
  const path = asked.runId === undefined ? "/v1/events" : `/v1/runs/${encodeURIComponent(asked.runId)}/events`;
  const patience = newPatience(clock, isGone);
  let last = asked.after;
  for (;;) {
    let failure: unknown = fault("gateway_unreachable", `The gateway at ${channel.url} ended the event stream.`);
    try {
      const response = await channel.stream(path, {
        headers: { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": String(last) }) },
        signal: asked.signal,
      });
      for await (const frame of framesOfResponse(response, clock)) {
        patience.reset();
        if (frame.data === "") {
          // No event: where the stream stands. After a restore that can be before what was seen.
          if (frame.id !== undefined) last = Number(frame.id);
          continue;
        }
        const event = JSON.parse(frame.data) as SwarmEvent;
        if (last !== undefined && event.seq <= last) continue;
        last = event.seq;
        yield event;
      }
    } catch (error) {
      if (asked.signal?.aborted) return;
      // A cut in the middle of the body is no fault; the rest has been named by the channel.
      if (isCut(error)) failure = fault("gateway_unreachable", `The gateway at ${channel.url} cannot be reached.`);
      else if (isPassing(error)) failure = error;
      else throw error;
    }
    try {
      await patience.pause(failure, asked.signal);
    } catch (error) {
      if (asked.signal?.aborted) return;
      throw error;
    }
  }
}

/** The frames of one connection; a frame that a cut has left unfinished is dropped. */
async function* framesOfResponse(response: IncomingMessage, clock: Clock): AsyncGenerator<Frame> {
  const parser = newFrameParser();
  const silent = (): void => void response.destroy();
  let watch = clock.setTimer(SILENCE_MS_MAX, silent);
  response.setEncoding("utf8");
  try {
    for await (const chunk of response) {
      // While the consumer works nothing is read, so only the wait for bytes is watched.
      watch.cancel();
      yield* parser(String(chunk));
      watch = clock.setTimer(SILENCE_MS_MAX, silent);
    }
  } finally {
    watch.cancel();
    response.destroy();
  }
}

/** Takes text in any pieces and gives the frames that are complete. Throws `internal` for one beyond `charsMax`. */
export function newFrameParser(charsMax = FRAME_CHARS_MAX): (text: string) => Frame[] {
  let rest = "";
  return (text) => {
    rest += text;
    const parts = rest.split("\n\n");
    rest = parts.pop() ?? "";
    if (rest.length > charsMax) throw fault("internal", `An event is longer than ${charsMax} characters.`);
    return parts.map(parseFrame);
  };
}

function parseFrame(text: string): Frame {
  const frame: Frame = { id: undefined, data: "" };
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) frame.id = line.slice(4);
    else if (line.startsWith("data: ")) frame.data += line.slice(6);
  }
  return frame;
}

function isCut(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" || code === "EPIPE" || code === "ECONNABORTED";
}
