import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  hasConflictMarkers,
  type MergePart,
  markConflicts,
  merge,
  type SideNames,
} from "../../engine/merge.ts";
import { readText, type State } from "../../engine/state.ts";
import { countCharacters, normaliseText } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import type { Operation } from "../../surfaces/operations.ts";
import { readArguments } from "../arguments.ts";
import { asPerson, withMemory } from "../memory.ts";
import { pickSession } from "../pick-session.ts";
import { print, printProblem } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";

const targets = { notepad: "notepad", notes: "space/notes", plan: "space/plan" } as const;

type Space = keyof typeof targets;

/** The text and revision that an edit started from. */
interface Origin {
  text: string;
  revision: number;
}

type Saved = { revision: number; changed: boolean; merged: boolean };

/** Opens a text of memory in the editor, and merges what changes meanwhile. */
export async function edit(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("edit", args);
  const space = checkSpace(values.space);
  return withMemory("change", values, async (memory) => {
    const session = await pickSession(memory, positionals[0]);
    const saved = await editText(memory, session, space);
    print(values, { session: session.id, space, ...saved }, () => [
      describeOutcome(session.id, space, saved),
    ]);
    return 0;
  });
}

async function editText(memory: Memory, session: Session, space: Space): Promise<Saved> {
  const state = await session.state();
  const text = readText(state, targets[space]);
  const file = makeEditedFile(`${space}.md`, text.endsWith("\n"));
  file.write(text);
  try {
    const saved = await editRounds(memory, session, space, file, { text, revision: state.row.revision });
    file.remove();
    return saved;
  } catch (error) {
    throw withKeptFile(error, file, text);
  }
}

/** Opens the editor, and again while there are conflicts and a terminal to resolve them at. */
async function editRounds(
  memory: Memory,
  session: Session,
  space: Space,
  file: EditedFile,
  first: Origin,
): Promise<Saved> {
  let origin = first;
  let names: SideNames | undefined;
  for (;;) {
    await runEditor(file.path);
    const mine = normaliseText(file.read(), `The ${space}`);
    if (names && hasConflictMarkers(mine, names)) throw conflictsLeft(space, names);
    if (!names && mine === first.text) return { changed: false, merged: false, revision: first.revision };
    const outcome = await save(memory, session, space, origin, mine);
    if (!(outcome instanceof Conflict)) return outcome;
    names = await nameSides(session, space, origin, outcome.theirs);
    file.write(markConflicts(outcome.parts, names));
    origin = outcome.theirs;
    if (!process.stdin.isTTY) throw conflictsLeft(space, names);
    printProblem(
      `You and ${names.theirs} changed the same lines of the ${space}. Resolve the marked conflicts.`,
    );
  }
}

/** Thrown inside a change when both sides changed the same lines. */
class Conflict extends Error {
  readonly parts: MergePart[];
  readonly theirs: Origin;
  constructor(parts: MergePart[], theirs: Origin) {
    super("conflict");
    this.parts = parts;
    this.theirs = theirs;
  }
}

/** Merges with the current text at the moment of writing, and again whenever the agent writes first. */
async function save(
  memory: Memory,
  session: Session,
  space: Space,
  origin: Origin,
  mine: string,
): Promise<Saved | Conflict> {
  let merged = false;
  const make = (state: State) => {
    const theirs = readText(state, targets[space]);
    const outcome = merge(origin.text, mine, theirs);
    if (!outcome.ok) throw new Conflict(outcome.parts, { text: theirs, revision: state.row.revision });
    merged = theirs !== origin.text;
    return operationFor(space, outcome.text, memory.setting);
  };
  try {
    const { revision } = await session.change(make, () => true, asPerson);
    return { changed: true, merged, revision };
  } catch (error) {
    if (error instanceof Conflict) return error;
    throw error;
  }
}

function operationFor(space: Space, content: string, setting: Memory["setting"]): Operation {
  return space === "notepad" ? { type: "notepad.write", content } : scratchpadWrite(space, content, setting);
}

/** The scratchpad's own operations truncate long text; a person gets an error instead. */
export function scratchpadWrite(
  space: "notes" | "plan",
  content: string,
  { limits }: Memory["setting"],
): Operation {
  const limit = space === "notes" ? limits.spaceNotesCharacters : limits.spacePlanCharacters;
  const characters = countCharacters(content);
  if (characters <= limit) return { type: `scratchpad.set_${space}`, content };
  throw new HoldfastError(
    "over_limit",
    `The ${space} would be ${characters} characters long. The limit is ${limit}. Nothing was changed. Shorten it.`,
    { data: { characters, limit } },
  );
}

