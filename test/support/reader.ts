/** Opens stores in a read-only location: reads everything, tries to write, and reports the outcome. */
import { writeSync } from "node:fs";
import { isHoldfastError, openMemory } from "../../src/index.ts";

export interface ReaderReport {
  opened: string;
  notepad?: string;
  notes?: string[];
  found?: number;
  history?: number;
  sessions?: string[];
  writing?: string;
  creating?: string;
  message?: string;
}

async function refusalOf(work: () => Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await work();
    return { code: "done", message: "" };
  } catch (error) {
    return isHoldfastError(error)
      ? { code: error.code, message: error.message }
      : { code: "not ours", message: String(error) };
  }
}

async function report(store: string): Promise<ReaderReport> {
  const opening = await refusalOf(async () => {
    const memory = await openMemory({ store });
    await memory.findSession("a");
    await memory.close();
  });
  if (opening.code !== "done") return { opened: opening.code, message: opening.message };
  const memory = await openMemory({ store });
  const session = await memory.resumeSession("a");
  const notes = await session.notes.all();
  const writing = await refusalOf(() => session.notepad.append("more"));
  const answer: ReaderReport = {
    opened: "done",
    notepad: await session.notepad.read(),
    notes: notes.map(({ content }) => content),
    found: (await session.notes.search({ query: "note" })).total,
    history: (await session.history()).length,
    sessions: (await memory.listSessions()).map(({ id }) => id),
    writing: writing.code,
    message: writing.message,
    creating: (await refusalOf(() => memory.createSession({ id: "b" }))).code,
  };
  await memory.close();
  return answer;
}

console.warn = (warning: string) => writeSync(2, `${warning}\n`);
const stores = JSON.parse(process.argv[2] ?? "[]") as string[];
for (const store of stores) writeSync(1, `${JSON.stringify(await report(store))}\n`);
