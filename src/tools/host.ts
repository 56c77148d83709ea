// All tools of a gateway: those of the configured servers and those that the host registered. Calls are
// checked, bounded in time, size and number (L10), and answered once; what fails is told by its code (B-018).
// A call that needs a person's approval is answered at once: nobody is asked for a child or a script (S-010).

import PQueue from "p-queue";
import type { Clock } from "../contract/clock.ts";
import { fault, isFault } from "../contract/fault.ts";
import type { Json } from "../contract/json.ts";
import type { Secret } from "../contract/model-settings.ts";
import type { ToolSettings } from "../contract/tool-settings.ts";
import {
  HOST_TOOLS,
  isToolAllowed,
  matches,
  type OfferedTool,
  type ToolAnswer,
  type ToolCallRequest,
  type ToolFaultCode,
} from "../contract/tools.ts";
import { aborting } from "./connection.ts";
import { declarationsOf } from "./declarations.ts";
import { type HostTool, hostTools, offeredHostTool } from "./host-tool.ts";
import { nameOf, offeredOf, serversOf, unknownTool, type Wish } from "./offer.ts";
import { withoutSecrets } from "./redact.ts";
import { boundedAnswer, hostResult, type RawResult, rawResult } from "./result.ts";
import { ToolServer } from "./server.ts";

/** Limits of the host's own tools, which have no configuration. */
const HOST_TIMEOUT_MS = 60_000;
const HOST_RESULT_BYTES_MAX = 1024 * 1024;

export interface ToolHostOptions {
  clock: Clock;
  version: string;
  settings: ToolSettings;
  /** Registered by the program that opened the runtime. */
  tools: readonly HostTool[];
  /** What is wrong with arguments; empty when they fit, or when the schema is beyond what can be checked. */
  checkArguments(schema: OfferedTool["inputSchema"], args: { [key: string]: Json }): Promise<string[]>;
  log(level: "warn", message: string, fields: { [name: string]: string }): void;
}

export interface ToolHost {
  /** Names of what offers tools. */
  servers(): string[];
  /** Whether a wish can be granted, as far as that is known without asking a server. @throws Fault `tool_unknown`, `tool_not_allowed` */
  check(wish: Wish): void;
  readonly callsPerRunMax: number;
  /** The servers of which somebody with these patterns may call tools; without patterns all. */
  serversFor(allowed: readonly string[] | undefined): string[];
  /** TypeScript declarations of a server's tools; a comment that says why, when it is not there. Rejects only with the signal's reason. */
  declarations(server: string, allowed: readonly string[] | undefined, signal: AbortSignal): Promise<string>;
  /** The tools of a wish; connects to their servers. @throws Fault `tool_unknown`, `tool_not_allowed`, `tool_unavailable` */
  offer(wish: Wish, signal: AbortSignal): Promise<OfferedTool[]>;
  /** Answers once, also when the tool fails; rejects only with the signal's reason. */
  call(request: ToolCallRequest): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export function createToolHost(options: ToolHostOptions): ToolHost {
  return new Host(options);
}

class Host implements ToolHost {
  readonly #options: ToolHostOptions;
  readonly #servers = new Map<string, ToolServer>();
  readonly #hostTools: Map<string, HostTool>;
  readonly #lane: PQueue;
  readonly #ending = new AbortController();
  readonly #secrets: Secret[];

  constructor(options: ToolHostOptions) {
    this.#options = options;
    this.#hostTools = hostTools(options.tools);
    const { clock, version, settings } = options;
    this.#lane = new PQueue({ concurrency: settings.maxConcurrentCalls });
    const all = Object.values(settings.servers);
    this.#secrets = all.flatMap(({ transport }) =>
      Object.values(transport.kind === "http" ? transport.headers : transport.env),
    );
    for (const server of all) {
      const onTrouble = (what: string, text: string): void => this.#log(what, { server: server.id }, text);
      this.#servers.set(server.id, new ToolServer({ settings: server, clock, version, onTrouble }));
    }
  }

