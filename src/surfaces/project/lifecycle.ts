import type { Handoff } from "../../engine/records.ts";
import { oneLine, takeCharacters } from "../../engine/text.ts";
import type { LifecycleSurface } from "../surface.ts";
import { isOpen, logHandoff, updateContext } from "./entries.ts";
import { blockerKind } from "./layout.ts";
import { itemsOf, type Notes, withoutConflicts } from "./notes.ts";
import { type Caller, openProject, type Project, type ProjectOptions } from "./project.ts";
import { asData, recoverLevel1 } from "./recover.ts";
import { parseReference, readSource, rootPrefix, withoutMachinePaths } from "./references.ts";

export interface LifecycleOptions extends ProjectOptions, Caller {}

/** The written row. Nothing here throws: a failure of memory never stops an agent. */
export interface Written {
  /** Whether NOTES.md was written. */
  written: boolean;
  /** The failure and the next step. */
  warnings: string[];
}

/** The text at the start of a conversation, or after a compaction. */
export interface Recovered {
  /** Level 1, to show to the model; "" if the project has no notes. */
  text: string;
  /** Blockers that may have resolved, and why. */
  blockers: { line: number; blocker: string; reason: string }[];
  warnings: string[];
}

/** Does the work if the project has notes. A failure becomes a warning: it never stops an agent. */
function attempt<T extends object>(
  options: ProjectOptions,
  nothing: T,
  work: (project: Project, notes: Notes) => T,
): T & { warnings: string[] } {
  try {
    const project = openProject(options);
    const notes = project.read();
    return { ...(notes ? work(project, notes) : nothing), warnings: [] };
  } catch (error) {
    return { ...nothing, warnings: [(error as Error).message] };
  }
}

/** Reads level 1 and rechecks the blockers; writes nothing. */
export async function recoverProject(options: ProjectOptions): Promise<Recovered> {
  return attempt(
    options,
    { text: "", blockers: [] },
    (project, notes): Omit<Recovered, "warnings"> => ({
      text: recoverLevel1(project, notes),
      blockers: resolvedBlockers(project, notes),
    }),
  );
}

/** Session start and `/clear`: recovers level 1 and writes the time at which the session started. */
export async function startProjectSession(options: LifecycleOptions): Promise<Recovered & Written> {
  const recovered = await recoverProject(options);
  if (recovered.warnings.length > 0) return { ...recovered, written: false };
  return { ...recovered, ...writeSessionStart(options) };
}

function writeSessionStart(options: LifecycleOptions): Written {
  return attempt<Omit<Written, "warnings">>(options, { written: false }, (project) => {
    project.change((notes) => ({
      edits: updateContext(notes, { "session started": project.now() }),
      result: undefined,
    }));
    return { written: true };
  });
}

/** Blockers whose date has passed, or that wait for a file that now exists. */
function resolvedBlockers(project: Project, notes: Notes): Recovered["blockers"] {
  const now = Date.parse(project.now());
  return itemsOf(withoutConflicts(notes), "blockers")
    .filter(isOpen)
    .flatMap(({ line, text }) => {
      const blocker = text.replace(blockerKind, "");
      const [, eta] = /\(ETA:[ \t]{0,8}([^()\s]{1,40})[ \t]{0,8}\)/i.exec(text) ?? [];
      if (eta !== undefined && Date.parse(eta) < now)
        return [{ line: line + 1, blocker, reason: `its ETA ${eta} has passed` }];
      const path = fileOf(text);
      const exists =
        path !== "" && ["read", "directory"].includes(readSource(project.file.root, path).status);
      return exists ? [{ line: line + 1, blocker, reason: `${path} now exists` }] : [];
    });
}