async function nameSides(session: Session, space: Space, origin: Origin, theirs: Origin): Promise<SideNames> {
  const target = targets[space];
  const entries = await session.history({ from: origin.revision + 1, to: theirs.revision });
  const writers = entries.filter(({ changes }) =>
    changes.some((change) => change.type === "text" && change.target === target),
  );
  const names = new Set(writers.toReversed().map(({ actor }) => visibleLine(actor.name ?? actor.kind)));
  return {
    mine: "you",
    base: `before, revision ${origin.revision}`,
    theirs: `${[...names].join(" and ") || "someone else"}, revision ${writers[0]?.revision ?? theirs.revision}`,
  };
}

function conflictsLeft(space: Space, { theirs }: SideNames): HoldfastError {
  return new HoldfastError(
    "conflict",
    `You and ${theirs} changed the same lines of the ${space}. Nothing was changed. The file has both versions between conflict markers. Resolve them and edit again with that text.`,
  );
}

/** Whatever failed, keeps the user's text in the file and adds its path to the error. */
function withKeptFile(error: unknown, file: EditedFile, before: string): unknown {
  let kept: string | undefined;
  try {
    kept = file.read();
  } catch (unreadable) {
    if ((unreadable as NodeJS.ErrnoException).code === "ENOENT") {
      file.remove();
      return error instanceof HoldfastError
        ? error
        : new HoldfastError("invalid_input", "The edited file is gone. Nothing was changed.", {
            cause: error,
          });
    }
  }
  if (kept === before) {
    file.remove();
    return error;
  }
  const { code, data } = error instanceof HoldfastError ? error : { code: "store_failed" as const, data: {} };
  return new HoldfastError(code, `${(error as Error).message} Your text is kept in ${file.path}`, {
    data: { ...data, file: file.path },
    cause: error,
  });
}

function checkSpace(space: string): Space {
  if (Object.hasOwn(targets, space)) return space as Space;
  throw new HoldfastError(
    "invalid_input",
    `--space must be notepad, notes or plan (got ${JSON.stringify(space)}).`,
  );
}

function describeOutcome(id: string, space: Space, { changed, merged, revision }: Saved): string {
  if (!changed)
    return `Nothing was changed. (If your editor returned at once, make it wait: EDITOR="code --wait".)`;
  const how = merged ? ", merged with changes made meanwhile" : "";
  return `Saved the ${space} of ${id} as revision ${revision}${how}.`;
}

/** Opens a file in the user's editor and waits for the editor to exit. */
async function runEditor(path: string): Promise<void> {
  const isWindows = process.platform === "win32";
  const configured = [process.env.VISUAL, process.env.EDITOR].find((value) => value?.trim());
  const editor = configured ?? (isWindows ? "notepad" : "vi");
  // The variable is a command line for the shell, as in git, or a program whose path may have spaces. The file is an argument.
  const isProgram = existsSync(editor);
  const [command, ...args] = isProgram
    ? [editor, path]
    : isWindows
      ? [`${editor} "${path}"`]
      : ["/bin/sh", "-c", `${editor} "$@"`, editor, path];
  // Ctrl-C is for the editor while it runs; it must not kill this process.
  const ignore = () => undefined;
  process.on("SIGINT", ignore);
  try {
    const problem = await new Promise<string | undefined>((resolve) => {
      const child = spawn(command ?? "", args, { stdio: "inherit", shell: isWindows && !isProgram });
      child.once("error", (error) => resolve(`could not be started (${error.message})`));
      child.once("close", (code, signal) => {
        if (code === 0) resolve(undefined);
        else resolve(code === null ? `was killed by ${signal}` : `exited with code ${code}`);
      });
    });
    if (problem !== undefined) {
      throw new HoldfastError(
        "invalid_input",
        `The editor ${JSON.stringify(editor)} ${problem}. Set $VISUAL or $EDITOR to a working editor, e.g. EDITOR="code --wait".`,
      );
    }
  } finally {
    process.off("SIGINT", ignore);
  }
}

/** The private temporary file that the user edits, kept until the text is saved. */
interface EditedFile {
  readonly path: string;
  write(text: string): void;
  read(): string;
  remove(): void;
}

/** If the text does not end with a newline itself, `read` strips the one that editors add. */
function makeEditedFile(name: string, endsWithNewline: boolean): EditedFile {
  const path = join(mkdtempSync(join(tmpdir(), "holdfast-edit-")), name);
  return {
    path,
    write(text) {
      writeFileSync(path, endsWithNewline || text === "" ? text : `${text}\n`, { mode: 0o600 });
      chmodSync(path, 0o600);
    },
    read() {
      const text = decode(readFileSync(path));
      return endsWithNewline ? text : text.replace(/\r?\n$/, "");
    },
    remove: () => rmSync(dirname(path), { recursive: true, force: true }),
  };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new HoldfastError("invalid_input", "The edited text is not UTF-8. Save it as UTF-8.", {
      cause: error,
    });
  }
}
