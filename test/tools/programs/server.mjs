// A real MCP server over standard input and output. It writes every call to the file LEDGER, with the key that
// it was told, and does what the tool's name says. MODE=silent never answers; MODE=broken ends at once.

import { appendFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const { LEDGER, MODE, SECRET = "none" } = process.env;
const note = (entry) => LEDGER && appendFileSync(LEDGER, `${JSON.stringify(entry)}\n`);
note({ started: process.pid });

if (MODE === "broken") {
  process.stderr.write(`cannot read /etc/${SECRET}\n`);
  process.exit(3);
}

const anything = { type: "object", properties: {} };
const text = (value, more = {}) => ({ content: [{ type: "text", text: value }], ...more });

const TOOLS = {
  echo: {
    description: "Gives its text back.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text: value }) => text(`echo: ${value}`),
  },
  sum: {
    description: "Adds.",
    inputSchema: {
      type: "object",
      properties: { a: { type: "integer" }, b: { type: "integer", description: "the second" } },
      required: ["a", "b"],
    },
    outputSchema: { type: "object", properties: { sum: { type: "integer" } }, required: ["sum"] },
    run: ({ a, b }) => text(JSON.stringify({ sum: a + b }), { structuredContent: { sum: a + b } }),
  },
  fail: { run: () => text(`no access with ${SECRET}`, { isError: true }) },
  throw: {
    run: () => {
      throw new Error(`boom ${SECRET}`);
    },
  },
  big: { run: ({ bytes }) => text("x".repeat(bytes)) },
  die: { run: () => process.exit(7) },
  hang: {
    run: (_args, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          note({ cancelled: true });
          resolve(text("too late"));
        });
      }),
  },
  picture: {
    run: () => ({
      content: [
        { type: "image", mimeType: "image/png", data: "AAAA" },
        { type: "text", text: "a dot" },
      ],
    }),
  },
};

const server = new Server({ name: "fixture", version: "1.0.0" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => ({
  tools: Object.entries(TOOLS).map(([name, { description = name, inputSchema = anything, outputSchema }]) => ({
    name,
    description,
    inputSchema,
    ...(outputSchema ? { outputSchema } : {}),
  })),
}));
server.setRequestHandler("tools/call", async ({ params }, context) => {
  const { name, arguments: args = {}, _meta = {} } = params;
  note({ tool: name, key: _meta["quickswarm/idempotencyKey"], attempt: _meta["quickswarm/attempt"] });
  return TOOLS[name].run(args, context.mcpReq.signal);
});
if (MODE === "silent") process.stdin.resume();
else await server.connect(new StdioServerTransport());
