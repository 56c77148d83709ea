// The checks of `quickswarm doctor`. Each one answers, none throws.

import { mkdtemp, rm, stat, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoadedSettings } from "../config/load.ts";
import { toFaultData } from "../contract/fault.ts";
import { MIB_BYTES } from "../contract/limits.ts";
import type { Settings } from "../contract/settings.ts";
import type { Context } from "./context.ts";
import { nearestExisting, OTHER_DIR, unwritable } from "./data-dir.ts";
import { byteSize, plural } from "./format.ts";
import { isLoopback, openLink } from "./link.ts";
import { NODE_VERSION_MIN, nodeIsOld } from "./node-version.ts";

export interface Check {
  name: string;
  /** `skip`: not looked at, and the detail says why. */
  status: "ok" | "warn" | "fail" | "skip";
  detail: string;
  next?: string;
}

/** Below this the disk is nearly full. */
const FREE_BYTES_WARN = 256 * MIB_BYTES;
/** Below this a new data directory cannot even be made: the database sets space aside at its start. */
const FREE_BYTES_FAIL = 4 * MIB_BYTES;
const DATABASE_FILE = "quickswarm.db";
const OTHERS_BITS = 0o077;

export function nodeCheck(version: string): Check {
  const name = "node";
  if (!nodeIsOld(version)) return { name, status: "ok", detail: version };
  return { name, status: "fail", detail: `${version} is too old`, next: `Use Node.js ${NODE_VERSION_MIN} or newer.` };
}

export async function settingsCheck(context: Context): Promise<{ check: Check; loaded?: LoadedSettings }> {
  const name = "configuration";
  try {
    const loaded = await context.load();
    const notes = [...loaded.warnings];
    const { host } = loaded.settings.gateway;
    if (!isLoopback(host)) notes.push(`gateway.host ${host} can be reached from other machines, without encryption`);
    notes.push(...strangeAgents(loaded.settings));
    const detail = [loaded.file ?? "no file, all defaults", ...notes].join("; ");
    return { check: { name, status: notes.length > 0 ? "warn" : "ok", detail }, loaded };
  } catch (error) {
    return { check: failed(name, error) };
  }
}

/** Agents that are named and not configured: a spawn that falls back on one will be refused (S-005). */
function strangeAgents(settings: Settings): string[] {
  const known = new Set(Object.keys(settings.agents));
  const notes: string[] = [];
  for (const id of [undefined, ...known]) {
    const { defaultAgentId } = settings.swarmFor(id);
    const where = id === undefined ? "tools.swarm.defaultAgentId" : `agents.${id}.tools.swarm.defaultAgentId`;
    if (defaultAgentId !== "" && !known.has(defaultAgentId)) {
      notes.push(`${where} names ${JSON.stringify(defaultAgentId)}, which is not configured`);
    }
    for (const allowed of (id === undefined ? undefined : settings.agents[id]?.allowedAgents) ?? []) {
      if (!known.has(allowed))
        notes.push(`agents.${id}.allowedAgents names ${JSON.stringify(allowed)}, which is not configured`);
    }
  }
  return [...new Set(notes)];
}

export async function dataDirChecks(dataDir: string): Promise<Check[]> {
  const existing = await nearestExisting(dataDir);
  const checks = [await writable(dataDir, existing), await freeSpace(existing)];
  const token = await stat(join(dataDir, "token")).catch(() => undefined);
  if (token && (token.mode & OTHERS_BITS) !== 0) {
    checks.push({
      name: "token file",
      status: "warn",
      detail: "other users can read the gateway's token",
      next: `Run chmod 600 ${join(dataDir, "token")}.`,
    });
  }
  return checks;
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function writable(dataDir: string, existing: string): Promise<Check> {
  const name = "data directory";
  const problem = await unwritable(existing);
  if (problem !== undefined) return { name, status: "fail", detail: problem, next: OTHER_DIR };
  const detail = existing === dataDir ? `${dataDir} can be written` : `${dataDir} is made at the first start`;
  return { name, status: "ok", detail };
}

async function freeSpace(path: string): Promise<Check> {
  const name = "disk space";
  try {
    const { bavail, bsize } = await statfs(path);
    const free = bavail * bsize;
    if (free >= FREE_BYTES_WARN) return { name, status: "ok", detail: `${byteSize(free)} free` };
    const status = free < FREE_BYTES_FAIL ? "fail" : "warn";
    return { name, status, detail: `only ${byteSize(free)} free`, next: "Free space on this disk." };
  } catch {
    return { name, status: "skip", detail: "this system does not say how much is free" };
  }
}

/** Who holds the data directory, and whether it answers. */
export async function gatewayCheck(settings: Settings): Promise<Check> {
  const name = "gateway";
  try {
    const { findGateway } = await import("../gateway/discovery.ts");
    const found = await findGateway(settings.dataDir, { token: settings.gateway.token });
    if (!found) return { name, status: "ok", detail: "none runs; `quickswarm run` starts one of its own" };
    const { createClient } = await import("../gateway/client.ts");
    const client = createClient({ url: found.url, token: found.token });
    try {
      const { storage, version, activeRuns } = await client.health();
      const detail = `process ${found.pid} holds the data directory and answers at ${found.url}; version ${version}, ${activeRuns} turns under way`;
      if (storage.ok) return { name, status: "ok", detail };
      return { name, status: "fail", detail: `${detail}; its storage is not well: ${storage.reason ?? "unknown"}` };
    } finally {
      client.close();
    }
  } catch (error) {
    return failed(name, error);
  }
}

/** Opens the database without setting anything going, or asks the gateway that has it open, for one page of runs. */
export async function databaseCheck(context: Context, dataDir: string): Promise<Check> {
  const name = "database";
  if (!(await exists(join(dataDir, DATABASE_FILE)))) {
    return { name, status: "ok", detail: "made at the first start" };
  }
  try {
    // The data directory is looked at, whatever gateway --url names.
    const link = await openLink({ ...context, url: undefined }, "look");
    try {
      const { rows, next } = await link.client.runs();
      const page = `a page of ${plural(rows.length, "run")} was read${next === undefined ? "" : " (there are more)"}`;
      return { name, status: "ok", detail: link.embedded ? `opens, and ${page}` : `${page} through the gateway` };
    } finally {
      await link.close();
    }
  } catch (error) {
    return failed(name, error);
  }
}

/** Native module, engine, worker threads, database and HTTP, in one go and in a folder that is thrown away. */
export async function selfTest(settings: Settings): Promise<Check> {
  const name = "self-test";
  const dataDir = await mkdtemp(join(tmpdir(), "quickswarm-doctor-"));
  try {
    const { openEmbeddedGateway } = await import("../gateway/embedded.ts");
    const gateway = await openEmbeddedGateway({ ...settings, dataDir }, { log: () => {} });
    try {
      const script = 'return (await agents.run("self-test", { model: "offline:echo" })).length > 0';
      const { run } = await gateway.client.submit({ script, name: "self-test" });
      const ended = await gateway.client.runEnded(run.runId);
      if (ended.state === "done" && ended.result === true) {
        return { name, status: "ok", detail: "a script with one offline child ran to its end" };
      }
      return {
        name,
        status: "fail",
        detail: ended.error?.message ?? `it ended ${ended.state}`,
        next: ended.error?.next ?? "",
      };
    } finally {
      await gateway.close();
    }
  } catch (error) {
    return failed(name, error);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

function failed(name: string, error: unknown): Check {
  const { code, message, next } = toFaultData(error);
  return { name, status: "fail", detail: `error[${code}]: ${message}`, next };
}
