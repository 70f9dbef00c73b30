import { readText, type State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import type { Note } from "../../surfaces/notes/operations.ts";
import type { Operation } from "../../surfaces/operations.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import type { SessionHandle } from "../../surfaces/session-handle.ts";
import { checkPath, memoryRoot } from "./memory-path.ts";

/** Where a file of the memory tool is kept. */
type Place =
  | { kind: "notepad" }
  | { kind: "notes" }
  | { kind: "plan" }
  | { kind: "refs" }
  | { kind: "note"; note: Note; isPlain: boolean };

export interface MemoryFile {
  path: string;
  text: string;
  place: Place;
}

/** The notepad and the scratchpad's spaces are files that are always there; empty ones are not listed. */
const fixedPlaces: Record<string, Exclude<Place["kind"], "note">> = {
  [`${memoryRoot}/notepad.md`]: "notepad",
  [`${memoryRoot}/scratchpad/notes.md`]: "notes",
  [`${memoryRoot}/scratchpad/plan.md`]: "plan",
  [`${memoryRoot}/scratchpad/refs.md`]: "refs",
};

const reservedDirectories = [`${memoryRoot}/notes`, `${memoryRoot}/scratchpad`];

/** Everything there is, by path. A note is kept under the path in its tags, or else under its id. */
export async function listFiles(session: SessionHandle, state: State): Promise<MemoryFile[]> {
  const files = Object.keys(fixedPlaces).flatMap((path) => fixedFile(path, state) ?? []);
  const taken = new Set<string>();
  // Newest first: of two notes with one path the newer is the file.
  for (const note of await session.notes.all()) {
    const path = note.tags.find((tag) => isFilePath(tag) && !taken.has(tag));
    taken.add(path ?? "");
    const text = path === undefined ? note.content : fromContent(note.content);
    files.push({
      path: path ?? plainPath(note.id),
      text,
      place: { kind: "note", note, isPlain: path === undefined },
    });
  }
  return files.filter(isThere).sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The file of that path; the fixed ones are found even when they are empty. */
export async function findFile(
  session: SessionHandle,
  state: State,
  path: string,
): Promise<MemoryFile | undefined> {
  return fixedFile(path, state) ?? (await listFiles(session, state)).find((file) => file.path === path);
}

export function isThere({ text, place }: MemoryFile): boolean {
  return place.kind === "note" || text !== "";
}

/** The files below a directory. */
export function filesBelow(files: readonly MemoryFile[], directory: string): MemoryFile[] {
  return files.filter(({ path }) => path.startsWith(`${directory}/`));
}

function fixedFile(path: string, state: State): MemoryFile | undefined {
  const kind = Object.hasOwn(fixedPlaces, path) ? fixedPlaces[path] : undefined;
  if (kind === undefined) return undefined;
  const { notes, plan, refs } = readScratchpad(state);
  const text = { notepad: readText(state, "notepad"), notes, plan, refs: renderRefs(refs) }[kind];
  return { path, text, place: { kind } };
}

function plainPath(id: string): string {
  return `${memoryRoot}/notes/${id}.md`;
}

function isPlainPath(path: string): boolean {
  return /^\/memories\/notes\/note_\d+\.md$/.test(path);
}

/** Whether a tag is the path of a file: well-formed, and not one that belongs to something else. */
function isFilePath(tag: string): boolean {
  if (!tag.startsWith(`${memoryRoot}/`) || isReserved(tag)) return false;
  try {
    return checkPath(tag) === tag;
  } catch {
    return false;
  }
}

function isReserved(path: string): boolean {
  return Object.hasOwn(fixedPlaces, path) || reservedDirectories.includes(path) || isPlainPath(path);
}

/** Refuses a path at which no new file can be. */
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
  const kind = Object.hasOwn(fixedPlaces, path) ? fixedPlaces[path] : undefined;
  if (kind !== undefined) return writeOperation({ path, text: "", place: { kind } }, text);
  if (isPlainPath(path)) {
    throw new HoldfastError(
      "invalid_input",
      `${path} is the name of a note, and notes get theirs when they are made. Choose another name.`,
    );
  }
  return { type: "notes.add", content: toContent(text), tags: [path] };
}

export function writeOperation({ place }: MemoryFile, text: string): Operation {
  switch (place.kind) {
    case "notepad":
      return { type: "notepad.write", content: text };
    case "notes":
      return { type: "scratchpad.set_notes", content: text };
    case "plan":
      return { type: "scratchpad.set_plan", content: text };
    case "refs":
      return { type: "scratchpad.refs_set", items: parseRefs(text) };
    case "note":
      return { type: "notes.update", id: place.note.id, content: place.isPlain ? text : toContent(text) };
  }
}

export function removeOperation(file: MemoryFile): Operation {
  return file.place.kind === "note"
    ? { type: "notes.delete", id: file.place.note.id }
    : writeOperation(file, "");
}

/** A note takes another path by another tag; whatever else moves is written anew, so there is no such operation. */
export function moveOperation({ path, text, place }: MemoryFile, to: string): Operation | undefined {
  if (place.kind !== "note" || Object.hasOwn(fixedPlaces, to)) return undefined;
  const { id, tags } = place.note;
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

/** One reference to a line; a reference of several lines goes on indented. */
function renderRefs(refs: readonly string[]): string {
  return refs.map((ref) => ref.replaceAll("\n", "\n  ")).join("\n");
}

function parseRefs(text: string): string[] {
  const lines = text.replace(/\n$/, "");
  const refs = lines === "" ? [] : lines.split(/\n(?! {2})/).map((ref) => ref.replaceAll("\n  ", "\n"));
  if (renderRefs(refs) === lines && new Set(refs).size === refs.length && !refs.includes("")) return refs;
  throw new HoldfastError(
    "invalid_input",
    "refs.md holds one reference to a line, none of them empty and none twice. Nothing was changed.",
  );
}
