import { readText, type State } from "../../engine/state.ts";
import { countCharacters, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { Note } from "../../surfaces/notes/operations.ts";
import type { Operation } from "../../surfaces/operations.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import type { SessionHandle } from "../../surfaces/session-handle.ts";

export const memoryRoot = "/memories";

/** Paths are stored as tags, and this is the default max length of a tag. */
const maxPathLength = 100;

/** Validates a path of the memory tool and returns it without doubled or trailing slashes. */
export function checkPath(path: string): string {
  if (path !== memoryRoot && !path.startsWith(`${memoryRoot}/`)) {
    throw refused(
      `Path must start with /memories, got: ${path}. All memory is below /memories: view /memories to see it`,
    );
  }
  if (leadsUpwards(path)) {
    throw refused(
      `Path ${path} would escape /memories directory. Give a path below /memories without ".." in it`,
    );
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: rejects exactly these characters
  if (/[\u0000-\u001f\u007f]/.test(path))
    throw refused(`Path ${quote(path)} contains a control character. Leave it out`);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const clean = `/${parts.join("/")}`;
  if (countCharacters(clean) > maxPathLength) {
    throw refused(`Path ${quote(path)} is too long: at most ${maxPathLength} characters. Use a shorter name`);
  }
  return clean;
}

/** Whether a path contains "..", plain or percent-encoded any number of times. */
function leadsUpwards(path: string): boolean {
  let form = path;
  for (;;) {
    if (form.split(/[/\\]/).some((part) => part.trim() === "..")) return true;
    const decoded = decode(form);
    if (decoded === form) return false;
    form = decoded;
  }
}

function decode(text: string): string {
  // One escape at a time: a stray % elsewhere must not stop the decoding.
  return text.replaceAll(/%(2e|2f|5c|25)/gi, (code) => decodeURIComponent(code));
}

function refused(message: string): HoldfastError {
  return new HoldfastError("invalid_input", `${message}.`, { data: { field: "path" } });
}

/** Where a file of the memory tool is stored. */
type Location =
  | { kind: "notepad" }
  | { kind: "notes" }
  | { kind: "plan" }
  | { kind: "refs" }
  | { kind: "note"; note: Note; isPlain: boolean };

export interface MemoryFile {
  path: string;
  text: string;
  location: Location;
}

/** The notepad and the scratchpad's spaces always exist as files; empty ones are not listed. */
const fixedFiles: Record<string, Exclude<Location["kind"], "note">> = {
  [`${memoryRoot}/notepad.md`]: "notepad",
  [`${memoryRoot}/scratchpad/notes.md`]: "notes",
  [`${memoryRoot}/scratchpad/plan.md`]: "plan",
  [`${memoryRoot}/scratchpad/refs.md`]: "refs",
};

const reservedDirectories = [`${memoryRoot}/notes`, `${memoryRoot}/scratchpad`];

/** All files, sorted by path. A note's path is the one in its tags, or else made from its id. */
export async function listFiles(session: SessionHandle, state: State): Promise<MemoryFile[]> {
  const files = Object.keys(fixedFiles).flatMap((path) => fixedFile(path, state) ?? []);
  const taken = new Set<string>();
  // Newest first: if two notes have the same path, the newer one is the file.
  for (const note of await session.notes.all()) {
    const path = note.tags.find((tag) => isFilePath(tag) && !taken.has(tag));
    taken.add(path ?? "");
    const text = path === undefined ? note.content : fromContent(note.content);
    files.push({
      path: path ?? plainPath(note.id),
      text,
      location: { kind: "note", note, isPlain: path === undefined },
    });
  }
  return files.filter(isThere).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The file at the path; fixed files are found even when empty. */
export async function findFile(
  session: SessionHandle,
  state: State,
  path: string,
): Promise<MemoryFile | undefined> {
  return fixedFile(path, state) ?? (await listFiles(session, state)).find((file) => file.path === path);
}

export function isThere({ text, location }: MemoryFile): boolean {
  return location.kind === "note" || text !== "";
}

/** The files below a directory. */
export function filesBelow(files: readonly MemoryFile[], directory: string): MemoryFile[] {
  return files.filter(({ path }) => path.startsWith(`${directory}/`));
}

function fixedFile(path: string, state: State): MemoryFile | undefined {
  const kind = Object.hasOwn(fixedFiles, path) ? fixedFiles[path] : undefined;
  if (kind === undefined) return undefined;
  const { notes, plan, refs } = readScratchpad(state);
  const text = { notepad: readText(state, "notepad"), notes, plan, refs: renderRefs(refs) }[kind];
  return { path, text, location: { kind } };
}

function plainPath(id: string): string {
  return `${memoryRoot}/notes/${id}.md`;
}

function isPlainPath(path: string): boolean {
  return /^\/memories\/notes\/note_\d+\.md$/.test(path);
}

/** Whether a tag is a valid file path that is not reserved. */
function isFilePath(tag: string): boolean {
  if (!tag.startsWith(`${memoryRoot}/`) || isReserved(tag)) return false;
  try {
    return checkPath(tag) === tag;
  } catch {
    return false;
  }
}

function isReserved(path: string): boolean {
  return Object.hasOwn(fixedFiles, path) || reservedDirectories.includes(path) || isPlainPath(path);
}

/** Rejects a path at which no new file can be created. */
export function checkFree(files: readonly MemoryFile[], path: string, taken: string): void {
  const isDirectory =
    path === memoryRoot || reservedDirectories.includes(path) || filesBelow(files, path).length > 0;
  if (isDirectory || files.some((file) => file.path === path))
    throw new HoldfastError("invalid_input", taken);
  const above = files.find((file) => path.startsWith(`${file.path}/`));
  if (above)
    throw new HoldfastError(
      "invalid_input",
      `The path ${above.path} is not a directory. Choose another path.`,
    );
}

export function createOperation(path: string, text: string): Operation {
  const kind = Object.hasOwn(fixedFiles, path) ? fixedFiles[path] : undefined;
  if (kind !== undefined) return writeOperation({ path, text: "", location: { kind } }, text);
  if (isPlainPath(path)) {
    throw new HoldfastError(
      "invalid_input",
      `${path} is a name reserved for notes, which get it when they are created. Choose another name.`,
    );
  }
  return { type: "notes.add", content: toContent(text), tags: [path] };
}

export function writeOperation({ location }: MemoryFile, text: string): Operation {
  switch (location.kind) {
    case "notepad":
      return { type: "notepad.write", content: text };
    case "notes":
      return { type: "scratchpad.set_notes", content: text };
    case "plan":
      return { type: "scratchpad.set_plan", content: text };
    case "refs":
      return { type: "scratchpad.refs_set", items: parseRefs(text) };
    case "note":
      return {
        type: "notes.update",
        id: location.note.id,
        content: location.isPlain ? text : toContent(text),
      };
  }
}

export function removeOperation(file: MemoryFile): Operation {
  return file.location.kind === "note"
    ? { type: "notes.delete", id: file.location.note.id }
    : writeOperation(file, "");
}

/** A note moves by a change of its tags; undefined for any other move, which needs a copy and a removal. */
export function moveOperation({ path, text, location }: MemoryFile, to: string): Operation | undefined {
  if (location.kind !== "note" || Object.hasOwn(fixedFiles, to)) return undefined;
  const { id, tags } = location.note;
  const others = tags.filter((tag) => tag !== path);
  if (to === plainPath(id)) return { type: "notes.update", id, content: text, tags: others };
  if (isPlainPath(to)) return undefined;
  return { type: "notes.update", id, content: toContent(text), tags: [to, ...others] };
}

const blank = "(blank file)";

/** A note cannot be blank; a file can. */
function toContent(text: string): string {
  return text.trim() === "" || text.startsWith(blank) ? `${blank}${text}` : text;
}

function fromContent(content: string): string {
  return content.startsWith(blank) ? content.slice(blank.length) : content;
}

/** One reference per line; further lines of a reference are indented. */
function renderRefs(refs: readonly string[]): string {
  return refs.map((ref) => ref.replaceAll("\n", "\n  ")).join("\n");
}

function parseRefs(text: string): string[] {
  const lines = text.replace(/\n$/, "");
  const refs = lines === "" ? [] : lines.split(/\n(?! {2})/).map((ref) => ref.replaceAll("\n  ", "\n"));
  if (renderRefs(refs) === lines && new Set(refs).size === refs.length && !refs.includes("")) return refs;
  throw new HoldfastError(
    "invalid_input",
    "refs.md must contain one reference per line, without empty or duplicate ones. Nothing was changed.",
  );
}
