import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionRow } from "../../engine/state.ts";
import { syncDirectory } from "../durable-directory.ts";
import { editJson, editValue, rewriteEntry, type TextEdit } from "../rewrite.ts";
import type { Version } from "../session-table.ts";
import { type LineBody, readLine, writeLine } from "./line-format.ts";

/** The current state of a session file, for the snapshot at the end of the new one. */
interface CurrentState {
  row: SessionRow;
  records: [kind: LineRecord[0], key: string, versions: Version[]][];
}

type LineRecord = Extract<LineBody, { type: "snapshot" }>["records"][number];

/**
 * Writes a session file anew with its text edited, and ends it with an entry for the edit and a snapshot: a text that
 * several edits put together is not in any of their lines. False if there is nothing to edit. Call it under the lock.
 */
export function rewriteSessionFile(path: string, state: CurrentState, edit: TextEdit, now: number): boolean {
  const keys = new Map<string, number>();
  let changed = false;
  const lines = linesOf(readFileSync(path)).map((line) => {
    const body = readLine(line);
    const edited = editBody(body, edit);
    changed ||= edited !== body;
    for (const [key, revision] of keysIn(edited)) keys.set(key, revision);
    return edited === body ? Buffer.concat([line, newline]) : writeLine(revisionOf(line), edited);
  });
  const records = editValue(state.records, edit);
  const row = editRow(state.row, edit);
  if (!changed && records === state.records && row === state.row) return false;
  const entry = rewriteEntry(state.row.revision + 1, now);
  const snapshot: LineBody = {
    type: "snapshot",
    row: { ...row, revision: entry.revision },
    records,
    keys: [...keys],
  };
  replaceFile(
    path,
    Buffer.concat([
      ...lines,
      writeLine(entry.revision, { type: "commit", entry }),
      writeLine(entry.revision, snapshot),
    ]),
  );
  return true;
}

/** Edits a file of JSON lines, or of anything else; false if there is no such file or nothing to edit. */
export function rewriteLines(path: string, edit: TextEdit): boolean {
  if (!existsSync(path)) return false;
  const before = readFileSync(path, "utf8");
  const after = before
    .split("\n")
    .map((line) => (line === "" ? line : editJson(line, edit)))
    .join("\n");
  if (after === before) return false;
  replaceFile(path, Buffer.from(after));
  return true;
}

const newline = Buffer.from("\n");

function linesOf(data: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, from)) {
    lines.push(data.subarray(from, end));
    from = end + 1;
  }
  return lines;
}

function revisionOf(line: Buffer): number {
  return (JSON.parse(line.toString("utf8")) as { revision: number }).revision;
}

function editBody(body: LineBody, edit: TextEdit): LineBody {
  if (body.type === "commit") {
    const entry = editValue(body.entry, edit);
    return entry === body.entry ? body : { ...body, entry };
  }
  const { row, ...rest } = body;
  const [editedRow, editedRest] = [editRow(row, edit), editValue(rest, edit)];
  return editedRow === row && editedRest === rest ? body : ({ ...editedRest, row: editedRow } as LineBody);
}

/** Ids and owners stay, because files and forks are found by them. */
function editRow(row: SessionRow, edit: TextEdit): SessionRow {
  const [title, notepad] = [editValue(row.title, edit), editValue(row.notepad, edit)];
  return title === row.title && notepad === row.notepad ? row : { ...row, title, notepad };
}

function keysIn(body: LineBody): [key: string, revision: number][] {
  if (body.type === "snapshot") return body.keys;
  const entries = body.type === "commit" ? [body.entry] : body.entries;
  return entries.flatMap(({ key, revision }): [string, number][] => (key ? [[key, revision]] : []));
}

/** The new file is complete on disk before it takes the old one's name. */
export function replaceFile(path: string, data: Buffer): void {
  const temporary = `${path}.rewrite`;
  writeFileSync(temporary, data, { mode: 0o600 });
  const file = openSync(temporary, "r+");
  fsyncSync(file);
  closeSync(file);
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}
