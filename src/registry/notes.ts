// Progress notes (G-006): stored with the turn as events, bounded in length and count, and what is cut
// says so. Upholds L1 (they land with their turn), L10.

import type { Note } from "../contract/calls.ts";
import { NOTE_CHARS_MAX, NOTES_PER_RUN_MAX, PHASE_CHARS_MAX } from "../contract/limits.ts";
import type { TurnCommit } from "./port.ts";
import type { RunHead } from "./sql-runs.ts";
import { appendEvent, type Store } from "./store.ts";

export interface NotesStored {
  stored: number;
  /** The last phase that the turn announced. */
  phase: string | null;
}

export function appendNotes(store: Store, run: RunHead, commit: TurnCommit): NotesStored {
  const room = Math.max(NOTES_PER_RUN_MAX - run.notesStored, 0);
  const kept = commit.notes.slice(0, room);
  const append = (note: Note): void => {
    const facts = { number: commit.turn, detail: `${note.kind} ${note.level}`, body: cut(note.text, NOTE_CHARS_MAX) };
    appendEvent(store, "run.note", { sessionN: run.sessionN, groupN: run.groupN, runN: run.n }, commit.at, facts);
  };
  for (const note of kept) append(note);
  let stored = kept.length;
  const marked = run.notesStored > NOTES_PER_RUN_MAX;
  if (kept.length < commit.notes.length || (commit.notesDropped > 0 && kept.length === room)) {
    if (!marked) {
      append(mark(`… truncated: a run keeps ${NOTES_PER_RUN_MAX} notes; later ones are not stored`));
      stored += 1;
    }
  } else if (commit.notesDropped > 0) {
    append(mark(`… truncated: ${commit.notesDropped} more notes of this turn were not stored`));
    stored += 1;
  }
  const phase = commit.notes.findLast((note) => note.kind === "phase");
  return { stored, phase: phase ? cut(phase.text, PHASE_CHARS_MAX) : null };
}

function mark(text: string): Note {
  return { kind: "log", level: "warn", text };
}

function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`;
}
