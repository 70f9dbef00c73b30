import { crc32 } from "node:zlib";
import type { JournalEntry } from "../../engine/journal.ts";
import type { Json } from "../../engine/json.ts";
import type { RecordKind } from "../../engine/records.ts";
import type { SessionRow } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import type { Version } from "../session-table.ts";

/** A line is a new session, one commit, or a snapshot of the current state. */
export type LineBody =
  | {
      type: "session";
      version: 1;
      row: SessionRow;
      records: [RecordKind, string, Json][];
      entries: JournalEntry[];
    }
  | { type: "commit"; entry: JournalEntry }
  | {
      type: "snapshot";
      row: SessionRow;
      records: [RecordKind, string, Version[]][];
      keys: [string, number][];
    };

/** A line's byte range in the file. */
export interface LineRange {
  revision: number;
  type: LineBody["type"];
  start: number;
  end: number;
}

const start = '{"sum":"';
const afterSum = '","revision":';
const checkedFrom = start.length + 8 + 2;

/** `{"sum":"8 hex digits","revision":N,"type":"…","body":{…}}`; the sum is the CRC-32 of the rest of the line. */
export function writeLine(revision: number, body: LineBody): Buffer {
  const checked = `"revision":${revision},"type":"${body.type}","body":${JSON.stringify(body)}}`;
  return Buffer.from(`${start}${sumOf(Buffer.from(checked))}",${checked}\n`);
}

/** Locates the lines and verifies their checksums. A bad last line is torn; a bad line elsewhere is damage. */
export function scanLines(
  data: Buffer,
  offset: number,
  firstNumber: number,
  path: string,
): { lines: LineRange[]; torn: number | undefined } {
  const lines: LineRange[] = [];
  let at = 0;
  while (at < data.length) {
    const newline = data.indexOf(10, at);
    const revision = newline === -1 ? undefined : checkLine(data, at, newline);
    if (revision === undefined) {
      if (offset + at === 0 && !couldBeOurs(data)) throw foreign(path);
      if (isLastLine(data, at)) return { lines, torn: offset + at };
      throw damaged(path, firstNumber + lines.length, "its checksum does not match");
    }
    lines.push({ revision, type: typeOf(data, at, path), start: offset + at, end: offset + newline });
    at = newline + 1;
  }
  return { lines, torn: undefined };
}

export function readLine(data: Buffer): LineBody {
  return (JSON.parse(data.toString("utf8")) as { body: LineBody }).body;
}

export function damaged(path: string, line: number, reason: string): HoldfastError {
  return new HoldfastError(
    "store_damaged",
    `${path} is damaged at line ${line}: ${reason}. Nothing was changed. Restore a backup, or remove that line if you can do without it.`,
    { data: { path, line } },
  );
}

export function newer(path: string, what: string): HoldfastError {
  return new HoldfastError(
    "store_newer",
    `${path} was written by a newer Holdfast (${what}). Update holdfast.`,
    { data: { path } },
  );
}

function foreign(path: string): HoldfastError {
  return new HoldfastError(
    "store_foreign",
    `${path} is not a Holdfast session file; it was not changed. Use another directory, or another session id.`,
    {
      data: { path },
    },
  );
}

/** The line's revision, or undefined if its checksum is wrong. */
function checkLine(data: Buffer, at: number, end: number): number | undefined {
  if (end - at <= checkedFrom || data.toString("latin1", at, at + start.length) !== start) return undefined;
  const sum = data.toString("latin1", at + start.length, at + checkedFrom);
  if (`${sumOf(data.subarray(at + checkedFrom, end))}",` !== sum) return undefined;
  const digits = /^"revision":(\d+),/.exec(data.toString("latin1", at + checkedFrom, at + checkedFrom + 32));
  return digits ? Number(digits[1]) : undefined;
}

function typeOf(data: Buffer, at: number, path: string): LineBody["type"] {
  const head = data.toString("latin1", at + checkedFrom, at + checkedFrom + 64);
  const [, type, known] = /^"revision":\d+,"type":"((session|commit|snapshot)|[^"]*)"/.exec(head) ?? [];
  if (!known) throw newer(path, `it has a line of type ${JSON.stringify(type)}`);
  return known as LineBody["type"];
}

/** True if no line starts after this one, not even an intact one merged into it by a corrupted line break. */
function isLastLine(data: Buffer, at: number): boolean {
  if (data.indexOf(`\n${start}`, at) !== -1) return false;
  for (let next = data.indexOf(start, at + 1); next !== -1; next = data.indexOf(start, next + 1)) {
    const newline = data.indexOf(10, next);
    if (newline !== -1 && checkLine(data, next, newline) !== undefined) return false;
  }
  return true;
}

/** A torn or bit-flipped first line still matches part of our prefix; after a power cut it may be all zeros. */
function couldBeOurs(data: Buffer): boolean {
  const head = data.toString("latin1", 0, start.length);
  return (
    start.startsWith(head) ||
    data.toString("latin1", start.length + 8, start.length + 8 + afterSum.length) === afterSum ||
    !data.some((byte) => byte !== 0)
  );
}

function sumOf(data: Buffer): string {
  return crc32(data).toString(16).padStart(8, "0");
}
