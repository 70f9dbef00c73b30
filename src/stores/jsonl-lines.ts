import { crc32 } from "node:zlib";
import { HoldfastError } from "../errors.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { Json, RecordKind, SessionRow } from "../engine/state.ts";
import type { Version } from "./session-table.ts";

/** What a line can be: the beginning of a session, one commit, or everything so far. */
export type LineBody =
  | { type: "session"; version: 1; row: SessionRow; records: [RecordKind, string, Json][]; entries: JournalEntry[] }
  | { type: "commit"; entry: JournalEntry }
  | { type: "snapshot"; row: SessionRow; records: [RecordKind, string, Version[]][]; keys: [string, number][] };

/** A line's place in the file. */
export interface LinePlace {
  revision: number;
  type: LineBody["type"];
  start: number;
  end: number;
}

const start = '{"sum":"';
const checkedFrom = start.length + 8 + 2;

/** `{"sum":"8 hex digits","revision":N,"type":"…","body":{…}}`: the sum is the CRC-32 of what follows it. */
export function writeLine(revision: number, body: LineBody): Buffer {
  const checked = `"revision":${revision},"type":"${body.type}","body":${JSON.stringify(body)}}`;
  return Buffer.from(`${start}${sumOf(Buffer.from(checked))}",${checked}\n`);
}

/** Where each line stands, every checksum verified. A bad last line is torn; a bad line elsewhere is damage. */
export function scanLines(data: Buffer, offset: number, firstNumber: number, path: string): { places: LinePlace[]; torn: number | undefined } {
  const places: LinePlace[] = [];
  let at = 0;
  while (at < data.length) {
    const newline = data.indexOf(10, at);
    const end = newline === -1 ? data.length : newline;
    const place = newline === -1 ? undefined : checkLine(data, at, end);
    if (!place) {
      if (end + 1 >= data.length) return { places, torn: offset + at };
      throw damaged(path, firstNumber + places.length, "its checksum does not match");
    }
    places.push({ ...place, start: offset + at, end: offset + end });
    at = end + 1;
  }
  return { places, torn: undefined };
}

export function readLine(data: Buffer): LineBody {
  return (JSON.parse(data.toString("utf8")) as { body: LineBody }).body;
}

export function damaged(path: string, line: number, reason: string): HoldfastError {
  return new HoldfastError(
    "store_damaged",
    `${path} is damaged at line ${line}: ${reason}. Nothing was changed. Restore a backup, or remove that line if what follows is worth more than what it held.`,
    { data: { path, line } },
  );
}

function checkLine(data: Buffer, at: number, end: number): Pick<LinePlace, "revision" | "type"> | undefined {
  if (end - at <= checkedFrom || data.toString("latin1", at, at + start.length) !== start) return undefined;
  const sum = data.toString("latin1", at + start.length, at + start.length + 8);
  if (sumOf(data.subarray(at + checkedFrom, end)) !== sum) return undefined;
  const head = /^"revision":(\d+),"type":"(session|commit|snapshot)"/.exec(data.toString("latin1", at + checkedFrom, at + checkedFrom + 64));
  return head ? { revision: Number(head[1]), type: head[2] as LineBody["type"] } : undefined;
}

function sumOf(data: Buffer): string {
  return crc32(data).toString(16).padStart(8, "0");
}
