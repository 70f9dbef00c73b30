import { estimateTokens } from "../../context/estimate-tokens.ts";
import { changeNotes, type Planned } from "./edit/change-notes.ts";
import { locateNotes, type NotesFile } from "./notes-md/file.ts";
import type { Notes } from "./notes-md/parse.ts";
import { pathInEnvironment } from "./notes-md/places.ts";

export interface ProjectOptions {
  /** The project's directory. */
  root: string;
  /** Path of NOTES.md from the root (default: $HOLDFAST_NOTES, else `grimoires/loa/NOTES.md`). */
  path?: string | undefined;
  /** Milliseconds since 1970. */
  clock?: (() => number) | undefined;
  /** Counts tokens (default: `estimateTokens`). */
  countTokens?: ((text: string) => number) | undefined;
  /** Whether actionable debt becomes an issue in Beads (`bd` or `br`) (default: $HOLDFAST_BEADS). */
  beads?: boolean | undefined;
}

/** The caller of an operation, for entries that record a name. */
export interface Caller {
  agent?: string | undefined;
  /** The session that has the details. */
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
  countTokens(text: string): number;
}

export function openProject(options: ProjectOptions): Project {
  const { HOLDFAST_BEADS = "" } = process.env;
  const { root, path = pathInEnvironment(), clock = Date.now } = options;
  const { beads = ["1", "true"].includes(HOLDFAST_BEADS) } = options;
  // Located on every access: the file may be created or moved while the program runs.
  const find = () => locateNotes(root, path);
  const now = () => new Date(clock()).toISOString().replace(/\.\d{3}Z$/, "Z");
  return {
    get file() {
      return find();
    },
    beads,
    now,
    change: (operation, plan) => changeNotes(find(), { operation, at: now() }, plan),
    countTokens: options.countTokens ?? estimateTokens,
  };
}
