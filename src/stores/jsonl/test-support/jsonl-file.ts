import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openTestMemory } from "../../../../test/support/memory.ts";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";
import type { StoredRecord } from "../../store.ts";
import { jsonlStore } from "../jsonl.ts";

/** A session file written by the store. */
export interface WrittenFile {
  directory: string;
  path: string;
  data: Buffer;
  /** Offset of each line; the last is the length of the file. */
  lineStarts: number[];
}

/** One session, "test", with `notes` notes of `characters` characters and a notepad write after each. */
export async function writeSessionFile(notes: number, characters: number): Promise<WrittenFile> {
  const directory = temporaryDirectory();
  const memory = await openTestMemory({ store: await jsonlStore({ directory }) });
  const session = await memory.createSession({ id: "test" });
  for (let count = 1; count <= notes; count++) {
    await session.notes.add(`${count} ${"ä".repeat(characters)}`, [`tag${count % 7}`], {
      key: `note ${count}`,
    });
    await session.notepad.write(`${count} notes so far`);
  }
  await memory.close();
  const path = join(directory, "test.jsonl");
  const data = readFileSync(path);
  const lineStarts = [0];
  for (let at = data.indexOf(10); at !== -1; at = data.indexOf(10, at + 1)) lineStarts.push(at + 1);
  return { directory, path, data, lineStarts };
}

/** Reads the session "test", and collects the warnings. */
export async function readSession(
  directory: string,
): Promise<{ found: Found | undefined; warnings: string[] }> {
  const warnings: string[] = [];
  const store = await jsonlStore({ directory, onWarning: (warning) => warnings.push(warning) });
  try {
    const scope = { owner: "local", sessionId: "test" };
    const loaded = await store.load(scope);
    if (!loaded) return { found: undefined, warnings };
    const notes = await store.records(scope, { kinds: ["note", "tag"] });
    const journal = await store.journal(scope, {});
    const found = {
      revision: loaded.row.revision,
      notepad: loaded.row.notepad,
      notes,
      revisions: journal.map(({ revision }) => revision),
    };
    return { found, warnings };
  } finally {
    await store.close();
  }
}

export interface Found {
  revision: number;
  notepad: string | null;
  notes: StoredRecord[];
  revisions: number[];
}
