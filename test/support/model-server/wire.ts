// What the scripted model server answers with, independent of any provider's wire format, and what a wire
// format has to be able to do with it.

export interface ReplyCall {
  name: string;
  /** A string is sent as it stands, so that it can be no JSON at all. */
  input: unknown;
}

export interface ReplyUsage {
  /** All input tokens, cached ones included. */
  input: number;
  output: number;
  cached?: number;
}

/** How a reply goes wrong on its way; none of them when it does not. */
export interface ReplyTrouble {
  /** An HTTP error with this status and the text `error`. */
  status?: number;
  error?: string;
  headers?: { [name: string]: string };
  /** "drop": the connection breaks in mid-stream. "cut": the stream ends without its end. "error": it says why. */
  ends?: "drop" | "cut" | "error";
  /** Nothing more comes: before the first byte, or in mid-stream. */
  hangs?: "before" | "middle";
}

export interface Reply extends ReplyTrouble {
  text?: string;
  calls?: ReplyCall[];
  usage?: ReplyUsage;
  finish?: "stop" | "length" | "refusal";
}

export interface Wire {
  readonly name: "openai-responses" | "openai-chat" | "anthropic" | "gemini" | "ollama";
  matches(path: string): boolean;
  isStreamed(path: string, body: { [key: string]: unknown }): boolean;
  /** The answer to a request that does not stream. */
  whole(reply: Reply, model: string): object;
  /** The pieces of a streamed answer, as they go over the wire. */
  pieces(reply: Reply, model: string): string[];
  errorBody(status: number, message: string): object;
  /** The piece that tells of an error in mid-stream. */
  errorPiece(message: string): string;
}

export const USAGE_DEFAULT: ReplyUsage = { input: 11, output: 7 };
/** 2027-01-15, as every wire wants a time. */
export const CREATED_SECONDS = 1_800_000_000;

/** The text in pieces of a few characters, so that a stream has a middle. */
export function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,12}/gu) ?? [];
}

export function inputText(call: ReplyCall): string {
  return typeof call.input === "string" ? call.input : JSON.stringify(call.input);
}

export function serverEvent(data: object, event?: string): string {
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
