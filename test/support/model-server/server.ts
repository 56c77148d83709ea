// A model provider on loopback that speaks five wire formats over real HTTP and answers by script: what a
// test wants to be said, and how it is to go wrong. It keeps every request it got.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { ollama } from "./ollama.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Reply, Wire } from "./wire.ts";

const WIRES: readonly Wire[] = [openaiResponses, openaiChat, anthropic, gemini, ollama];

export interface SeenRequest {
  wire: Wire["name"];
  path: string;
  headers: { [name: string]: string };
  body: { [key: string]: unknown };
  /** Resolves when the connection is gone before the answer was complete. */
  broken: Promise<void>;
}

export interface ModelServer {
  /** Its address, without a path. */
  readonly url: string;
  readonly requests: SeenRequest[];
  /** The next answers, one a request, first come first served. */
  script(...replies: Reply[]): void;
  /** Resolves when `count` requests have come in since the start. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export interface ModelServerOptions {
  port?: number;
  /** Answers when nothing is scripted; default: status 418, which nobody retries. */
  otherwise?: (request: SeenRequest) => Reply;
}

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const otherwise = options.otherwise ?? (() => ({ status: 418, error: "nothing is scripted" }));
  const queue: Reply[] = [];
  const requests: SeenRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await seenRequest(request, response);
    if (!seen)
      return void response.writeHead(404, { "content-type": "application/json" }).end('{"error":"no such path"}');
    requests.push(seen.request);
    for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
    answer(seen.wire, seen.request, queue.shift() ?? otherwise(seen.request), response);
  }
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    script: (...replies) => void queue.push(...replies),
    received: (count) =>
      new Promise((resolve) => (requests.length >= count ? resolve() : void waiting.push({ count, resolve }))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function seenRequest(request: IncomingMessage, response: ServerResponse) {
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const wire = WIRES.find((candidate) => candidate.matches(path));
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  if (!wire) return undefined;
  const broken = new Promise<void>((resolve) => {
    response.on("close", () => (response.writableFinished ? undefined : resolve()));
  });
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const seen: SeenRequest = { wire: wire.name, path, headers, body: JSON.parse(text || "{}"), broken };
  return { wire, request: seen };
}

function answer(wire: Wire, request: SeenRequest, reply: Reply, response: ServerResponse): void {
  if (reply.hangs === "before") return;
  if (reply.status !== undefined) {
    response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify(wire.errorBody(reply.status, reply.error ?? `status ${reply.status}`)));
    return;
  }
  const fromPath = /\/models\/([^/:]+):/.exec(request.path)?.[1];
  const model = String(request.body.model ?? fromPath ?? "model");
  if (!wire.isStreamed(request.path, request.body)) {
    response.writeHead(200, { "content-type": "application/json", ...reply.headers });
    response.end(JSON.stringify(wire.whole(reply, model)));
    return;
  }
  const type = wire.name === "ollama" ? "application/x-ndjson" : "text/event-stream";
  response.writeHead(200, { "content-type": type, ...reply.headers });
  const pieces = wire.pieces(reply, model);
  const isWhole = reply.ends === undefined && reply.hangs === undefined;
  const sent = isWhole ? pieces : pieces.slice(0, Math.max(1, pieces.length >> 1));
  if (reply.ends === "error") sent.push(wire.errorPiece(reply.error ?? "overloaded"));
  // "drop" breaks the connection only after what came before has left, so that it is in mid-stream.
  response.write(sent.join(""), () => {
    if (reply.hangs === "middle") return;
    if (reply.ends === "drop") response.destroy();
    else response.end();
  });
}
