import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { JournalEntry } from "../../engine/journal.ts";
import { openEnd, type SessionTable } from "../session-table.ts";
import type { Trimming } from "../trim.ts";
import { trimCalls } from "./ledger.ts";
import { type LineBody, writeLine } from "./line-format.ts";
import { replaceFile } from "./rewrite.ts";
import { callsBeside, type JsonlDirectory } from "./session-directory.ts";

export function jsonlTrimming(directory: JsonlDirectory, path: string): Trimming {
  return {
    isCostly: true,
    async oldest(scope, limit) {
      const found = await directory.read(scope, (file) => file.oldest(limit));
      return (found ?? []).map(({ revision, at }) => ({ revision, at }));
    },
    async dropEntries({ owner, sessionId }, before) {
      let dropped = 0;
      await directory.write(sessionId, (file) => {
        if (!file.table || file.row?.owner !== owner) return false;
        const kept = file.journal(before, openEnd);
        dropped = file.entryCount - kept.length;
        if (dropped > 0) writeCompacted(file.path, file.table, kept);
        return dropped > 0;
      });
      return dropped;
    },
    async dropCalls(scope, plan) {
      const found = await directory.read(scope, (file) => callsBeside(file.path));
      return found === undefined ? false : directory.hold(() => trimCalls(found, plan));
    },
    async size() {
      const names = readdirSync(path);
      return names.reduce(
        (sum, name) => sum + (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
    },
  };
}

/** The file as if the session had been imported now: its state, and the history that is left. */
function writeCompacted(path: string, table: SessionTable, entries: JournalEntry[]): void {
  const { row } = table;
  const versions = [...table.versions()];
  const session: LineBody = {
    type: "session",
    version: 1,
    row,
    records: versions.flatMap(([kind, key, all]): [typeof kind, string, (typeof all)[number]["value"]][] => {
      const current = all.at(-1);
      return current?.to === openEnd ? [[kind, key, current.value]] : [];
    }),
    entries,
  };
  const keys = entries.flatMap(({ key, revision }): [string, number][] => (key ? [[key, revision]] : []));
  const snapshot: LineBody = { type: "snapshot", row, records: versions, keys };
  const lines = [session, ...(row.lastFork > 0 ? [snapshot] : [])];
  replaceFile(path, Buffer.concat(lines.map((body) => writeLine(row.revision, body))));
}
