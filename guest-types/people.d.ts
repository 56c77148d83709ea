// What a script sees besides agents.d.ts: people and programs outside that it can wait for.
//
// Person: ask before doing what cannot be undone, for at most a day.
//
//     const answer = await approve("Deploy to production?", { plan }, { timeout: "1d" });
//     if (!answer.approved) return { refused: answer.comment ?? answer.state };
//
// Event: wait for what a program sends to this run.
//
//     const build = await waitForEvent<{ ok: boolean }>("build-finished", { timeout: "2h" });
//     if (!build.ok) await agents.run("Find out why the build failed.");

/** How long to wait for somebody outside. Without `timeoutMs` and `timeout` it waits for as long as it takes. */
interface OutsideOptions {
  /** Milliseconds. */
  timeoutMs?: number | undefined;
  /** The same as "30s", "2h" or "7d". */
  timeout?: number | string | undefined;
  /** Gives the wait up when it aborts; the promise then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

interface ApproveOptions extends OutsideOptions {
  /** When nobody answers in time: "reject" (the default) gives `approved: false`, "error" rejects. */
  onTimeout?: "reject" | "error" | undefined;
}

/** What became of an approval. */
interface Approval {
  readonly approvalId: string;
  /** True only when somebody approved. */
  readonly approved: boolean;
  readonly state: "approved" | "rejected" | "expired";
  /** The session of whoever decided; absent when it expired. */
  readonly by?: string;
  readonly comment?: string;
  /** What was answered along with the decision. */
  readonly data?: Json;
  /** Milliseconds since 1970. */
  readonly decidedAt: number;
}

/**
 * Asks a person and waits for the decision: survives restarts, costs nothing meanwhile. `title` is at most 500
 * characters; `details` is text or JSON of at most 64 KiB that is shown with it. Read `approved`: the answer is an
 * object in any case. With `onTimeout: "error"` it rejects with an Error named "TimeoutError", code
 * "approval_timeout". At most 10,000 for one run.
 */
declare function approve(title: string, details?: unknown, options?: ApproveOptions): Promise<Approval>;

/**
 * Waits for an event that a program sends to this run by name, and resolves to its JSON. An event that was sent
 * before is kept until somebody waits for it (100 of one name); each is taken once, in order. After the time-out it
 * rejects with an Error named "TimeoutError", code "event_timeout". A name has at most 100 letters, digits and
 * `. _ : -`.
 */
declare function waitForEvent<Payload = unknown>(name: string, options?: OutsideOptions): Promise<Payload>;
