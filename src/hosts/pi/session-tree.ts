import { HoldfastError } from "../../errors.ts";
import { type LineWarning, parseJsonLines } from "../transcript/json-lines.ts";

/** The version of pi's session format that Holdfast reads and writes. */
const supportedVersion = 3;

export interface PiHeader {
  id: string;
  timestamp: string | null;
  cwd: string | null;
  parentSession: string | null;
}

/** One line after the header, with all its fields; unknown types included. */
export interface PiEntry {
  type: string;
  id: string;
  /** `null` for a root. */
  parentId: string | null;
  timestamp: string | null;
  [field: string]: unknown;
}

export type PiWarning = LineWarning;

export interface PlacedEntry {
  line: number;
  entry: PiEntry;
}

interface PiTree {
  header: PiHeader;
  /** From the root to the leaf, which is the last good entry of the file. */
  branch: PlacedEntry[];
  warnings: PiWarning[];
}

type JsonObject = Record<string, unknown>;

export function parsePiTree(text: string): PiTree {
  const { lines, warnings } = parseJsonLines(text);
  const [first, ...rest] = lines;
  const header = parseHeader(first?.value);
  const entries: PlacedEntry[] = [];
  for (const { line, value } of rest) {
    const entry = parseEntry(value);
    if (typeof entry === "string") warnings.push({ line, message: `Skipped: ${entry}.` });
    else entries.push({ line, entry });
  }
  return { header, branch: branchOfLast(entries, warnings), warnings };
}

function parseHeader(value: JsonObject | undefined): PiHeader {
  if (value === undefined) throw notPiSession("no line with a JSON object");
  if (value.type !== "session")
    throw notPiSession(`a first line of type ${JSON.stringify(value.type) ?? "(none)"}`);
  // The first version of pi's format has no version number.
  const version = value.version ?? 1;
  if (typeof version !== "number") throw notPiSession(`a header with version ${JSON.stringify(version)}`);
  if (version !== supportedVersion) throw unsupportedVersion(version);
  if (typeof value.id !== "string" || value.id === "") throw notPiSession("a header without an id");
  return {
    id: value.id,
    timestamp: stringOrNull(value.timestamp),
    cwd: stringOrNull(value.cwd),
    parentSession: stringOrNull(value.parentSession),
  };
}

function notPiSession(found: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `This is not a pi session file: found ${found}, expected a first line {"type":"session","version":${supportedVersion},"id":…}. ` +
      "Pass a .jsonl file from ~/.pi/agent/sessions.",
    { data: { found } },
  );
}

function unsupportedVersion(version: number): HoldfastError {
  const advice =
    version < supportedVersion
      ? "Open the session once with pi, which rewrites the file to the current version, then try again."
      : "Update Holdfast; if it is up to date, it cannot read this version of pi's files yet.";
  return new HoldfastError(
    "invalid_input",
    `This pi session file has version ${version}, Holdfast reads version ${supportedVersion}. ${advice}`,
    { data: { version, supportedVersion } },
  );
}

/** The entry, or what is wrong with it. */
function parseEntry(value: JsonObject): PiEntry | string {
  const { type, id, timestamp } = value;
  const parentId = value.parentId ?? null;
  if (type === "session") return "a second session header";
  if (typeof type !== "string") return "an entry without a type";
  if (typeof id !== "string" || id === "") return `an entry of type "${type}" without an id`;
  if (parentId !== null && typeof parentId !== "string")
    return `entry "${id}" has a parentId that is not a string`;
  return { ...value, type, id, parentId, timestamp: stringOrNull(timestamp) };
}

function indexById(entries: PlacedEntry[], warnings: PiWarning[]): Map<string, PlacedEntry> {
  const byId = new Map<string, PlacedEntry>();
  for (const placed of entries) {
    const { line, entry } = placed;
    // If two entries have the same id, the later one counts, as in pi.
    if (byId.has(entry.id))
      warnings.push({ line, message: `Id "${entry.id}" is used twice; this entry counts.` });
    byId.set(entry.id, placed);
  }
  return byId;
}

/** The entries from the root to the last one; a missing parent or a cycle ends the walk with a warning. */
function branchOfLast(entries: PlacedEntry[], warnings: PiWarning[]): PlacedEntry[] {
  const byId = indexById(entries, warnings);
  const branch = new Set<PlacedEntry>();
  let current = entries.at(-1);
  while (current !== undefined) {
    branch.add(current);
    const { line, entry } = current;
    if (entry.parentId === null) break;
    const parent = byId.get(entry.parentId);
    if (parent === undefined || branch.has(parent)) {
      const fault = parent === undefined ? "is not in the file" : "is also its descendant";
      const message = `Parent "${entry.parentId}" of "${entry.id}" ${fault}; the branch was read from here on.`;
      warnings.push({ line, message });
      break;
    }
    current = parent;
  }
  return [...branch].reverse();
}

function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
