// `quickswarm mcp`: MCP over standard input and output, for harnesses that start their servers themselves.
// A thin bridge to the gateway, which it finds or starts inside this process; nothing but protocol is written
// to stdout (I-001). It ends with its input.

import type { Readable } from "node:stream";
import { randomHex } from "../../contract/clock.ts";
import { fault, toFaultData } from "../../contract/fault.ts";
import { EXIT } from "../../contract/fault-table.ts";
import { HTTP_BODY_BYTES_MAX } from "../../contract/limits.ts";
import { errorAnswer, type Message, openMcpBridge } from "../../gateway/client/mcp.ts";
import type { Context } from "../context.ts";
import { watchInterrupt } from "../interrupt.ts";
import { openLink } from "../link.ts";

const SESSION_BYTES = 16;
const RPC_PARSE_ERROR = -32_700;

export async function mcpCommand(context: Context, { session }: { session?: string }): Promise<number> {
  const interrupt = watchInterrupt();
  // Opened while the first message is still being read.
  const opening = openLink(context, "work");
  opening.catch(() => {});
  const deliver = (message: Message): void => context.io.out.line(JSON.stringify(message));
  const input = process.stdin;
  const end = (): void => void input.destroy();
  interrupt.signal.addEventListener("abort", end, { once: true });
  try {
    const link = await opening;
    const bridge = openMcpBridge({
      clock: context.clock,
      client: () => link.client,
      renew: (error, signal) => link.renew(error, signal),
      session: session ?? randomHex(SESSION_BYTES),
      deliver,
    });
    try {
      for await (const line of linesOf(input)) takeLine(line, bridge.take, deliver);
    } finally {
      bridge.close();
      await link.close();
    }
    return interrupt.signal.aborted ? EXIT.interrupted : EXIT.ok;
  } finally {
    interrupt.signal.removeEventListener("abort", end);
    interrupt.end();
    input.destroy();
  }
}

function takeLine(line: string, take: (message: Message) => Promise<void>, deliver: (message: Message) => void): void {
  let message: Message;
  try {
    message = JSON.parse(line) as Message;
  } catch {
    const data = toFaultData(fault("bad_request", "This line is no JSON-RPC message."));
    deliver(errorAnswer(null, data, RPC_PARSE_ERROR));
    return;
  }
  void take(message);
}

/** Lines that are not empty, as they come. Throws `body_too_large` for one beyond what the gateway reads. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = "";
  input.setEncoding("utf8");
  try {
    for await (const chunk of input) {
      const parts = (rest + String(chunk)).split("\n");
      rest = parts.pop() ?? "";
      if (rest.length > HTTP_BODY_BYTES_MAX) {
        throw fault("body_too_large", `a message has more than ${HTTP_BODY_BYTES_MAX} bytes`);
      }
      for (const line of parts) if (line.trim() !== "") yield line;
    }
  } catch (error) {
    // An input that is gone has ended.
    if ((error as { code?: unknown }).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}
