import { createBead } from "../beads.ts";
import type { NotesFile } from "../notes-md/file.ts";
import { type Notes, tableOf } from "../notes-md/parse.ts";
import type { severities } from "../notes-md/sections.ts";
import { columnOf } from "../notes-md/table.ts";
import type { Caller, Project } from "../project.ts";
import { gitHead, gitHistoryIds } from "../verify/git.ts";
import { readWorkingFile, writeWorkingFile } from "../verify/working-files.ts";
import { rowLine, safeRow, setCells } from "./tables.ts";
import { requireLine } from "./written-pieces.ts";

export interface DebtInput {
  description: string;
  severity?: (typeof severities)[number] | undefined;
  found_by?: string | undefined;
  sprint?: string | undefined;
  actionable?: boolean | undefined;
}

export interface DebtResult {
  id: string;
  line: number;
  /** The id of its issue. */
  bead: string | undefined;
  /** Why a requested issue was not created. */
  noBead: string | undefined;
}

/** Adds a row to the debt table under a new id; actionable debt also becomes an issue in Beads. */
export async function logDebt(project: Project, input: DebtInput, caller: Caller): Promise<DebtResult> {
  const description = requireLine(input.description, "description");
  const severity = input.severity ?? "MEDIUM";
  const { id, line } = project.change("log_debt", (notes) => {
    const { id: next, release } = allocateId(project.file, notes);
    const row = safeRow(notes, "debt", {
      id: next,
      description,
      severity,
      "found by": nameOf(input.found_by ?? caller.agent) || "agent",
      sprint: nameOf(input.sprint),
    });
    return { edits: [row], result: { id: next, line: rowLine(row) }, abandon: release };
  });
  if (!input.actionable) return { id, line, bead: undefined, noBead: undefined };
  const issue = await createBead(project, { title: description, severity, reference: id });
  if ("problem" in issue) return { id, line, bead: undefined, noBead: issue.problem };
  project.change("log_debt", (notes) => ({ edits: beadCell(notes, id, issue.id), result: undefined }));
  return { id, line, bead: issue.id, noBead: undefined };
}

function nameOf(text: string | undefined): string {
  return text?.trim() ? requireLine(text, "name") : "";
}

/** Writes the issue's id to its own column if the table has one, else after the description. */
function beadCell(notes: Notes, id: string, bead: string) {
  const table = tableOf(notes, "debt");
  const idColumn = table ? columnOf(table, "id") : -1;
  const row = table?.rows.find(({ cells }) => cells[idColumn]?.text === id);
  if (!table || !row) return [];
  const own = ["bead", "issue"].find((name) => columnOf(table, name) !== -1);
  if (own !== undefined) return setCells(notes, "debt", own, new Map([[row.line, bead]]));
  const described = row.cells[columnOf(table, "description")]?.text ?? "";
  return setCells(notes, "debt", "description", new Map([[row.line, `${described} (${bead})`]]));
}

const debtId = /\bTD-(\d{1,9})\b/g;

/** Allocates the next id. Ids are never reused, even when their row is gone; `release` is for one that was never written. */
function allocateId(file: NotesFile, notes: Notes): { id: string; release: () => void } {
  const known = readWorkingFile(file, "ids.json") as { debt?: unknown; head?: unknown } | undefined;
  const debt = typeof known?.debt === "number" ? known.debt : 0;
  const seen = debt > 0 && typeof known?.head === "string" ? known.head : "";
  // Newer commits may have added a row with an id and removed it again.
  const head = gitHead(file);
  const past = head === seen ? 0 : highest(gitHistoryIds(file, seen));
  const next = Math.max(debt, past, highest(notes.text)) + 1;
  writeWorkingFile(file, "ids.json", { debt: next, head });
  const id = `TD-${String(next).padStart(3, "0")}`;
  return { id, release: () => writeWorkingFile(file, "ids.json", known ?? {}) };
}

function highest(text: string): number {
  let max = 0;
  for (const [, digits] of text.matchAll(debtId)) max = Math.max(max, Number(digits));
  return max;
}
