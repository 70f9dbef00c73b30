import { estimateTokens } from "../../context/estimate-tokens.ts";
import { HoldfastError } from "../../errors.ts";
import { applyEdits, type Planned } from "./edit.ts";
import { badLine, locateNotes, type NotesFile, readNotesFile, updateFile } from "./file.ts";
import { isIgnored } from "./git.ts";
import { templateText } from "./layout.ts";
import { pathInEnvironment } from "./location.ts";
import { type Notes, parseNotes } from "./notes.ts";
import { refusal, requireLine } from "./refusal.ts";

export interface ProjectOptions {
  /** The project's directory. */
  root: string;
  /** Path of NOTES.md from the root (default: $HOLDFAST_NOTES, else `grimoires/loa/NOTES.md`). */
  path?: string | undefined;
  /** Milliseconds since 1970. */
  clock?: (() => number) | undefined;
  /** Counts tokens (default: `estimateTokens`). */
  countTokens?: ((text: string) => number) | undefined;
  /** Whether actionable debt becomes an issue in Beads, if `bd` is on the PATH (default: $HOLDFAST_BEADS, else true). */
  beads?: boolean | undefined;
}

/** The caller of an operation, for entries that record a name. */
export interface Caller {
  agent?: string | undefined;
  /** The session that has the details. */
  session?: string | undefined;
}

export function nameOf({ agent }: Caller): string {
  return agent?.trim() ? requireLine(agent, "agent") : "agent";
}

/** The answer of a tool or a command. */
export interface Answer {
  ok: true;
  text: string;
  line?: number | undefined;
  id?: string | undefined;
}

/** A project whose memory is NOTES.md. */
export interface Project {
  readonly file: NotesFile;
  readonly beads: boolean;
  /** ISO 8601, in UTC, to the second. */
  now(): string;
  countTokens(text: string): number;
  /** The notes; undefined if there is no file. */
  read(): Notes | undefined;
  /** Reads, plans and writes. Writers take turns and see each other's changes. */
  change<T>(plan: (notes: Notes) => Planned<T>): T;
}

export function openProject(options: ProjectOptions): Project {
  const { HOLDFAST_BEADS = "" } = process.env;
  const { root, path = pathInEnvironment(), clock = Date.now } = options;
  const { beads = !["0", "false"].includes(HOLDFAST_BEADS), countTokens = estimateTokens } = options;
  // Located on every access: the file may be created or moved while the program runs.
  const find = () => locateNotes(root, path);
  let latest: Notes | undefined;
  const parse = (bytes: Buffer): Notes => {
    const text = bytes.toString("utf8");
    if (latest?.text !== text) latest = parseNotes(text);
    return latest;
  };
  return {
    get file() {
      return find();
    },
    beads,
    now: () => new Date(clock()).toISOString().replace(/\.\d{3}Z$/, "Z"),
    countTokens,
    read() {
      const bytes = readNotesFile(find());
      return bytes && parse(bytes);
    },
    change(plan) {
      const file = find();
      return updateFile(file, (bytes) => {
        if (!bytes) throw missing(file);
        const notes = parse(bytes);
        const { edits, result } = plan(notes);
        const text = applyEdits(notes, edits);
        if (text === notes.text) return { text: undefined, result };
        const line = badLine(bytes);
        if (line === undefined) return { text, result };
        throw refusal(
          "invalid_input",
          `${file.name} is not valid UTF-8 on line ${line}`,
          "Save the file as UTF-8 and try again",
          { path: file.path, line },
        );
      });
    },
  };
}

/** The project's notes; throws an error with the command that creates them. */
export function existingNotes(project: Project): Notes {
  const notes = project.read();
  if (!notes) throw missing(project.file);
  return notes;
}

function missing({ name, root, path }: NotesFile): HoldfastError {
  return new HoldfastError(
    "not_found",
    `There is no ${name} in ${root}. Run "holdfast project init" to create it.`,
    { data: { path } },
  );
}

/**
 * Writes the template to the project's notes file. It never overwrites existing notes.
 *
 * @example
 * initProject({ root: process.cwd() });
 */
export function initProject(options: Project | ProjectOptions): { name: string; ignored: boolean } {
  const project = "file" in options ? options : openProject(options);
  const { file } = project;
  return updateFile(file, (bytes) => {
    if (bytes)
      throw refusal(
        "conflict",
        `${file.name} already exists`,
        'Run "holdfast project lint" to see how it differs from the template',
        { path: file.path },
      );
    return { text: templateText(project.now()), result: { name: file.name, ignored: isIgnored(file) } };
  });
}
