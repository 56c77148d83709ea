// Controller, part 14: random numbers, the start and the end of a script, and dispatch, the one way in.
// dispatch is no property of anything; a script runs in jobs of its own, with dispatch off the stack.

import { RESULT_BYTES_MAX } from "../../contract/limits.ts";
import { GUEST_OP, HOST_OP } from "../ops.ts";
import { guestText } from "./text.ts";

export const LIFECYCLE = guestText`
const RESULT_BYTES_MAX = ${RESULT_BYTES_MAX};
let randomA = 1;
let randomB = 2;
let randomC = 3;
let randomCounter = 1;

/** Small fast counting generator (sfc32): 128 bits of state, 32 bits a step. */
function random32() {
  const sum = (((randomA + randomB) | 0) + randomCounter) | 0;
  randomCounter = (randomCounter + 1) | 0;
  randomA = randomB ^ (randomB >>> 9);
  randomB = (randomC + (randomC << 3)) | 0;
  randomC = (((randomC << 21) | (randomC >>> 11)) + sum) | 0;
  return sum >>> 0;
}

/** Mixes a text into the generator: any two texts give unrelated streams (G-013). */
function reseed(text) {
  let one = 1779033703;
  let two = 3144134277;
  let three = 1013904242;
  for (let index = 0; index < text.length; index += 1) {
    const code = charCodeAt(text, index);
    one = imul(one ^ code, 597399067);
    two = imul(two ^ one ^ code, 2869860233) ^ (one >>> 15);
    three = imul(three ^ two, 951274213) ^ (two >>> 13);
  }
  randomA = one;
  randomB = two;
  randomC = three;
  randomCounter = 1;
  for (let step = 0; step < 15; step += 1) random32();
}

define(Math, "random", function random() {
  return (random32() * 2097152 + (random32() >>> 11)) / 9007199254740992;
}, false);

/** Says how the script ended, and how many notes were cut away; the first end is the only one. */
let ended = false;
function end(op, json) {
  if (ended) return;
  ended = true;
  bridge(op, notesDropped, fileName, json);
  notesDropped = 0;
}

function failWith(code, name, message, stack) {
  end(
    ${GUEST_OP.failure},
    '{"code":"' + code + '","name":' + jsonStringify(cut(name, 200)) +
      ',"message":' + jsonStringify(cut(message, ERROR_MESSAGE_CHARS_MAX)) +
      ',"stack":' + jsonStringify(cut(stack, ERROR_STACK_CHARS_MAX)) + "}",
  );
}

/** What was thrown, as data; getters of the script do not run. */
function fail(thrown) {
  try {
    if (typeof thrown === "object" && thrown !== null && isError(thrown)) {
      let message = ownText(thrown, "message", "");
      const errors = getOwnPropertyDescriptor(thrown, "errors");
      if (errors !== undefined && isArray(errors.value)) message += " " + inspect(errors.value);
      const cause = getOwnPropertyDescriptor(thrown, "cause");
      if (cause !== undefined && cause.value !== undefined) message += "\ncaused by " + inspect(cause.value);
      failWith("script_error", ownText(thrown, "name", "Error"), message, scriptFrames(ownText(thrown, "stack", "")));
    } else {
      failWith("script_error", "", "the script threw a value that is no Error: " + inspect(thrown), "");
    }
  } catch (error) {
    failWith("script_error", "", "the script threw a value that cannot be read", "");
  }
}

function finish(value) {
  let text;
  try {
    text = jsonText(value, "result");
  } catch (error) {
    if (error instanceof NotJson) failWith("result_not_json", "", error.path + " " + error.reason, "");
    else failWith("result_not_json", "", "result could not be written as JSON: " + inspect(error), "");
    return;
  }
  if (text === undefined) text = "null";
  // Counted in characters, of which there are never more than bytes; the host counts bytes.
  if (text.length > RESULT_BYTES_MAX) {
    const message =
      "the result takes at least " + text.length + " bytes as JSON, at most " + RESULT_BYTES_MAX + " are allowed";
    failWith("result_too_large", "", message, "");
    return;
  }
  end(${GUEST_OP.result}, text);
}

/** Runs the script to its end, whenever that is. */
async function drive(code) {
  let value;
  try {
    value = await pin(indirectEval(code)());
  } catch (error) {
    fail(error);
    return;
  }
  finish(value);
}

function start(code, boot) {
  runDigits = slice(boot.runId, 4);
  fileName = boot.fileName;
  noteCharsMax = boot.noteCharsMax;
  fix(root, "args", boot.args);
  installTools(boot.tools);
  if (boot.dialect !== undefined) installDialect(boot.dialect);
  if (hasOwn(boot, "budget")) {
    const names = objectKeys(boot.budget);
    for (let index = 0; index < names.length; index += 1) spent[names[index]] = boot.budget[names[index]];
  }
  later(function () {
    drive(code);
  });
}

function closeTurn() {
  bridge(${GUEST_OP.closed}, 0, fileName, '{"pending":' + mapSize(pending) + ',"notesDropped":' + notesDropped + "}");
  notesSent = 0;
  noteCharsSent = 0;
  notesDropped = 0;
}

/** A fork: what is spawned from here on has ids of its own; ids that the script holds stay as they are. */
function adopt(runId) {
  runDigits = slice(runId, 4);
  bridge(${GUEST_OP.adopted}, 0, fileName, "null");
}

return function dispatch(op, id, a, b) {
  // A run that has ended hears nothing more: what it does must not depend on which answers share its last turn.
  if (ended && (op === ${HOST_OP.fulfil} || op === ${HOST_OP.reject})) return 1;
  if (op === ${HOST_OP.fulfil}) return settle(id, true, a, b);
  if (op === ${HOST_OP.reject}) return settle(id, false, a, b);
  if (op === ${HOST_OP.start}) start(jsonParse(a), jsonParse(b));
  else if (op === ${HOST_OP.reseed}) reseed(a);
  else if (op === ${HOST_OP.close}) closeTurn();
  else if (op === ${HOST_OP.adopt}) adopt(a);
  else return 2;
  return 0;
};
`;
