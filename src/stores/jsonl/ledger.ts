import { appendFileSync, readFileSync, statSync } from "node:fs";
import { CallTable, type Ledger, type LedgerCall, type LedgerPiece } from "../ledger.ts";
import type { Scope } from "../store.ts";
import type { CallTrim } from "../trim.ts";
import { replaceFile } from "./rewrite.ts";

type Line = { piece: [hash: string, piece: LedgerPiece] } | { call: LedgerCall };

/** A file next to the session file, with one line per piece and per call. Skips lines that cannot be parsed. */
class CallFile {
  readonly #path: string;
  #table = new CallTable();
  #size = -1;
  #inode = 0;

  constructor(path: string) {
    this.#path = path;
  }

  read(): CallTable {
    const { size = 0, ino = 0 } = statSync(this.#path, { throwIfNoEntry: false }) ?? {};
    // A redacted file is a new one, of the same size.
    if (size === this.#size && ino === this.#inode) return this.#table;
    this.#inode = ino;
    this.#table = new CallTable();
    this.#size = size;
    for (const text of size === 0 ? [] : readFileSync(this.#path, "utf8").split("\n")) {
      const line = parse(text);
      if (line && "piece" in line) this.#table.texts.set(...line.piece);
      else if (line) this.#table.calls.push(line.call);
    }
    return this.#table;
  }

  restore(calls: readonly LedgerCall[], pieces: ReadonlyMap<string, LedgerPiece>): void {
    if (calls.length === 0) return;
    this.read().restore(calls, pieces);
    this.#replace();
  }

  trim(plan: CallTrim): boolean {
    if (!this.read().trim(plan)) return false;
    this.#replace();
    return true;
  }

  #replace(): void {
    const table = this.#table;
    const lines: Line[] = [
      ...[...table.texts].map((piece) => ({ piece })),
      ...table.calls.map((call) => ({ call })),
    ];
    replaceFile(this.#path, Buffer.from(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`));
    this.#size = -1;
  }

  append(call: Omit<LedgerCall, "number">, pieces: ReadonlyMap<string, LedgerPiece>): number {
    const table = this.read();
    const fresh = [...pieces].filter(([hash]) => !table.texts.has(hash));
    const numbered = table.record(call, new Map(fresh));
    const lines: Line[] = [...fresh.map((piece) => ({ piece })), { call: numbered }];
    // Start with a line break, so that a torn last line does not corrupt this one.
    const text = `\n${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
    appendFileSync(this.#path, text, { mode: 0o600 });
    ({ size: this.#size, ino: this.#inode } = statSync(this.#path));
    return numbered.number;
  }
}

/** Call it under the lock. */
export function trimCalls(path: string, plan: CallTrim): boolean {
  return new CallFile(path).trim(plan);
}

function parse(text: string): Line | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

/** `path`: the file with a session's calls, undefined if there is no such session. `hold`: runs work under the lock. */
interface Access {
  path(scope: Scope): Promise<string | undefined>;
  hold<T>(work: () => T): Promise<T>;
}

export function jsonlLedger({ path, hold }: Access): Ledger {
  const files = new Map<string, CallFile>();
  const find = async (scope: Scope): Promise<CallFile | undefined> => {
    const found = await path(scope);
    if (found === undefined) return undefined;
    const file = files.get(found) ?? new CallFile(found);
    files.set(found, file);
    return file;
  };
  return {
    async record(scope, call, pieces) {
      const file = await find(scope);
      return file && hold(() => file.append(call, pieces));
    },
    async calls(scope, selection) {
      return (await find(scope))?.read().select(selection) ?? [];
    },
    async restore(scope, calls, pieces) {
      const file = await find(scope);
      if (file) await hold(() => file.restore(calls, pieces));
    },
    async pieces(scope, hashes) {
      return (await find(scope))?.read().pieces(hashes) ?? new Map();
    },
  };
}
