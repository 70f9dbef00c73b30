import { readFileSync } from "node:fs";
import type { SessionExport } from "../../engine/session-document.ts";
import { HoldfastError } from "../../errors.ts";
import { hosts } from "../../hosts/hosts.ts";
import type { Memory } from "../../sessions/memory.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { openQuarantined } from "../../workspace/quarantined-memory.ts";
import { onlyArgument, readArguments } from "../arguments.ts";
import { eachSession } from "../pick-session.ts";
import { startProgress } from "../terminal/progress.ts";

const usage = "import FILE [--session ID], or import --quarantined SESSION [--session ID]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    session: { type: "string" },
    quarantined: { type: "boolean", default: false },
  });
  const path = onlyArgument(positionals, values.quarantined ? "SESSION" : "FILE", usage);
  const documents = values.quarantined ? [await readQuarantined(path)] : await readDocuments(path);
  if (documents.length > 1 && values.session !== undefined) {
    throw new HoldfastError(
      "invalid_input",
      `${path} contains ${documents.length} sessions, and --session can name only one. Omit it.`,
    );
  }
  const memory = await openWorkspaceMemory({ flags: values });
  const progress = startProgress("Importing", documents.length);
  try {
    const imported: Imported[] = [];
    for (const [index, document] of documents.entries()) {
      progress.at(index);
      try {
        imported.push(await importOne(memory, document, values.session, values.json));
      } catch (error) {
        // A rejected document does not stop the others.
        if (documents.length === 1 || !(error instanceof HoldfastError)) throw error;
        console.error(`holdfast: document ${index + 1}: ${error.message}`);
      }
    }
    if (values.json) console.log(JSON.stringify(documents.length === 1 ? imported[0] : imported));
    return imported.length === documents.length ? 0 : 1;
  } finally {
    progress.end();
    await memory.close();
  }
}

async function readDocuments(path: string): Promise<unknown[]> {
  const text = readFile(path);
  const fromHost = await readSessionFile(text);
  return fromHost ? [fromHost] : parseDocuments(text, path);
}

/** One session of the memory that came with the project and is not used. */
async function readQuarantined(idOrPrefix: string): Promise<unknown> {
  const { quarantine } = findProject(process.cwd());
  if (!quarantine)
    throw new HoldfastError("not_found", "Nothing is quarantined here. Name a file to import.");
  const found = await openQuarantined(quarantine);
  try {
    for (const { memory } of found.stores) {
      for await (const { id } of eachSession(memory))
        if (id === idOrPrefix || id.startsWith(idOrPrefix)) return await memory.exportSession(id);
    }
    throw new HoldfastError(
      "session_not_found",
      `There is no quarantined session ${JSON.stringify(idOrPrefix)}. "holdfast trust" lists them.`,
    );
  } finally {
    await found.close();
  }
}

interface Imported {
  session: string;
  revision: number;
}

async function importOne(
  memory: Memory,
  document: unknown,
  id: string | undefined,
  quiet: boolean,
): Promise<Imported> {
  const session = await memory.importSession(document, id === undefined ? {} : { id });
  const { row } = await session.state();
  if (!quiet) {
    console.log(
      `Imported as session ${session.id} (revision ${row.revision}, ${row.counters.notes} notes, ${row.counters.lastMessage} messages).`,
    );
  }
  return { session: session.id, revision: row.revision };
}

/** Converts a host's session file to a document; undefined if the text is not from any host. */
async function readSessionFile(text: string): Promise<SessionExport | undefined> {
  for (const host of hosts) {
    const file = await host.sessionFile?.();
    if (!file?.isIn(text)) continue;
    const { document, warnings } = file.read(text);
    for (const { line, message } of warnings) console.error(`holdfast: line ${line}: ${message}`);
    return document;
  }
  return undefined;
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

/** Parses one document, or one per line as a salvage writes them. */
function parseDocuments(text: string, path: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch (error) {
    try {
      if (text.trim() === "") throw error;
      return text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line) as unknown);
    } catch {
      const titles = hosts.flatMap(({ title, sessionFile }) => (sessionFile ? title : [])).join(" or ");
      throw new HoldfastError(
        "invalid_input",
        `${path} is neither a Holdfast export nor a session file of ${titles} (${(error as Error).message}). Nothing was imported.`,
        { cause: error },
      );
    }
  }
}
