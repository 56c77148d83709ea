// Controller, part 9: progress notes. Bounded in here, in length and in number, so that a flood costs
// its script little and the host nothing (G-006); the count of what was cut away goes with the turn.

import { NOTES_PER_TURN_MAX, PHASE_CHARS_MAX } from "../../contract/limits.ts";
import { GUEST_OP } from "../ops.ts";
import { guestText } from "./text.ts";

export const NOTES = guestText`
const NOTES_PER_TURN_MAX = ${NOTES_PER_TURN_MAX};
const PHASE_CHARS_MAX = ${PHASE_CHARS_MAX};
let notesSent = 0;
let noteCharsSent = 0;
let notesDropped = 0;
/** Characters of notes that one turn may send; set at start. */
let noteCharsMax = 65536;

/** Sends a progress note, or counts it away when the turn has sent its share (G-006). */
function note(kindAndLevel, text) {
  if (notesSent >= NOTES_PER_TURN_MAX || noteCharsSent >= noteCharsMax) {
    notesDropped += 1;
    return;
  }
  const kept = cut(text, NOTE_CHARS_MAX);
  notesSent += 1;
  noteCharsSent += kept.length;
  bridge(${GUEST_OP.note}, 0, kindAndLevel, jsonStringify(kept));
}

/** Values as one line of text; what nobody will see is not formatted. */
function line(values) {
  if (notesSent >= NOTES_PER_TURN_MAX || noteCharsSent >= noteCharsMax) return "";
  let text = "";
  for (let index = 0; index < values.length && text.length <= NOTE_CHARS_MAX; index += 1) {
    text += (index > 0 ? " " : "") + inspect(values[index]);
  }
  return text;
}

function consoleMethod(level) {
  return freeze({
    write(...values) {
      note("console:" + level, line(values));
    },
  }).write;
}

function phase(title) {
  if (typeof title !== "string") throw expected("phase: title", "a string", title);
  currentPhase = slice(title, 0, PHASE_CHARS_MAX);
  note("phase:info", cut(title, PHASE_CHARS_MAX));
}

function log(...values) {
  note("log:info", line(values));
}
`;
