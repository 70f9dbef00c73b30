import type { Json } from "../../engine/json.ts";
import type { SessionExport } from "../../engine/session-document.ts";
import type { SessionFile } from "../session-file.ts";
import { notesOf } from "./branch-memory.ts";
import { pi } from "./host.ts";
import { type PiSession, readPiSession, writePiState } from "./session-file.ts";

export const piSessionFile: SessionFile = {
  isIn: (text) => /^\uFEFF?\s*\{[^\n]*"type"\s*:\s*"session"[^\n]*(?:\r?\n|$)/.test(text),
  read(text) {
    const session = readPiSession(text);
    return { document: toDocument(session), warnings: session.warnings };
  },
  write: (text, memory) =>
    writePiState(text, memory, { now: new Date(), makeId: () => crypto.randomUUID().slice(0, 8) }),
};

/** The whole scratchpad, notepad and messages of the current branch as a session. */
function toDocument(session: PiSession): SessionExport {
  const { notes, plan, refs } = session.scratchpad;
  const startedAt = Date.parse(session.timestamp ?? "") || Date.now();
  return {
    format: "holdfast-session",
    version: 1,
    session: {
      id: session.id,
      agent: pi.name,
      title: session.title,
      parent: null,
      createdAt: startedAt,
      updatedAt: startedAt,
      revision: 0,
    },
    notepad: session.notepad,
    records: {
      space: { ...(notes === "" ? {} : { notes }), ...(plan === "" ? {} : { plan }) },
      ref: numbered(refs),
      note: Object.fromEntries(notesOf(session.branch)),
      message: numbered(session.messages.map(({ message }) => message as Json)),
    },
    journal: [],
  };
}

function numbered(values: Json[]): Record<string, Json> {
  return Object.fromEntries(values.map((value, index) => [String(index + 1).padStart(12, "0"), value]));
}
