import {
  closeSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { step } from "../../engine/commit.ts";
import type { JournalEntry } from "../../engine/journal.ts";
import { recordId } from "../../engine/records.ts";
import type { SessionRow, State } from "../../engine/state.ts";
import { syncDirectory } from "../durable-directory.ts";
import { SessionTable } from "../session-table.ts";
import type { Commit, NewSession } from "../store.ts";
import {
  damaged,
  type LineBody,
  type LinePlace,
  newer,
  readLine,
  scanLines,
  writeLine,
} from "./line-format.ts";

/** Commits since the last snapshot take this many bytes before another is written. */
const snapshotAfter = 256 * 1024;

/** The first line up to its checksum and a little more. */
const headLength = 24;

/** One session's file, and what it says. All calls are synchronous; writers hold the directory's lock. */
export class JsonlFile {
  readonly path: string;
  readonly #warn: (warning: string) => void;
  #table: SessionTable | undefined;
  /** The commit lines by revision, for reading the journal back. */
  #places = new Map<number, LinePlace>();
  #imported: JournalEntry[] = [];
  #keys = new Map<string, number>();
  #lines = 0;
  /** How far the file has been read. */
  #size = 0;
  #identity = "";
  #torn: number | undefined;
  #sinceSnapshot = 0;
  #snapshotSize = 0;

  constructor(path: string, warn: (warning: string) => void) {
    this.path = path;
    this.#warn = warn;
  }

  get row(): SessionRow | undefined {
    return this.#table?.row;
  }

  get table(): SessionTable | undefined {
    return this.#table;
  }

  /** The file ends in half a line: another process is writing it, or crashed while it did. */
  get isTorn(): boolean {
    return this.#torn !== undefined;
  }

  /** Reads what others have appended. */
  refresh(): void {
    const file = openIfThere(this.path);
    if (file === undefined) {
      this.#forget();
      return;
    }
    try {
      const { size, ino } = fstatSync(file);
      // A file that was removed and made again can have the number of the old one; its first line is another.
      const identity = `${ino} ${readBytes(file, 0, Math.min(size, headLength)).toString("latin1")}`;
      if (identity !== this.#identity || size < this.#size) this.#forget();
      this.#identity = identity;
      this.#torn = undefined;
      if (size > this.#size) this.#readFrom(file, size);
    } catch (error) {
      // What was understood so far must not pass for the whole.
      this.#forget();
      throw error;
    } finally {
      closeSync(file);
    }
  }

  create(session: NewSession): void {
    const { row, records, entries } = session;
    const body: LineBody = {
      type: "session",
      version: 1,
      row,
      records: records.map(({ kind, key, value }) => [kind, key, value]),
      entries: [...entries],
    };
    this.#append(writeLine(row.revision, body));
    syncDirectory(dirname(this.path));
    this.refresh();
  }

  commit({ row, records, entry }: Commit): void {
    const line = writeLine(entry.revision, { type: "commit", entry });
    this.#append(line);
    this.#note({
      revision: entry.revision,
      type: "commit",
      start: this.#size,
      end: this.#size + line.length - 1,
    });
    this.#size += line.length;
    this.#sinceSnapshot += line.length;
    this.#lines++;
    if (entry.key) this.#keys.set(entry.key, entry.revision);
    this.#table?.write(row, records);
    if (this.#sinceSnapshot > Math.max(snapshotAfter, this.#snapshotSize)) this.#trySnapshot();
  }

  journal(from: number, to: number): JournalEntry[] {
    const entries = this.#imported.filter(({ revision }) => revision >= from && revision <= to);
    const places = [...this.#places.values()].filter(({ revision }) => revision >= from && revision <= to);
    if (places.length === 0) return entries;
    const file = openSync(this.path, "r");
    try {
      for (const place of places) {
        const body = readLine(readBytes(file, place.start, place.end));
        if (body.type === "commit") entries.push(body.entry);
      }
    } finally {
      closeSync(file);
    }
    return entries;
  }

  revisionOf(key: string): number | undefined {
    return this.#keys.get(key);
  }

  #readFrom(file: number, size: number): void {
    const data = readBytes(file, this.#size, size);
    const { places, torn } = scanLines(data, this.#size, this.#lines + 1, this.path);
    const base = this.#size;
    const lastWhole = places.findLastIndex(({ type }) => type === "snapshot");
    places.forEach((place, index) => {
      this.#note(place);
      const replay = index >= lastWhole || place.type === "session";
      if (replay)
        this.#replay(
          readLine(data.subarray(place.start - base, place.end - base)),
          this.#lines + index + 1,
          place,
          index >= lastWhole,
        );
    });
    this.#lines += places.length;
    this.#torn = torn;
    this.#size = places.at(-1) ? (places.at(-1) as LinePlace).end + 1 : this.#size;
  }

  /** `state` false: only what the journal needs is taken from the line; a snapshot follows that says the rest. */
  #replay(body: LineBody, line: number, place: LinePlace, state: boolean): void {
    const length = place.end - place.start + 1;
    if (body.type === "session") {
      if (body.version !== 1) {
        throw newer(this.path, `version ${body.version}`);
      }
      this.#imported = body.entries;
      for (const entry of body.entries) if (entry.key) this.#keys.set(entry.key, entry.revision);
      if (state)
        this.#table = new SessionTable(
          body.row,
          body.records.map(([kind, key, value]) => ({ kind, key, value })),
        );
      this.#sinceSnapshot = 0;
      this.#snapshotSize = length;
    } else if (body.type === "snapshot") {
      this.#table = new SessionTable(body.row);
      for (const [kind, key, versions] of body.records) this.#table.restore(kind, key, versions);
      this.#keys = new Map(body.keys);
      this.#sinceSnapshot = 0;
      this.#snapshotSize = length;
    } else {
      const table = this.#table;
      if (!table || body.entry.revision !== table.row.revision + 1)
        throw damaged(this.path, line, "it does not follow the line before it");
      const next = step(stateOf(table), body.entry);
      table.write(next.state.row as SessionRow, next.records);
      if (body.entry.key) this.#keys.set(body.entry.key, body.entry.revision);
      this.#sinceSnapshot += length;
    }
  }

  #note(place: LinePlace): void {
    if (place.type === "commit") this.#places.set(place.revision, place);
  }

  /** The commit before it is safe already, so a snapshot that fails costs time and nothing else. */
  #trySnapshot(): void {
    const table = this.#table;
    if (!table) return;
    try {
      this.#snapshot(table);
    } catch (error) {
      this.#warn(
        `${this.path}: no snapshot could be written (${(error as Error).message}); the next commit tries again.`,
      );
    }
  }

  #snapshot(table: SessionTable): void {
    const body: LineBody = {
      type: "snapshot",
      row: table.row,
      records: [...table.versions()],
      keys: [...this.#keys],
    };
    const line = writeLine(table.row.revision, body);
    this.#append(line);
    this.#size += line.length;
    this.#lines++;
    this.#sinceSnapshot = 0;
    this.#snapshotSize = line.length;
  }

  /** Written and fsynced, or not there at all. */
  #append(line: Buffer): void {
    const size = this.#size;
    const file = openSync(this.path, "a", 0o600);
    try {
      writeAll(file, line);
      fsyncSync(file);
    } catch (error) {
      this.#forget();
      takeBack(file, size, this.path);
      throw error;
    } finally {
      closeSync(file);
    }
  }

  /** For a writer, who holds the lock: half a line is then one whose writer died. It is kept aside, never silently. */
  dropTail(): void {
    const at = this.#torn;
    if (at === undefined) return;
    const file = openSync(this.path, "r+");
    try {
      const tail = readBytes(file, at, fstatSync(file).size);
      const aside = openSync(`${this.path}.torn`, "a", 0o600);
      try {
        writeAll(aside, Buffer.concat([tail, Buffer.from("\n")]));
      } finally {
        closeSync(aside);
      }
      ftruncateSync(file, at);
      fsyncSync(file);
      this.#warn(
        `${this.path}: the last line (${this.#lines + 1}) was torn and has been dropped; its ${tail.length} bytes are in ${this.path}.torn.`,
      );
    } finally {
      closeSync(file);
    }
    this.#torn = undefined;
  }

  #forget(): void {
    this.#table = undefined;
    this.#places.clear();
    this.#imported = [];
    this.#keys.clear();
    this.#lines = 0;
    this.#size = 0;
    this.#identity = "";
    this.#torn = undefined;
  }
}

/** What was not acknowledged must not be found later. If even this fails, a half line's checksum will tell. */
function takeBack(file: number, size: number, path: string): void {
  try {
    ftruncateSync(file, size);
    fsyncSync(file);
    if (size === 0) unlinkSync(path);
  } catch {
    // The first error is the one to report.
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function writeAll(file: number, data: Buffer): void {
  for (let written = 0; written < data.length; ) written += writeSync(file, data, written);
}

function stateOf(table: SessionTable): State {
  return {
    row: table.row,
    resident: new Map(table.resident().map(({ kind, key, value }) => [recordId(kind, key), value])),
  };
}

function readBytes(file: number, from: number, to: number): Buffer {
  const data = Buffer.allocUnsafe(to - from);
  let filled = 0;
  while (filled < data.length) {
    const count = readSync(file, data, filled, data.length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return data.subarray(0, filled);
}