/** The file that a blocker waits for, relative to the root; "" if it names none. */
function fileOf(blocker: string): string {
  const word = blocker.split(/[\s,;()`]+/).find((each) => each.startsWith(rootPrefix));
  return word === undefined ? "" : parseReference(word).path.slice(rootPrefix.length);
}

/** Max blockers shown after level 1; level 3 has them all. */
const maxBlockers = 3;
const maxBlockerLength = 80;

/** Level 1 and the blockers that may have resolved, as the file and the date are now. */
export function renderLevel1(project: Project, notes: Notes): string {
  return [recoverLevel1(project, notes), ...resolvedLines(resolvedBlockers(project, notes))].join("\n");
}

/** Shows the agent which blockers may have resolved: a few short lines, escaped as data. */
export function resolvedLines(blockers: Recovered["blockers"]): string[] {
  const lines = blockers.slice(0, maxBlockers).map(({ blocker, reason }) => {
    const [why, what] = [reason, blocker].map((text) => takeCharacters(asData(text), maxBlockerLength));
    return `This blocker may have resolved (${why}): ${what}`;
  });
  const more = blockers.length - lines.length;
  return more > 0 ? [...lines, `${more} more may have resolved: NOTES.md has them.`] : lines;
}

export interface CheckpointOptions extends LifecycleOptions {
  handoff: Pick<Handoff, "plan" | "tasks" | "finished" | "said" | "lastWords">;
  /** Its trigger. */
  event: "before-compaction" | "session-end";
}

/** The session has the full text. */
const maxSummary = 1_500;

/**
 * Compaction and session end: adds a row to the log, if anything was done, and sets the time and the state in the active
 * context. A state that the agent or a person has set stays.
 */
export async function checkpointProject(options: CheckpointOptions): Promise<Written> {
  const { handoff, event } = options;
  const done = summaryOf(handoff);
  if (done === "") return { written: false, warnings: [] };
  return attempt<Omit<Written, "warnings">>(options, { written: false }, (project) => {
    const { root } = project.file;
    const summary = withoutMachinePaths(root, done).slice(0, maxSummary).toWellFormed();
    const when = event === "before-compaction" ? "Compaction" : "Session end";
    const context = { task: handoff.tasks.at(-1), next: summary, isAutomatic: true } as const;
    logHandoff(project, { summary: `${when}: ${summary}`, ...context }, options);
    return { written: true };
  });
}

/** The open and finished work and the agent's last words, in one line; "" for nothing. */
function summaryOf(handoff: CheckpointOptions["handoff"]): string {
  const part = (label: string, items: readonly string[], max: number) => {
    if (items.length === 0) return [];
    const shown = items.slice(0, max).map((item) => oneLine(item, 100));
    const more = items.length > max ? ` and ${items.length - max} more` : "";
    return [`${label}: ${shown.join(", ")}${more}`];
  };
  const { finished, tasks, lastWords, said } = handoff;
  const parts = [
    ...part("unfinished", [...tasks, ...openItems(handoff)], 3),
    ...part("done", finished.toReversed(), 5),
    ...(lastWords === "" ? [] : [`at the end: ${oneLine(lastWords, 400)}`]),
  ];
  const last = said.at(-1)?.text;
  return parts.length === 0 && last !== undefined ? `asked: ${oneLine(last, 200)}` : parts.join("; ");
}

function openItems({ plan }: CheckpointOptions["handoff"]): string[] {
  return plan
    .filter(({ status }) => status !== "done")
    .sort((a, b) => Number(b.status === "current") - Number(a.status === "current"))
    .map(({ text }) => text);
}

export interface ProjectLifecycleOptions extends ProjectOptions {
  /** The agent's name, if the session has none. */
  agent?: string | undefined;
}

/** How NOTES.md reacts to the lifecycle events of a conversation; without its tools, so that hooks can load it. */
export function projectLifecycle({ agent, ...options }: ProjectLifecycleOptions): LifecycleSurface {
  return {
    name: "project",
    async onLifecycle(session, event) {
      const named = session.agent === "default" ? agent : session.agent;
      const lifecycleOptions = { ...options, session: session.id, agent: named };
      if (event.kind === "session-start") return writeSessionStart(lifecycleOptions).warnings;
      if (event.kind !== "before-compaction" && event.kind !== "session-end") return [];
      const { kind, handoff } = event;
      return (await checkpointProject({ ...lifecycleOptions, event: kind, handoff })).warnings;
    },
  };
}
