import {
  appendFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { SessionExport } from "../../engine/session-document.ts";
import { HoldfastError } from "../../errors.ts";
import { findHost, hosts } from "../../hosts/hosts.ts";
import { readPart } from "../../hosts/transcript/json-files.ts";
import {
  copiesOf,
  countSessions,
  parseCopy,
  type SessionCopy,
  writeCopies,
} from "../../sessions/copy-session.ts";
import type { Session } from "../../sessions/session.ts";
import { openStore, parseStoreAddress } from "../../stores/open-store.ts";
import { distributeStore, readLayout } from "../../stores/postgres/layout.ts";
import type { Store } from "../../stores/store.ts";
import { isKnowledgeOwner, knowledgeOwner } from "../../surfaces/knowledge/handle.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { type Arguments, checkArguments, readArguments, readSubcommand, usageError } from "../arguments.ts";
import { hostFormats } from "../commands.ts";
import { withMemory } from "../memory.ts";
import { pickSession } from "../pick-session.ts";
import { absoluteAddress, rememberCopy } from "../store-backups.ts";
import { type Progress, startProgress } from "../terminal/progress.ts";
import { counted } from "../terminal/quantities.ts";
import { print, printProblem } from "../terminal/screen.ts";
import { visibleJson } from "../terminal/visible-text.ts";

type Values = Arguments<"store">["values"];

const subcommands: Record<string, (args: string[], values: Values) => Promise<number>> = {
  export: exportSessions,
  import: importSessions,
  migrate,
  check,
  distribute,
};

/** Moves sessions between stores and files, and looks after a Postgres store. */
export async function store(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("store", args);
  const { run, rest } = readSubcommand("store", positionals, subcommands);
  return run(rest, values);
}

async function check(args: string[], values: Values): Promise<number> {
  checkArguments("store", args, "");
  const found = await readLayout(postgresUrl("check", values));
  const { engine, layout, schema, problems } = found;
  print(values, found, () => [
    `Engine: ${engine}`,
    `Layout: ${layout} (schema ${schema})`,
    ...(problems.length === 0 ? ["No problems found."] : problems.map((problem) => `Problem: ${problem}`)),
  ]);
  return problems.length === 0 ? 0 : 1;
}

async function distribute(args: string[], values: Values): Promise<number> {
  checkArguments("store", args, "");
  const url = postgresUrl("distribute", values);
  // Opening creates or upgrades the tables.
  await (await openStore(url)).close();
  const done = await distributeStore(url);
  print(values, { done }, () => (done.length > 0 ? done : ["Nothing to do: the store is distributed."]));
  return 0;
}

function postgresUrl(action: string, flags: StoreFlags): string {
  const address = parseStoreAddress(findWorkspace({ flags }).store.url);
  if (address.kind === "postgres") return address.url;
  throw new HoldfastError(
    "invalid_input",
    `"store ${action}" is for Postgres, and this store is ${address.kind}. Name one with --store postgres://…`,
  );
}

/** Copies one store into another. The source is not changed. */
async function migrate(args: string[], { owner, json }: Values): Promise<number> {
  checkArguments("store", args, "FROM TO");
  const [from = "", to = ""] = args;
  const address = parseStoreAddress(from);
  if (address.kind === "sqlite" && !statSync(address.path, { throwIfNoEntry: false })?.size)
    throw new HoldfastError(
      "not_found",
      `There is no store at ${address.path}. Nothing was copied. Check FROM.`,
    );
  const source = await openStore(from);
  try {
    const target = await openStore(to);
    try {
      const progress = startProgress("Copying sessions", await countSessions(source, owner));
      const exitCode = await writeSessions(target, copiesOf(source, owner), json, progress);
      rememberCopy(from, absoluteAddress(to));
      return exitCode;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Writes sessions into a store, and compares those that are there already. */
async function writeSessions(
  target: Store,
  copies: AsyncIterable<SessionCopy>,
  json: boolean,
  progress?: Progress,
): Promise<number> {
  const counts = await writeCopies(target, copies, (done, { row }, outcome) => {
    progress?.at(done);
    if (outcome === "different")
      printProblem(`${row.id}: the target has another session with this id. It was not changed.`);
  });
  progress?.end();
  print({ json }, counts, () => [
    `${counted(counts.copied, "session")} copied and compared, ${counts.present} already there, ${counts.different} different.`,
  ]);
  return counts.different === 0 ? 0 : 1;
}

/** Writes one session, or all of them. */
async function exportSessions(args: string[], values: Values): Promise<number> {
  checkArguments("store", args, "[SESSION]");
  const [idOrPrefix] = args;
  if (values.all && idOrPrefix !== undefined) throw usageError("store", "Pass SESSION or --all, not both");
  if (!values.all && idOrPrefix === undefined)
    throw usageError("store", "SESSION is missing (or pass --all)");
  if (values.all && values.format !== "json")
    throw usageError("store", "--all writes JSON only. Pass SESSION, or omit --format");
  const written = values.all ? await exportAll(values) : await exportOne(idOrPrefix, values);
  if (values.into === undefined) return 0;
  // A later redaction has to reach the file as well.
  if (values.format === "json")
    rememberCopy(findWorkspace({ flags: values }).store.url, resolve(values.into));
  print(values, { written, file: values.into }, () => [`Wrote ${written} to ${values.into}.`]);
  return 0;
}

async function exportOne(
  idOrPrefix: string | undefined,
  { format, into, ...flags }: Values,
): Promise<string> {
  return withMemory("change", flags, async (memory) => {
    const session = await pickSession(memory, idOrPrefix);
    if (format !== "json") await exportToHost(session, format, into);
    else {
      refuseOtherFile(into, "holdfast-session");
      await writeOut([`${visibleJson(await memory.exportSession(session.id))}\n`], into);
    }
    return `session ${session.id}`;
  });
}

/** One session per line, each written before the next is read. */
async function exportAll(values: StoreFlags & { into?: string | undefined }): Promise<string> {
  refuseOtherFile(values.into, "holdfast-copy");
  // Opening the memory first reports a store that does not exist.
  const owner = await withMemory("change", values, async (memory) => memory.owner);
  const store = await openStore(findWorkspace({ flags: values }).store.url);
  let sessions = 0;
  async function* lines(): AsyncGenerator<string> {
    for await (const copy of copiesOf(store, owner)) {
      sessions++;
      yield `${JSON.stringify(copy)}\n`;
    }
  }
  try {
    await writeOut(lines(), values.into);
  } finally {
    await store.close();
  }
  return counted(sessions, "session");
}

/** Writes to stdout, or to a file: whole or not at all, so that an earlier export stays until this one is complete. */
async function writeOut(
  texts: Iterable<string> | AsyncIterable<string>,
  path: string | undefined,
): Promise<void> {
  if (path === undefined) return pipeline(texts, process.stdout, { end: false });
  // Through a symlink, the file that it names is replaced.
  const file = existsSync(path) ? realpathSync(path) : path;
  const temporary = `${file}.${process.pid}`;
  try {
    await pipeline(texts, createWriteStream(temporary, { mode: 0o600, flags: "wx", flush: true }));
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new HoldfastError(
      "invalid_input",
      `${path} cannot be written: ${(error as Error).message}. Check that its folder exists, is writable and has room.`,
      { cause: error },
    );
  }
}

/** An export replaces an earlier export of its kind, and no other file. */
function refuseOtherFile(path: string | undefined, format: string): void {
  const stat = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  if (path === undefined || !stat) return;
  if (!stat.isFile())
    throw new HoldfastError(
      "invalid_input",
      `${path} is not a regular file. Nothing was written. Name a file, or omit --into to write to stdout.`,
    );
  if (stat.size === 0 || kindOf(readPart(path, { until: 100 })) === format) return;
  throw new HoldfastError(
    "invalid_input",
    `${path} exists and is not an earlier export of this kind. Nothing was written. Name a new file. To add the memory to a coding agent's own session file, pass --format: ${hostFormats.join(" or ")}.`,
  );
}

/** Which export begins like this, if it is one. */
function kindOf(start = ""): string | undefined {
  return /^\{\s*"format":\s*"([\w-]+)"/.exec(start)?.[1];
}

/** Writes the memory into a host's session file. */
async function exportToHost(session: Session, format: string, path: string | undefined): Promise<void> {
  const host = findHost(format);
  const file = await host?.sessionFile?.();
  if (!host || !file) {
    throw new HoldfastError(
      "invalid_input",
      `--format must be ${["json", ...hostFormats].join(" or ")} (got ${JSON.stringify(format)}).`,
    );
  }
  if (path === undefined) {
    throw new HoldfastError(
      "invalid_input",
      `A ${host.title} session is written back to its own file. Name that file with --into FILE.`,
    );
  }
  const before = readFileSync(path, "utf8");
  const after = file.write(before, {
    scratchpad: await session.scratchpad.read(),
    notepad: await session.notepad.read(),
  });
  // Append only what is new, so that a reader never sees a half-written file.
  if (after !== before) appendFileSync(path, after.slice(before.length));
}

/** Creates sessions from an export or from a coding agent's session file. */
async function importSessions(args: string[], values: Values): Promise<number> {
  checkArguments("store", args, "FILE");
  const [path = ""] = args;
  const lines = linesOf(path === "-" ? process.stdin : createReadStream(path));
  try {
    const { value: first = "" } = await lines.next();
    async function* all(): AsyncGenerator<string> {
      yield first;
      yield* lines;
    }
    if (kindOf(first) === "holdfast-copy") return await importCopies(all(), values);
    const document: string[] = [];
    for await (const line of all()) document.push(line);
    return await importDocument(document.join("\n"), path === "-" ? "stdin" : path, values);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new HoldfastError(
      "invalid_input",
      `${path} cannot be read: ${(error as Error).message}. Check the path.`,
      { cause: error },
    );
  }
}

/** The lines of a text, which end with a line feed only: `readline` also splits a string of JSON at U+2028. */
async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let begun: string[] = [];
  input.setEncoding("utf8");
  for await (const chunk of input as AsyncIterable<string>) {
    const [end = "", ...more] = chunk.split("\n");
    begun.push(end);
    for (const line of more) {
      yield begun.join("");
      begun = [line];
    }
  }
  yield begun.join("");
}

async function importDocument(text: string, path: string, values: Values): Promise<number> {
  const document = (await readSessionFile(text)) ?? parseDocument(text, path);
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

/** Reads an export of all sessions line by line; what is already in the store is not written again. */
async function importCopies(
  lines: AsyncIterable<string>,
  flags: StoreFlags & { json: boolean },
): Promise<number> {
  const owner = await withMemory("create", flags, async (memory) => memory.owner);
  const store = await openStore(findWorkspace({ flags }).store.url);
  try {
    return await writeSessions(store, copiesIn(lines, owner), flags.json);
  } finally {
    await store.close();
  }
}

async function* copiesIn(lines: AsyncIterable<string>, owner: string): AsyncGenerator<SessionCopy> {
  let line = 0;
  for await (const text of lines) {
    line++;
    if (text.trim() === "") continue;
    let given: unknown;
    try {
      given = JSON.parse(text);
    } catch (error) {
      throw new HoldfastError(
        "invalid_input",
        `Line ${line} is not a whole session (${(error as Error).message}). The sessions before it were imported. Export again and repeat the import.`,
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
    for (const { line, message } of warnings) printProblem(`line ${line}: ${message}`);
    return document;
  }
  return undefined;
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
