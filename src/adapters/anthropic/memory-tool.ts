import { z } from "zod";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { defaultLimits } from "../../engine/limits.ts";
import type { State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import { furtherKey } from "../../sessions/own-edits.ts";
import { dispatch, required } from "../../surfaces/dispatch.ts";
import type { Operation } from "../../surfaces/operations.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import type { ApplyOptions, SessionHandle } from "../../surfaces/session-handle.ts";
import { type Call, defineTool, type Tool } from "../../surfaces/surface.ts";
import type { ToolAnswer } from "../../surfaces/toolbox.ts";
import {
  checkFree,
  checkPath,
  createOperation,
  filesBelow,
  findFile,
  isThere,
  listFiles,
  type MemoryFile,
  memoryRoot,
  moveOperation,
  removeOperation,
  writeOperation,
} from "./memory-files.ts";

const memoryTool = defineTool({
  name: "memory",
  description: "Files below /memories, with the commands of Anthropic's memory tool.",
  input: z.object({
    command: z.enum(["view", "create", "str_replace", "insert", "delete", "rename"]),
    path: z.string().optional(),
    view_range: z.array(z.int()).optional(),
    file_text: z.string().optional(),
    old_str: z.string().optional(),
    new_str: z.string().optional(),
    insert_line: z.int().optional(),
    insert_text: z.string().optional(),
    old_path: z.string().optional(),
    new_path: z.string().optional(),
  }),
  output: z.object({ text: z.string() }),
  destructive: true,
  run: async ({ session, options }, input) => {
    const { command } = input;
    const at = { session, options };
    const path = () => checkPath(required(input.path, "path", command));
    const text = (field: "file_text" | "old_str" | "insert_text") => required(input[field], field, command);
    switch (command) {
      case "view":
        return { text: await view(at, path(), input.view_range) };
      case "create":
        return { text: await create(at, path(), text("file_text")) };
      case "str_replace":
        // Without new_str the text is deleted.
        return { text: await replace(at, path(), text("old_str"), input.new_str ?? "") };
      case "insert":
        return {
          text: await insert(
            at,
            path(),
            required(input.insert_line, "insert_line", command),
            text("insert_text"),
          ),
        };
      case "delete":
        return { text: await remove(at, path()) };
      case "rename": {
        const from = checkPath(required(input.old_path, "old_path", command));
        return { text: await rename(at, from, checkPath(required(input.new_path, "new_path", command))) };
      }
    }
  },
  text: ({ text }) => String(text),
});

const tools: ReadonlyMap<string, Tool> = new Map([[memoryTool.name, memoryTool]]);

/** Runs one command of Anthropic's memory tool on a session's memory, once per key. */
export async function runMemoryCommand(
  session: SessionHandle,
  input: unknown,
  key?: string,
): Promise<ToolAnswer> {
  // The commands have no budget of their own: the engine enforces the memory's limits on what they write.
  const call: Call = {
    session,
    options: { surface: "memory", ...(key === undefined ? {} : { key }) },
    limits: defaultLimits,
    countTokens: estimateTokens,
  };
  return dispatch(tools, memoryTool.name, input, call);
}

type At = { session: SessionHandle; options: ApplyOptions };

async function view({ session }: At, path: string, range?: number[]): Promise<string> {
  const state = await session.state();
  const file = await findFile(session, state, path);
  if (file) return renderFile(path, file.text, range);
  const below = filesBelow(await listFiles(session, state), path);
  if (below.length === 0 && path !== memoryRoot) throw missing(path, ". Please provide a valid path.");
  return renderDirectory(path, below, range);
}

async function create(at: At, path: string, text: string): Promise<string> {
  const { warnings } = await change(at, async (state) => {
    const taken = `File ${path} already exists. Edit it with str_replace or insert, or delete it first.`;
    checkFree(await listFiles(at.session, state), path, taken);
    return createOperation(path, text);
  });
  return [`File created successfully at: ${path}`, ...warnings].join("\n");
}

async function replace(at: At, path: string, old: string, fresh: string): Promise<string> {
  let snippet = "";
  const { warnings, isRepeated } = await edit(at, path, (before) => {
    const lines = findOccurrences(before, old);
    if (lines.length === 0) {
      throw invalid(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`);
    }
    if (lines.length > 1) {
      const numbers = [...new Set(lines)].join(", ");
      throw invalid(
        `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${numbers}. Please ensure it is unique`,
      );
    }
    const after = before.replace(old, () => fresh);
    snippet = renderSnippet(after, lines[0] ?? 1);
    return after;
  });
  if (isRepeated)
    return `The file ${path} has been edited. This call was sent before; nothing was changed now.`;
  const shown = `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`;
  return [shown, ...warnings].join("\n");
}

async function insert(at: At, path: string, line: number, text: string): Promise<string> {
  const { warnings } = await edit(at, path, (before) => insertLine(before, line, text));
  return [`The file ${path} has been edited.`, ...warnings].join("\n");
}

async function remove(at: At, path: string): Promise<string> {
  if (path === memoryRoot)
    throw invalid("Cannot delete the /memories directory itself. Delete the files in it.");
  const again = await continued(at);
  for (const file of await filesAt(at.session, path, again.isRepeated)) {
    await change(again.next(), async (state) =>
      removeOperation((await findFile(at.session, state, file.path)) ?? file),
    );
  }
  return `Successfully deleted ${path}`;
}

async function rename(at: At, from: string, to: string): Promise<string> {
  if (from === memoryRoot)
    throw invalid("Cannot rename the /memories directory itself. Rename the files in it.");
  const again = await continued(at);
  const moved = await filesAt(at.session, from, again.isRepeated);
  if (to.startsWith(`${from}/`))
    throw invalid(`Cannot move ${from} into itself. Choose a path outside of it.`);
  const files = await listFiles(at.session, await at.session.state());
  if (!again.isRepeated)
    checkFree(files, to, `The destination ${to} already exists. Choose another path, or delete it first.`);
  const warnings: string[] = [];
  for (const file of moved)
    warnings.push(...(await move(again.next(), file, to + file.path.slice(from.length))));
  return [`Successfully renamed ${from} to ${to}`, ...warnings].join("\n");
}

/**
 * A command of several operations: the first one carries the call's key. If the same call comes again, whatever the
 * first time did not get to is done now.
 */
async function continued(at: At): Promise<{ isRepeated: boolean; next(): At }> {
  const { key } = at.options;
  const isRepeated = key !== undefined && (await wasApplied(at));
  let isFirst = !isRepeated;
  return {
    isRepeated,
    next: () => {
      const next = isFirst ? at : further(at);
      isFirst = false;
      return next;
    },
  };
}

/** For another operation of the same call. */
function further(at: At): At {
  const { key, ...options } = at.options;
  return { ...at, options: key === undefined ? options : { ...options, key: furtherKey(key) } };
}

/** The journal is asked for the key before the operation is made. */
async function wasApplied({ session, options }: At): Promise<boolean> {
  const unknown = invalid("not applied yet");
  try {
    await session.change(
      () => {
        throw unknown;
      },
      () => true,
      options,
    );
    return true;
  } catch (error) {
    if (error === unknown) return false;
    throw error;
  }
}

async function move(at: At, file: MemoryFile, to: string): Promise<string[]> {
  const operation = moveOperation(file, to);
  if (operation) return (await change(at, () => operation)).warnings;
  // Copy first, then remove, so that a failure in between loses nothing.
  const { warnings } = await change(at, () => createOperation(to, file.text));
  await change(further(at), () => removeOperation(file));
  return warnings;
}

/** The file at the path, or all files below that directory. */
async function filesAt(session: SessionHandle, path: string, mayBeGone: boolean): Promise<MemoryFile[]> {
  const files = await listFiles(session, await session.state());
  const file = files.find((each) => each.path === path && isThere(each));
  const found = file ? [file] : filesBelow(files, path);
  if (found.length === 0 && !mayBeGone) throw missing(path, ". View /memories to see what there is.");
  return found;
}

interface Changed {
  warnings: string[];
  /** The same call was applied before. */
  isRepeated: boolean;
}

/** Reads, edits and writes a file as one operation; retries on conflict. */
function edit(at: At, path: string, make: (text: string) => string): Promise<Changed> {
  return change(at, async (state) => {
    const file = await findFile(at.session, state, path);
    if (file) return writeOperation(file, make(file.text));
    const isDirectory =
      filesBelow(await listFiles(at.session, state), path).length > 0 || path === memoryRoot;
    throw isDirectory
      ? invalid(`The path ${path} is not a file. Give the path of a file below it.`)
      : missing(path, ". Please provide a valid path.");
  });
}

/** Applies an operation made from the current state; returns warnings about what the engine had to cut. */
async function change(
  { session, options }: At,
  make: (state: State) => Operation | Promise<Operation>,
): Promise<Changed> {
  let items = 0;
  const { warnings, state, repeated } = await session.change(
    async (before) => {
      const operation = await make(before);
      items = operation.type === "scratchpad.refs_set" ? operation.items.length : 0;
      return operation;
    },
    () => true,
    options,
  );
  const { length } = readScratchpad(state).refs;
  const cut = `Only the first ${length} of ${items} references were kept. Remove some and add the rest.`;
  return { warnings: items > length ? [...warnings, cut] : warnings, isRepeated: repeated };
}

function invalid(message: string): HoldfastError {
  return new HoldfastError("invalid_input", message);
}

function missing(path: string, next: string): HoldfastError {
  return new HoldfastError("not_found", `The path ${path} does not exist${next}`, { data: { path } });
}

const numberWidth = 6;

/** Max entries of one listing; the rest need a view_range. */
const maxEntries = 200;

function renderFile(path: string, text: string, range?: readonly number[]): string {
  const lines = text.split("\n");
  const { from, to } = within(range, lines.length);
  return `Here's the content of ${path} with line numbers:\n${numbered(lines.slice(from - 1, to), from)}`;
}

/** Lists two levels of files with sizes, without hidden items and node_modules, like Anthropic's own tool. */
function renderDirectory(path: string, files: readonly MemoryFile[], range?: readonly number[]): string {
  const entries = entriesOf(path, files, 1);
  const { from, to } = within(range, Math.min(entries.length, range ? entries.length : maxEntries));
  const lines = [`${size(bytesOf(files))}\t${path}`, ...entries.slice(from - 1, to)];
  const rest = entries.length - to;
  if (rest > 0)
    lines.push(
      `(${rest} more: view ${path} again with view_range [${to + 1}, ${to + Math.min(rest, maxEntries)}])`,
    );
  return `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:\n${lines.join("\n")}`;
}

function entriesOf(directory: string, files: readonly MemoryFile[], depth: number): string[] {
  const byName = Map.groupBy(files, ({ path }) => path.slice(directory.length + 1).split("/")[0] ?? "");
  return [...byName].flatMap(([name, inside]) => {
    if (name.startsWith(".") || name === "node_modules") return [];
    const path = `${directory}/${name}`;
    if (inside.some((file) => file.path === path)) return [`${size(bytesOf(inside))}\t${path}`];
    return [`${size(bytesOf(inside))}\t${path}/`, ...(depth < 2 ? entriesOf(path, inside, depth + 1) : [])];
  });
}

/** The requested range, from 1, with -1 for the end; everything if the range does not have two numbers. */
function within(range: readonly number[] | undefined, length: number): { from: number; to: number } {
  if (range?.length !== 2) return { from: 1, to: length };
  const [from = 1, to = -1] = range;
  return { from: Math.max(1, from), to: to === -1 ? length : Math.min(to, length) };
}

function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${String(first + index).padStart(numberWidth)}\t${line}`).join("\n");
}

/** The line number of each occurrence of a text. */
function findOccurrences(text: string, needle: string): number[] {
  if (needle === "") return [];
  const lines: number[] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
    lines.push(text.slice(0, at).split("\n").length);
  }
  return lines;
}

/** A changed line with two lines on either side. */
function renderSnippet(text: string, line: number): string {
  const first = Math.max(1, line - 2);
  return numbered(text.split("\n").slice(first - 1, line + 2), first);
}

function insertLine(text: string, line: number, inserted: string): string {
  const lines = text.split("\n");
  if (line < 0 || line > lines.length) {
    throw new HoldfastError(
      "invalid_input",
      `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    );
  }
  lines.splice(line, 0, inserted.replace(/\n$/, ""));
  return lines.join("\n");
}

function bytesOf(files: readonly MemoryFile[]): number {
  return files.reduce((sum, { text }) => sum + new TextEncoder().encode(text).length, 0);
}

function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < 3) {
    value /= 1_024;
    unit++;
  }
  return `${Number.isInteger(value) ? value : value.toFixed(1)}${"BKMG"[unit]}`;
}
