/** Runs on a small disk: fills it, writes, reads, frees space, writes again, and reports each outcome. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError, openMemory } from "../../src/index.ts";

export interface FullDiskReport {
  /** Notes acknowledged until the disk was full. */
  kept: number;
  /** Outcomes of writes on the full disk: three notes, a notepad, a session. */
  refusals: string[];
  message: string;
  /** Notes found by this handle, by a second one, and after reopening the store on the full disk. */
  read: number[];
  afterwards: string[];
  reopened: number;
}

const { store, disk } = JSON.parse(process.argv[2] ?? "{}") as { store: string; disk: string };
const ballast = join(disk, "ballast");

async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    if (isHoldfastError(error)) message = error.message;
    return isHoldfastError(error) ? error.code : String(error);
  }
}

/** Uses up every remaining byte. */
function fillDisk(): void {
  const file = openSync(ballast, "a");
  for (const size of [65_536, 4_096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch {
      // Full for writes of this size.
    }
  }
  closeSync(file);
}

let message = "";
const open = () => openMemory({ store });
let memory = await open();
let session = await memory.openSession("a");
const add = () => session.notes.add("x".repeat(3_000), []);
let kept = 0;
for (; kept < 50; kept++) await add();
fillDisk();
while ((await outcome(add)) === "done") kept++;
const refusals = [
  await outcome(add),
  await outcome(add),
  await outcome(add),
  await outcome(() => session.notepad.write("y".repeat(30_000))),
  await outcome(() => memory.createSession({ id: "b", title: "z".repeat(10_000) })),
];
const refused = message;
const read = [(await session.notes.all()).length];
const second = await open();
read.push((await (await second.resumeSession("a")).notes.all()).length);
await second.close();
await memory.close();
memory = await open();
session = await memory.resumeSession("a");
read.push((await session.notes.all()).length);
rmSync(ballast);
const afterwards = [
  await outcome(add),
  await outcome(() => session.notepad.append("room again")),
  await outcome(() => memory.createSession({ id: "c" })),
];
await memory.close();
memory = await open();
const reopened = (await (await memory.resumeSession("a")).notes.all()).length;
await memory.close();
const report: FullDiskReport = { kept, refusals, message: refused, read, afterwards, reopened };
writeSync(1, `${JSON.stringify(report)}\n`);
