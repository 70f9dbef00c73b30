import { estimateTokens } from "../../context/estimate-tokens.ts";
import { HoldfastError } from "../../errors.ts";
import { changeNotes, type Planned } from "./edit.ts";
import { locateNotes, type NotesFile, updateFile } from "./file.ts";
import { isIgnored } from "./git.ts";
import { templateText } from "./layout.ts";
import { pathInEnvironment } from "./location.ts";
import type { Notes } from "./notes.ts";
import { requireLine } from "./refusal.ts";

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
  change<T>(plan: (notes: Notes) => Planned<T>): T;
  countTokens(text: string): number;
}

export function openProject(options: ProjectOptions): Project {
  const { HOLDFAST_BEADS = "" } = process.env;
  const { root, path = pathInEnvironment(), clock = Date.now } = options;
  const { beads = !["0", "false"].includes(HOLDFAST_BEADS) } = options;
  // Located on every access: the file may be created or moved while the program runs.
  const find = () => locateNotes(root, path);
  return {
    get file() {
      return find();
    },
    beads,
    now: () => new Date(clock()).toISOString().replace(/\.\d{3}Z$/, "Z"),
    change: (plan) => changeNotes(find(), plan),
    countTokens: options.countTokens ?? estimateTokens,
  };
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
    if (bytes) {
      throw new HoldfastError(
        "conflict",
        `${file.name} already exists. Nothing was changed. Run "holdfast project lint" to see how it differs from the template.`,
        { data: { path: file.path } },
      );
    }
    return { text: templateText(project.now()), result: { name: file.name, ignored: isIgnored(file) } };
  });
}
