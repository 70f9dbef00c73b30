import { closeSync, createReadStream, openSync, readFileSync, readSync } from "node:fs";
import { createInterface } from "node:readline";
import type { SessionExport } from "../../engine/session-document.ts";
import { HoldfastError } from "../../errors.ts";
import { hosts } from "../../hosts/hosts.ts";
import { parseCopy, type SessionCopy } from "../../sessions/copy-session.ts";
import { writeCopies } from "../../sessions/copy-store.ts";
import { openStore } from "../../stores/open-store.ts";
import { isKnowledgeOwner, knowledgeOwner } from "../../surfaces/knowledge/knowledge.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import type { Arguments } from "../arguments.ts";
import { withMemory } from "../memory.ts";
import { counted } from "../terminal/quantities.ts";
import { print } from "../terminal/screen.ts";

/** Creates sessions from an export or from a coding agent's session file. */
export async function importSessions(path: string, values: Arguments<"store">["values"]): Promise<number> {
  if (path === "-" || isCopy(path)) return importCopies(path, values);
  const document = await readDocument(path);
  const id = values.session === undefined ? {} : { id: values.session };
  return withMemory("create", values, async (memory) => {
    const session = await memory.importSession(document, id);
    const { revision, counters } = (await session.state()).row;
    const parts = `${counted(counters.notes, "note")}, ${counted(counters.lastMessage, "message")}`;
    print(values, { session: session.id, revision }, () => [
      `Imported as session ${session.id} (revision ${revision}, ${parts}).`,
    ]);
    return 0;
  });
}

async function readDocument(path: string): Promise<unknown> {
  const text = readFile(path);
  return (await readSessionFile(text)) ?? parseDocument(text, path);
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
  const owner = await withMemory("create", flags, async (memory) => memory.owner);
  const store = await openStore(findWorkspace({ flags }).store.url);
  const input = path === "-" ? process.stdin : createReadStream(path);
  try {
    const counts = await writeCopies(store, copiesIn(input, owner), (_done, { row }, outcome) => {
      if (outcome === "different")
        console.error(
          `holdfast: ${row.id}: this store has another session with this id; it was not changed.`,
        );
    });
    print(flags, counts, () => [
      `Imported ${counted(counts.copied, "session")}; ${counts.present} were already there, ${counts.different} differ.`,
    ]);
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

function parseDocument(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const titles = hosts.flatMap(({ title, sessionFile }) => (sessionFile ? title : [])).join(" or ");
    throw new HoldfastError(
      "invalid_input",
      `${path} is neither a Holdfast export nor a session file of ${titles} (${(error as Error).message}). Nothing was imported.`,
      { cause: error },
    );
  }
}
