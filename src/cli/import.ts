import { readFileSync } from "node:fs";
import type { Json } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import { readPiSession } from "../hosts/pi-session-file.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionExport } from "../sessions/transfer.ts";
import { onlyArgument, openChosenMemory, readArguments } from "./arguments.ts";

const usage = "import FILE [--session ID]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { session: { type: "string" } });
  const path = onlyArgument(positionals, "FILE", usage);
  const text = readFile(path);
  const memory = await openChosenMemory(values);
  try {
    const session = looksLikePi(text)
      ? await importPi(memory, text, values.session)
      : await memory.importSession(
          parseJson(text, path),
          values.session === undefined ? {} : { id: values.session },
        );
    const { row } = await session.state();
    if (values.json) console.log(JSON.stringify({ session: session.id, revision: row.revision }));
    else
      console.log(
        `Imported as session ${session.id} (revision ${row.revision}, ${row.counters.notes} notes, ${row.counters.lastMessage} messages).`,
      );
    return 0;
  } finally {
    await memory.close();
  }
}

/** The scratchpad, notepad and messages of the current branch become a session's, none of it cut. */
async function importPi(memory: Memory, text: string, id: string | undefined): Promise<Session> {
  const pi = readPiSession(text);
  for (const { line, message } of pi.warnings) console.error(`holdfast: line ${line}: ${message}`);
  const { notes, plan, refs } = pi.scratchpad;
  const begun = Date.parse(pi.timestamp ?? "") || Date.now();
  const document: SessionExport = {
    format: "holdfast-session",
    version: 1,
    session: {
      id: pi.id,
      agent: "pi",
      title: pi.title ?? null,
      parent: null,
      createdAt: begun,
      updatedAt: begun,
      revision: 0,
    },
    notepad: pi.notepad,
    records: {
      space: { ...(notes === "" ? {} : { notes }), ...(plan === "" ? {} : { plan }) },
      ref: numbered(refs),
      message: numbered(pi.messages.map(({ message }) => message as Json)),
    },
    journal: [],
  };
  return memory.importSession(document, id === undefined ? {} : { id });
}

function numbered(values: Json[]): Record<string, Json> {
  return Object.fromEntries(values.map((value, index) => [String(index + 1).padStart(12, "0"), value]));
}

function looksLikePi(text: string): boolean {
  return /^\uFEFF?\s*\{[^\n]*"type"\s*:\s*"session"[^\n]*(?:\r?\n|$)/.test(text);
}

function readFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `${path} cannot be read: ${(error as Error).message}. Check the path.`,
      { cause: error },
    );
  }
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `${path} is neither a Holdfast export nor a pi session file (${(error as Error).message}). Nothing was imported.`,
      { cause: error },
    );
  }
}
