// Draws progress: in place on a terminal, as plain lines elsewhere, or not at all.

import type { Clock, Timer } from "../contract/clock.ts";
import type { SwarmEvent } from "../contract/events.ts";
import type { Context } from "./context.ts";
import { applyEvent, frame, newProgress, stillRunning } from "./progress.ts";

export interface ProgressView {
  event(event: SwarmEvent): void;
  /** Prints a line that stays. */
  say(line: string): void;
  /** Stops drawing (law L7); a second call does nothing. */
  end(): void;
}

/** Between two drawings of a frame. */
const FRAME_EVERY_MS = 100;
/** Without a line for this long, a run that is not watched on a terminal says that it goes on … */
const SILENCE_MS = 15_000;
/** … and again, if nothing happens, after this time. */
const SPOKEN_AGAIN_MS = 30_000;

/** The view that fits stderr; with --json only a terminal is shown progress. */
export async function progressView(
  context: Context,
  title: string,
  declared: readonly string[] = [],
): Promise<ProgressView> {
  const { io, clock, json } = context;
  if (!io.err.isTerminal) return lineView((line) => io.err.line(line), clock, title, json);
  const { createLogUpdate } = await import("log-update");
  const draw = createLogUpdate(io.err.stream);
  const progress = newProgress(title, declared);
  const began = clock.monotonic();
  let ended = false;
  const redraw = (): void => draw(frame(progress, clock.monotonic() - began, io.err.columns(), io.err.paint));
  const ticking = every(clock, FRAME_EVERY_MS, redraw);
  redraw();
  return {
    event: (event) => void applyEvent(progress, event),
    say: (line) => {
      draw.clear();
      io.err.line(line);
    },
    end: () => {
      if (ended) return;
      ended = true;
      ticking.cancel();
      redraw();
      draw.done();
    },
  };
}

function lineView(print: (line: string) => void, clock: Clock, title: string, quiet: boolean): ProgressView {
  const progress = newProgress(title);
  const silence = quiet ? undefined : watchSilence(clock, () => print(stillRunning(progress)));
  const say = (line: string): void => {
    silence?.broken();
    print(line);
  };
  return {
    event: (event) => {
      const line = applyEvent(progress, event);
      // Who asked for JSON has to know what the run waits for as well.
      if (line !== undefined && (!quiet || event.type === "approval.requested")) say(line);
    },
    say,
    end: () => silence?.end(),
  };
}

/** Calls `speak` after SILENCE_MS without a `broken()`, and not sooner than SPOKEN_AGAIN_MS after the last time. */
function watchSilence(clock: Clock, speak: () => void): { broken(): void; end(): void } {
  let dueAt = clock.monotonic() + SILENCE_MS;
  let spokenAt = Number.NEGATIVE_INFINITY;
  let timer = clock.setTimer(SILENCE_MS, look);
  function look(): void {
    const now = clock.monotonic();
    if (now >= dueAt) {
      spokenAt = now;
      dueAt = now + SPOKEN_AGAIN_MS;
      speak();
    }
    timer = clock.setTimer(dueAt - now, look);
  }
  return {
    broken: () => {
      dueAt = Math.max(clock.monotonic() + SILENCE_MS, spokenAt + SPOKEN_AGAIN_MS);
    },
    end: () => timer.cancel(),
  };
}

function every(clock: Clock, delayMs: number, run: () => void): Timer {
  let timer = clock.setTimer(delayMs, again);
  function again(): void {
    run();
    timer = clock.setTimer(delayMs, again);
  }
  return { cancel: () => timer.cancel() };
}
