import { existingNotes } from "./edit/change-notes.ts";
import { resolvedBlockers } from "./handover.ts";
import { contextFields, entriesOf, itemsOf, tableOf } from "./notes-md/parse.ts";
import { severities } from "./notes-md/sections.ts";
import { columnOf } from "./notes-md/table.ts";
import type { Project } from "./project.ts";
import { sessionsOf } from "./recover/recover.ts";
import { checkReferences } from "./verify/verify.ts";

export interface ProjectStatus {
  file: string;
  bytes: number;
  task: string;
  checkpoint: string;
  state: string;
  decisions: number;
  archived: number;
  goals: { open: number; done: number };
  questions: number;
  debt: Record<string, number>;
  blockers: number;
  /** Blockers that may have resolved, and why. */
  mayHaveResolved: { line: number; blocker: string; reason: string }[];
  references: { ok: number; stale: number };
  handoffs: number;
  sessions: string[];
}

/** The notes at a glance. */
export function projectStatus(project: Project): ProjectStatus {
  const { file } = project;
  const notes = existingNotes(file);
  const fields = contextFields(notes);
  const value = (name: string) => fields.get(name)?.value ?? "";
  const goals = itemsOf(notes, "goals");
  const debt = tableOf(notes, "debt");
  const severity = debt ? columnOf(debt, "severity") : -1;
  const references = checkReferences(file, notes, 0);
  const ok = references.filter(({ status }) => status === "ok").length;
  return {
    file: file.name,
    bytes: Buffer.byteLength(notes.text),
    task: value("current bead"),
    checkpoint: value("last checkpoint"),
    state: value("reasoning state"),
    decisions: entriesOf(notes).length,
    archived: tableOf(notes, "archive")?.rows.length ?? 0,
    goals: {
      open: goals.filter(({ done }) => done !== true).length,
      done: goals.filter(({ done }) => done === true).length,
    },
    questions: itemsOf(notes, "questions").filter(({ done }) => done !== true).length,
    debt: Object.fromEntries(
      severities.map((name) => [
        name,
        debt?.rows.filter(({ cells }) => cells[severity]?.text === name).length ?? 0,
      ]),
    ),
    blockers: itemsOf(notes, "blockers").filter(({ text }) => !/^resolved/i.test(text)).length,
    mayHaveResolved: resolvedBlockers(project, notes),
    references: { ok, stale: references.length - ok },
    handoffs: tableOf(notes, "log")?.rows.length ?? 0,
    sessions: sessionsOf(notes).slice(-10),
  };
}