  servers(): string[] {
    return [...(this.#hostTools.size > 0 ? [HOST_TOOLS] : []), ...this.#servers.keys()];
  }

  get callsPerRunMax(): number {
    return this.#options.settings.maxConcurrentCallsPerRun;
  }

  serversFor(allowed: readonly string[] | undefined): string[] {
    return serversOf({ allowed: allowed ?? ["*"], asked: undefined }, this.servers());
  }

  async declarations(server: string, allowed: readonly string[] | undefined, signal: AbortSignal): Promise<string> {
    try {
      const tools = await this.#tools(server, signal);
      return declarationsOf(
        server,
        tools.filter((tool) => !allowed || isToolAllowed(nameOf(tool), allowed)),
      );
    } catch (error) {
      if (!isFault(error) || signal.aborted) throw error;
      return `// ${error.message}\n`;
    }
  }

  check(wish: Wish): void {
    const servers = serversOf(wish, this.servers());
    const isKnown = servers.every((server) => server === HOST_TOOLS);
    if (isKnown)
      offeredOf({ ...wish, asked: wish.asked?.filter((name) => name.startsWith(`${HOST_TOOLS}.`)) }, this.#ofHost());
  }

  async offer(wish: Wish, signal: AbortSignal): Promise<OfferedTool[]> {
    const servers = serversOf(wish, this.servers());
    const lists = await Promise.all(servers.map((server) => this.#tools(server, signal)));
    return offeredOf(wish, lists.flat());
  }

  async call(request: ToolCallRequest): Promise<ToolAnswer> {
    const within = AbortSignal.any([request.signal, this.#ending.signal]);
    const work = async (): Promise<ToolAnswer> => {
      try {
        return await this.#answer(request, within);
      } catch (error) {
        if (within.aborted) throw within.reason;
        return this.#failed(request, error);
      }
    };
    if (this.#needsApproval(request)) return approvalRequired(request);
    return this.#lane.add(work, { signal: within });
  }

  async close(): Promise<void> {
    this.#ending.abort(fault("tool_unavailable", "The gateway is shutting down."));
    await Promise.all([...this.#servers.values()].map((server) => server.close()));
    await this.#lane.onIdle();
  }

  async #answer(request: ToolCallRequest, signal: AbortSignal): Promise<ToolAnswer> {
    const tools = await this.#tools(request.server, signal);
    const tool = tools.find(({ name }) => name === request.name);
    if (!tool) throw unknownTool(nameOf(request), tools.map(nameOf));
    const errors = await this.#options.checkArguments(tool.inputSchema, request.args);
    if (errors.length > 0) {
      throw fault("tool_arguments", `The arguments of ${nameOf(request)} do not fit its schema: ${errors.join("; ")}.`);
    }
    if (signal.aborted) throw signal.reason;
    const result = await this.#inTime(request, signal);
    if (result.isError) return this.#failed(request, { message: result.text });
    return boundedAnswer(result, nameOf(request), this.#resultBytesMax(request));
  }

  /** The call's own time; that of starting its server is over by now. */
  async #inTime(request: ToolCallRequest, signal: AbortSignal): Promise<RawResult> {
    const timeoutMs = this.#timeoutMs(request);
    const deadline = new AbortController();
    const reason = fault("tool_timeout", `The tool ${nameOf(request)} did not answer within ${timeoutMs} ms.`);
    const timer = this.#options.clock.setTimer(timeoutMs, () => deadline.abort(reason));
    try {
      return await this.#run(request, AbortSignal.any([signal, deadline.signal]));
    } catch (error) {
      throw deadline.signal.aborted ? reason : error;
    } finally {
      timer.cancel();
    }
  }

  async #run(request: ToolCallRequest, signal: AbortSignal): Promise<RawResult> {
    const own = this.#ownTool(request);
    if (!own) return rawResult(await this.#server(request.server).call(request, signal));
    const { idempotencyKey, attempt, args } = request;
    const value = await aborting(Promise.resolve(own.run(args, { signal, idempotencyKey, attempt })), signal);
    return hostResult(value);
  }

  /** The answer of a call that failed. Its own words go to the log, and further only where that is allowed. */
  #failed(request: ToolCallRequest, error: unknown): ToolAnswer {
    const name = nameOf(request);
    if (isFault(error) && isToolFault(error.code)) return { ok: false, code: error.code, message: error.message };
    const words = withoutSecrets(String((error as { message?: unknown } | null)?.message ?? error), this.#secrets);
    this.#log("a call of a tool failed", { tool: name, code: "tool_failed" }, words);
    const shown = this.#servers.get(request.server)?.settings.showErrors && words !== "" ? `: ${words}` : "";
    return { ok: false, code: "tool_failed", message: `The tool ${name} failed (tool_failed)${shown}.` };
  }

  async #tools(server: string, signal: AbortSignal): Promise<OfferedTool[]> {
    return server === HOST_TOOLS ? this.#ofHost() : this.#server(server).tools(signal);
  }

  #ofHost(): OfferedTool[] {
    return [...this.#hostTools.values()].map(offeredHostTool);
  }

  #server(id: string): ToolServer {
    const server = this.#servers.get(id);
    if (!server)
      throw unknownTool(
        `${id}.*`,
        this.servers().map((known) => `${known}.*`),
      );
    return server;
  }

  #ownTool({ server, name }: ToolCallRequest): HostTool | undefined {
    return server === HOST_TOOLS ? this.#hostTools.get(name) : undefined;
  }

  #needsApproval(request: ToolCallRequest): boolean {
    if (request.server === HOST_TOOLS) return this.#ownTool(request)?.approval === true;
    const approval = this.#servers.get(request.server)?.settings.approval ?? "never";
    if (typeof approval === "string") return approval === "always";
    return approval.some((pattern) => matches(request.name, pattern));
  }

  #timeoutMs(request: ToolCallRequest): number {
    const given = this.#ownTool(request)?.timeoutMs ?? this.#servers.get(request.server)?.settings.timeoutMs;
    return given ?? HOST_TIMEOUT_MS;
  }

  #resultBytesMax({ server }: ToolCallRequest): number {
    return this.#servers.get(server)?.settings.maxResultBytes ?? HOST_RESULT_BYTES_MAX;
  }

  #log(message: string, fields: { [name: string]: string }, words: string): void {
    this.#options.log("warn", message, { ...fields, words: withoutSecrets(words, this.#secrets) });
  }
}

function isToolFault(code: string): code is ToolFaultCode {
  return code.startsWith("tool_") || code === "approval_required";
}

function approvalRequired(request: ToolCallRequest): ToolAnswer {
  const message = `The tool ${nameOf(request)} needs a person's approval, which nobody is asked for here.`;
  return { ok: false, code: "approval_required", message };
}
