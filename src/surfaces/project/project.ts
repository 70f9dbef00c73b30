import { loadExactTokenizer } from "../../context/exact-tokens.ts";
import { changeNotes, type Planned } from "./edit/change-notes.ts";
import { locateNotes, type NotesFile } from "./notes-md/file.ts";
import type { Notes } from "./notes-md/parse.ts";
import { pathInEnvironment } from "./notes-md/places.ts";

export interface ProjectOptions {
  /** The project's directory. */
  root: string;
  /** Where NOTES.md is, from the root; $HOLDFAST_NOTES, `grimoires/loa/NOTES.md` if that is there, or `.holdfast/NOTES.md`. */
  path?: string | undefined;
  /** Milliseconds since 1970. */
  clock?: (() => number) | undefined;
  /** Counts tokens of o200k; exactly unless given. A guess must not be too low, or budgets are broken. */
  countTokens?: ((text: string) => number) | undefined;
  /** Whether debt that can be acted on becomes an issue of Beads (`bd` or `br`); $HOLDFAST_BEADS unless given. */
  beads?: boolean | undefined;
}

/** Who asks, for what is written down with a name. */
export interface Caller {
  agent?: string | undefined;
  /** The session in which more can be read. */
  session?: string | undefined;
  /** The notepad of that session. */
  notepad?: (() => Promise<string>) | undefined;
}

/** A project whose memory is NOTES.md. */
export interface Project {
  readonly file: NotesFile;
  readonly beads: boolean;
  /** ISO 8601, in UTC, to the second. */
  now(): string;
  change<T>(operation: string, plan: (notes: Notes) => Planned<T>): T;
  countTokens(): Promise<(text: string) => number>;
}

export function openProject(options: ProjectOptions): Project {
  const { HOLDFAST_BEADS = "" } = process.env;
  const { root, path = pathInEnvironment(), clock = Date.now } = options;
  const { beads = ["1", "true"].includes(HOLDFAST_BEADS) } = options;
  // Found anew each time: the file may be made, or moved, while the program runs.
  const find = () => locateNotes(root, path);
  const now = () => new Date(clock()).toISOString().replace(/\.\d{3}Z$/, "Z");
  return {
    get file() {
      return find();
    },
    beads,
    now,
    change: (operation, plan) => changeNotes(find(), { operation, at: now() }, plan),
    countTokens: async () => options.countTokens ?? (await countExactly()),
  };
}

let counting: Promise<(text: string) => number> | undefined;

/** Budgets are in tokens of o200k, counted exactly. */
function countExactly(): Promise<(text: string) => number> {
  counting ??= loadExactTokenizer().then((tokenizer) => (text: string) => tokenizer.count(text));
  return counting;
}
