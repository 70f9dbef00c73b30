import {
  closeSync,
  constants,
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
import { HoldfastError } from "../../errors.ts";
import { syncDirectory } from "../durable-directory.ts";
import { SessionTable } from "../session-table.ts";
import type { Commit, NewSession, RecordVersion } from "../store.ts";
import {
  damaged,
  type LineBody,
  type LineRange,
  newer,
  readLine,
  scanLines,
  writeLine,
} from "./line-format.ts";

/** Min bytes of commits between two snapshots. */
const snapshotAfter = 256 * 1024;

/** The start of the first line, including its checksum. */
const headLength = 24;

/** One session's file and its state. All calls are synchronous; writers hold the directory lock. */
export class JsonlFile {
  readonly path: string;
  readonly #warn: (warning: string) => void;
  #table: SessionTable | undefined;
  /** Commit lines by revision, to read the journal back. */
  #commitLines = new Map<number, LineRange>();
  #imported: JournalEntry[] = [];
  #keys = new Map<string, number>();
  #lines = 0;
  /** Bytes read so far. */
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

  /** The last line is incomplete: another process is writing it, or crashed while writing. */
  get isTorn(): boolean {
    return this.#torn !== undefined;
  }

  /** Reads the lines appended since the last call. */
  refresh(): void {
    const file = openIfExists(this.path);
    if (file === undefined) {
      this.#reset();
      return;
    }
    try {
      const { size, ino } = fstatSync(file);
      // A recreated file may reuse the inode, but its first line differs.
      const identity = `${ino} ${readBytes(file, 0, Math.min(size, headLength)).toString("latin1")}`;
      if (identity !== this.#identity || size < this.#size) this.#reset();
      this.#identity = identity;
      this.#torn = undefined;
      if (size > this.#size) this.#readFrom(file, size);
    } catch (error) {
      // A partly read state must not pass for the complete one.
      this.#reset();
      throw error;
    } finally {
      closeSync(file);
    }
  }

  create(session: NewSession): void {
    const { row, records, entries, versions } = session;
    const body: LineBody = {
      type: "session",
      version: 1,
      row,
      records: records.map(({ kind, key, value }) => [kind, key, value]),
      entries: [...entries],
    };
    const lines = [writeLine(row.revision, body), ...(versions ? [snapshotLine(session, versions)] : [])];
    this.#append(Buffer.concat(lines));
    syncDirectory(dirname(this.path));
    this.refresh();
  }

  commit({ row, records, entry }: Commit): void {
    const line = writeLine(entry.revision, { type: "commit", entry });
    this.#append(line);
    this.#indexCommit({
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
    const lines = [...this.#commitLines.values()].filter(
      ({ revision }) => revision >= from && revision <= to,
    );
    if (lines.length === 0) return entries;
    const file = openSync(this.path, "r");
    try {
      for (const line of lines) {
        const body = readLine(readBytes(file, line.start, line.end));
        if (body.type === "commit") entries.push(body.entry);
      }
    } finally {
      closeSync(file);
    }
    return entries;
  }

  get entryCount(): number {
    return this.#imported.length + this.#commitLines.size;
  }

  /** The oldest entries of the journal. */
  oldest(limit: number): JournalEntry[] {
    const revisions = [...this.#imported.map(({ revision }) => revision), ...this.#commitLines.keys()];
    const last = revisions[Math.min(limit, revisions.length) - 1];
    return last === undefined ? [] : this.journal(0, last);
  }

  revisionOf(key: string): number | undefined {
    return this.#keys.get(key);
  }

  #readFrom(file: number, size: number): void {
    const data = readBytes(file, this.#size, size);
    const { lines, torn } = scanLines(data, this.#size, this.#lines + 1, this.path);
    const base = this.#size;
    const lastWhole = lines.findLastIndex(({ type }) => type === "snapshot");
    lines.forEach((line, index) => {
      this.#indexCommit(line);
      const replay = index >= lastWhole || line.type === "session";
      if (replay)
        this.#replay(
          readLine(data.subarray(line.start - base, line.end - base)),
          this.#lines + index + 1,
          line,
          index >= lastWhole,
        );
    });
    this.#lines += lines.length;
    this.#torn = torn;
    this.#size = lines.at(-1) ? (lines.at(-1) as LineRange).end + 1 : this.#size;
  }

  /** `state` false: take only the journal data from the line, because a later snapshot has the state. */
  #replay(body: LineBody, lineNumber: number, range: LineRange, state: boolean): void {
    const length = range.end - range.start + 1;
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
        throw damaged(this.path, lineNumber, "it does not follow the line before it");
      const next = step(stateOf(table), body.entry);
      table.write(next.state.row as SessionRow, next.records);
      if (body.entry.key) this.#keys.set(body.entry.key, body.entry.revision);
      this.#sinceSnapshot += length;
    }
  }

  #indexCommit(line: LineRange): void {
    if (line.type === "commit") this.#commitLines.set(line.revision, line);
  }

  /** The commit is already durable, so a failed snapshot only makes the next load slower. */
  #trySnapshot(): void {
    const table = this.#table;
    if (!table) return;
    try {
      this.#snapshot(table);
    } catch (error) {
      this.#warn(
        `${this.path}: could not write a snapshot (${(error as Error).message}); the next commit tries again.`,
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

  /** All or nothing: written and fsynced, or truncated back. */
  #append(line: Buffer): void {
    const size = this.#size;
    const file = openSync(this.path, "a", 0o600);
    try {
      writeAll(file, line);
      fsyncSync(file);
    } catch (error) {
      this.#reset();
      truncateBack(file, size, this.path);
      throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Call under the lock, where a torn line means its writer crashed. Moves it to a `.torn` file and warns. */
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
        `${this.path}: dropped the last line (${this.#lines + 1}), which was torn; its ${tail.length} bytes are in ${this.path}.torn.`,
      );
    } finally {
      closeSync(file);
    }
    this.#torn = undefined;
  }

  #reset(): void {
    this.#table = undefined;
    this.#commitLines.clear();
    this.#imported = [];
    this.#keys.clear();
    this.#lines = 0;
    this.#size = 0;
    this.#identity = "";
    this.#torn = undefined;
  }
}

/** For a copied session: its records with the versions that forks read. */
function snapshotLine({ row, entries }: NewSession, versions: readonly RecordVersion[]): Buffer {
  const table = new SessionTable(row);
  table.restoreAll(versions);
  const keys = entries.flatMap(({ key, revision }): [string, number][] => (key ? [[key, revision]] : []));
  return writeLine(row.revision, { type: "snapshot", row, records: [...table.versions()], keys });
}

/** An unacknowledged line must not be found later. If truncating fails too, the checksum exposes the torn line. */
function truncateBack(file: number, size: number, path: string): void {
  try {
    ftruncateSync(file, size);
    fsyncSync(file);
    if (size === 0) unlinkSync(path);
  } catch {
    // Report the original error.
  }
}

function openIfExists(path: string): number | undefined {
  try {
    const file = openSync(path, readFlags);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code !== "ELOOP" && code !== "ENXIO") throw error;
  }
  throw new HoldfastError(
    "store_foreign",
    `${path} is a link or a special file, so it is not used. Remove it.`,
    {
      data: { path },
    },
  );
}

/** Never follow a link, and never wait for the other end of a pipe. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const readFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

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
