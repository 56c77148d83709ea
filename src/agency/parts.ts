// What a stream of a team gives, part by part, and at its end.

export type StreamPart =
  | { type: "agent-start"; agent: string; input: string }
  | { type: "agent-end"; agent: string; output: string; durationMs: number }
  /** A piece of text as it came in, with who says it. */
  | { type: "text"; agent: string; text: string; from: "member" | "chair" }
  /** A member that failed without failing the run; the error itself goes to `on.error`. */
  | { type: "error"; agent: string; error: string }
  /** The answer as the caller receives it: approved, and parsed. */
  | { type: "final-output"; text: string; parsed?: unknown };

export interface AgencyStream<Result = unknown> {
  /** The live text, never rewritten. Leaving it early stops the run, unless somebody else still reads. */
  textStream: AsyncIterable<string>;
  fullStream: AsyncIterable<StreamPart>;
  /** The finalized text alone, as one piece. */
  finalTextStream: AsyncIterable<string>;
  /** The finalized text. */
  text: Promise<string>;
  /** What `generate()` would have given, without `provider` and `model`. */
  result: Promise<Result>;
}
