// The numbers of the wall between host and guest, shared by the controller's text and the host that
// reads it. Strings and numbers only cross (law L5); a new kind of crossing is a new row here.

/** Host → guest: `dispatch(op, id, a, b)`. */
export const HOST_OP = {
  /** Answers call `id` with the JSON text `a`; `b` is an AnswerMeta as JSON text, or empty. */
  fulfil: 0,
  /** Rejects call `id` with `{ name, message, data }` as JSON text. */
  reject: 1,
  /** Begins the script: `a` is its text as a JSON string, `b` a BootData as JSON text. */
  start: 2,
  /** Gives Math.random a new stream; `a` is any text (G-013). */
  reseed: 3,
  /** Ends a turn: the guest answers with `closed` and starts counting notes anew. */
  close: 4,
  /** The run goes on under another id from here: `a` is that id. The guest answers with `adopted`. */
  adopt: 5,
} as const;

/** Guest → host: `bridge(op, id, method, json)`. */
export const GUEST_OP = {
  /** Call `id` of `method`; json is `{ at: [line, column], args }`. */
  call: 0,
  /** The script returned; `id` counts the notes cut away, `method` is its file name, json its value. Final. */
  result: 1,
  /** The script failed; like `result`, json is `{ code, name, message, stack }`. Final. */
  failure: 2,
  /** A progress note: `method` is its kind and level, json its text as a JSON string. */
  note: 3,
  /** The turn is over: `method` is the script's file name, json `{ pending, notesDropped }`. */
  closed: 4,
  /** Children that are spawned from now on belong to the run that `adopt` named. */
  adopted: 5,
} as const;

/** The name that the engine gives to code evaluated by a program, as it stands in stack lines. */
export const SCRIPT_FRAME = "<input>:";
/** Deepest nesting of JSON that crosses the wall, levels. Deeper is refused by name on either side (L10). */
export const JSON_DEPTH_MAX = 200;
/** Longest error message and stack that cross the wall, characters. */
export const ERROR_MESSAGE_CHARS_MAX = 4_000;
export const ERROR_STACK_CHARS_MAX = 4_000;
/** Longest reason of a cancellation, characters. */
export const CANCEL_REASON_CHARS_MAX = 1_000;
