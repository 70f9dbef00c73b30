import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { compare, median, time } from "../measure.ts";
import type { SpeedSubject } from "./system.ts";
import { loadSystem, storesNothing } from "./systems.ts";

/** Times in milliseconds; they depend on the machine, so they are not part of the results that a seed reproduces. */
export interface SpeedResult {
  name: string;
  durability: string;
  edit: number;
  /** The edit, as a multiple of an UPDATE of a bare SQLite row in turn with it. */
  editRatio: number;
  read: number;
  /** Undefined if nothing is left when the process ends. */
  resume?: number;
  /** How much longer an edit (as a multiple of the bare row) and a read take after `history` edits than at first. */
  editGrowth: number;
  readGrowth: number;
}

const history = 1_000;
const sample = 100;

async function measureSpeed(
  name: string,
  open: (directory: string) => Promise<SpeedSubject>,
): Promise<SpeedResult> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-speed-"));
  try {
    const subject = await open(directory);
    const bare = await openBareRow(directory, "reference.db");
    let number = 0;
    // In turn, so that a disk that is busy slows both.
    const edits = (rounds: number) =>
      compare(
        () => subject.edit(++number),
        () => bare.edit(number),
        { rounds },
      );
    const first = await edits(sample);
    const read = median(await timesOf(sample, () => subject.read()));
    await timesOf(history - number - sample, () => subject.edit(++number));
    const later = await edits(sample);
    const readLater = median(await timesOf(sample, () => subject.read()));
    const { durability, reopen } = subject;
    const resume = reopen && median(await timesOf(10, () => resumeOnce(reopen)));
    await Promise.all([subject.close(), bare.close()]);
    return {
      name,
      durability,
      edit: first.work,
      editRatio: first.ratio,
      read,
      ...(resume === undefined ? {} : { resume }),
      editGrowth: later.ratio / first.ratio,
      readGrowth: readLater / read,
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function resumeOnce(reopen: () => Promise<SpeedSubject>): Promise<void> {
  const again = await reopen();
  await again.read();
  await again.close();
}

async function timesOf(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await time(work));
  return times;
}

/** The least that a durable store can do: one row, one transaction. */
async function openBareRow(directory: string, file = "bare.db"): Promise<SpeedSubject> {
  const database = new DatabaseSync(join(directory, file));
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT); INSERT OR IGNORE INTO note VALUES (1, '')",
  );
  const update = database.prepare("UPDATE note SET text = ? WHERE id = 1");
  const select = database.prepare("SELECT text FROM note WHERE id = 1");
  return {
    durability: "SQLite, WAL, synchronous = FULL",
    edit: async (number) => update.run(`- note ${number}`),
    read: async () => select.get(),
    reopen: () => openBareRow(directory, file),
    close: async () => database.close(),
  };
}

/** `node speed.ts ID` prints the result as JSON. */
const [id = ""] = process.argv.slice(2);
const system = id === "bare" ? { name: "a bare SQLite row", openStore: openBareRow } : await loadSystem(id);
if (!system.openStore) throw new Error(`${system.name} ${storesNothing}.`);
console.log(JSON.stringify(await measureSpeed(system.name, system.openStore)));
process.exit(0);
