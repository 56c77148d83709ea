#!/usr/bin/env node
// Starts the scripted model server of the tests for trying things by hand: it speaks the wire formats of
// OpenAI (responses and chat), Anthropic, Gemini and Ollama, and answers every prompt with an echo.
//
//   node scripts/model-server.mjs [PORT]
//
// A prompt that holds one of these words goes wrong as the word says: [429], [500], [drop], [cut], [hang],
// [refuse], [empty].

import { register } from "tsx/esm/api";

register();
const { startModelServer } = await import("../test/support/model-server/server.ts");

const TROUBLES = {
  "[429]": { status: 429, error: "slow down", headers: { "retry-after": "2" } },
  "[500]": { status: 500, error: "out of order" },
  "[drop]": { text: "this answer breaks off before its end", ends: "drop" },
  "[cut]": { text: "this answer breaks off before its end", ends: "cut" },
  "[hang]": { text: "this answer never ends", hangs: "middle" },
  "[refuse]": { text: "I cannot help with that.", finish: "refusal" },
  "[empty]": { text: "" },
};

const port = Number(process.argv[2] ?? 8377);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`model-server: expected a port from 0 to 65535, got ${process.argv[2]}`);
  process.exit(2);
}
const server = await startModelServer({ port, otherwise: replyTo });
console.log(`model server on ${server.url}; for example:`);
console.log(`  OPENAI_API_KEY=none OPENAI_BASE_URL=${server.url}/v1 quickswarm run SCRIPT --model openai:any`);
console.log(`  ANTHROPIC_API_KEY=none ANTHROPIC_BASE_URL=${server.url}/v1 quickswarm run SCRIPT --model anthropic:any`);
console.log(`  OLLAMA_BASE_URL=${server.url} quickswarm run SCRIPT --model ollama:any`);
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => void server.close());

/** @param {{ wire: string, path: string, body: object }} request */
function replyTo({ wire, path, body }) {
  const text = JSON.stringify(body);
  console.log(`${wire} ${path} ${text.length} bytes`);
  const trouble = Object.entries(TROUBLES).find(([word]) => text.includes(word));
  return trouble ? trouble[1] : { text: `You sent ${text.length} bytes to ${path} over ${wire}.` };
}
