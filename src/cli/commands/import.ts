import { closeSync, createReadStream, openSync, readFileSync, readSync } from "node:fs";
import { createInterface } from "node:readline";
import type { SessionExport } from "../../engine/session-document.ts";
import { HoldfastError } from "../../errors.ts";
import { hosts } from "../../hosts/hosts.ts";
import { parseCopy, type SessionCopy } from "../../sessions/copy-session.ts";
import { writeCopies } from "../../sessions/copy-store.ts";
import type { Memory } from "../../sessions/memory.ts";
import { openStore } from "../../stores/open-store.ts";
import { isKnowledgeOwner, knowledgeOwner } from "../../surfaces/knowledge/knowledge.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { openQuarantined } from "../../workspace/quarantined-memory.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { onlyArgument, readArguments } from "../arguments.ts";
import { eachSession } from "../pick-session.ts";
import { startProgress } from "../terminal/progress.ts";
import { printJson } from "../terminal/screen.ts";

const usage = "import FILE|- [--session ID], or import --quarantined SESSION [--session ID]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    session: { type: "string" },
    quarantined: { type: "boolean", default: false },
  });
  const path = onlyArgument(positionals, values.quarantined ? "SESSION" : "FILE", usage);
  if (!values.quarantined && (path === "-" || isCopy(path))) return importCopies(path, values);
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
    if (values.json) printJson(documents.length === 1 ? imported[0] : imported);
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

const copyStart = '{"format":"holdfast-copy"';

function isCopy(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const start = Buffer.alloc(copyStart.length);
    return readSync(file, start) === start.length && start.toString() === copyStart;
  } catch {
    // The caller reports a file that cannot be read.
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads an export of all sessions line by line; what is already in the store is not written again. */
async function importCopies(path: string, flags: StoreFlags & { json: boolean }): Promise<number> {
  const memory = await openWorkspaceMemory({ flags });
  const { owner } = memory;
  await memory.close();
  const store = await openStore(findWorkspace({ flags }).store.url);
  const input = path === "-" ? process.stdin : createReadStream(path);
  try {
    const counts = await writeCopies(store, copiesIn(input, owner), (_done, { row }, outcome) => {
      if (outcome === "different")
        console.error(
          `holdfast: ${row.id}: this store has another session with this id; it was not changed.`,
        );
    });
    if (flags.json) printJson(counts);
    else
      console.log(
        `Imported ${counts.copied} sessions; ${counts.present} were already there, ${counts.different} differ.`,
      );
    return counts.different === 0 ? 0 : 1;
  } finally {
    await store.close();
  }
}

async function* copiesIn(input: NodeJS.ReadableStream, owner: string): AsyncGenerator<SessionCopy> {
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line++;
    if (text.trim() === "") continue;
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch (error) {
      throw new HoldfastError(
        "invalid_input",
        `Line ${line} is not a whole session (${(error as Error).message}). The sessions before it were imported; export again and repeat the import.`,
        { cause: error },
      );
    }
    const from = (given as { row?: { owner?: unknown } } | null)?.row?.owner;
    // Sessions become the importing user's; the knowledge of its agents stays knowledge.
    const isKnowledge = typeof from === "string" && isKnowledgeOwner(from);
    yield parseCopy(given, isKnowledge ? knowledgeOwner(owner) : owner);
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
