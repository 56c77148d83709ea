// A process that does one slice of a run and ends: reads the request as JSON, writes the report as JSON.
// Runs the compiled floor, as a gateway does.

import { readFileSync, writeFileSync } from "node:fs";
import { systemClock } from "../../../dist/contract/clock.js";
import { openVmPool } from "../../../dist/vm/pool.js";

const [requestFile, reportFile] = process.argv.slice(2);
const { options, slice, chain } = JSON.parse(readFileSync(requestFile, "utf8"));
const pool = await openVmPool({
  ...options,
  macKey: Buffer.from(options.macKey, "hex"),
  image: async () => undefined,
  clock: systemClock,
});
const blobs = chain.map((blob) => ({ ...blob, bytes: Buffer.from(blob.bytes, "base64") }));
const report = await pool.slice({ ...slice, chain: async () => blobs });
const { snapshot } = report;
const stored = snapshot && { ...snapshot, bytes: Buffer.from(snapshot.bytes).toString("base64") };
writeFileSync(reportFile, JSON.stringify({ ...report, snapshot: stored, imageHash: pool.baseImage.imageHash }));
await pool.close();
