import type { Handoff } from "../../engine/records.ts";
import { oneLine, takeCharacters } from "../../engine/text.ts";
import { operationsSince, readNotes } from "./edit/change-notes.ts";
import { blockerKind } from "./edit/lists.ts";
import { logHandoff, updateContext } from "./edit/tables.ts";
import { contextFields, itemsOf, type Notes } from "./notes-md/parse.ts";
import { type Caller, openProject, type Project, type ProjectOptions } from "./project.ts";
import { asData, recoverLevel1 } from "./recover/recover.ts";
import { parseReference, rootPrefix, withoutMachinePaths } from "./verify/references.ts";
import { readSource } from "./verify/working-tree.ts";

export interface MomentOptions extends ProjectOptions, Omit<Caller, "notepad"> {}

/** The result of a moment. Nothing here throws: a failure of memory never stops an agent. */
export interface Moment {
  /** Whether NOTES.md was written. */
  written: boolean;
  /** What went wrong and what to do about it. */
  warnings: string[];
}

/** What a conversation starts with, or continues with after a compaction. */
export interface Recovered {
  /** Level 1, to show to the model; "" if the project has no notes. */
  text: string;
  /** Blockers that may have resolved, and why. */
  blockers: { line: number; blocker: string; reason: string }[];
  warnings: string[];
}

/** Reads level 1 and rechecks the blockers; writes nothing. */
export async function recoverProject(options: ProjectOptions): Promise<Recovered> {
  const recovered: Recovered = { text: "", blockers: [], warnings: [] };
  try {
    const project = openProject(options);
    const { file } = project;
    const notes = readNotes(file);
    if (!notes) return recovered;
    recovered.text = recoverLevel1(file, notes, project.countTokens).text;
    recovered.blockers = resolvedBlockers(project, notes);
  } catch (error) {
    recovered.warnings.push((error as Error).message);
  }
  return recovered;
}

export interface SessionStart extends Recovered, Moment {}

/** Session start and `/clear`: recovers level 1 and stamps the time. */
export async function startProjectSession(options: MomentOptions): Promise<SessionStart> {
  const recovered = await recoverProject(options);
  if (recovered.warnings.length > 0) return { ...recovered, written: false };
  return { ...recovered, ...(await stampSessionStart(options)) };
}

/** Writes the time at which the session started. */
export function stampSessionStart(options: MomentOptions): Promise<Moment> {
  return attempt(options, (project) => {
    project.change("session start", (current) => ({
      edits: updateContext(current, { "Session Started": project.now() }),
      result: undefined,
    }));
  });
}

/** Blockers whose date has passed, or that wait for a file that now exists. */
export function resolvedBlockers(project: Project, notes: Notes): SessionStart["blockers"] {
  const today = project.now();
  return openBlockers(notes).flatMap(({ line, text }) => {
    const blocker = text.replace(blockerKind, "");
    const eta = etaOf(text);
    if (eta !== undefined && Date.parse(eta) < Date.parse(today))
      return [{ line: line + 1, blocker, reason: `its ETA ${eta} has passed` }];
    const path = fileOf(text);
    if (path !== "" && ["read", "directory"].includes(readSource(project.file.root, path).status))
      return [{ line: line + 1, blocker, reason: `${path} now exists` }];
    return [];
  });
}

function openBlockers(notes: Notes): ReturnType<typeof itemsOf> {
  return itemsOf(notes, "blockers").filter(({ text }) => !/^resolved/i.test(text));
}

function etaOf(blocker: string): string | undefined {
  return /\(ETA:[ \t]{0,8}([^()\s]{1,40})[ \t]{0,8}\)/i.exec(blocker)?.[1];
}

/** The file that a blocker waits for, relative to the root; "" if it names none. */
function fileOf(blocker: string): string {
  const word = blocker.split(/[\s,;()`]+/).find((each) => each.startsWith(rootPrefix));
  return word === undefined ? "" : parseReference(word).path.slice(rootPrefix.length);
}

/** Max blockers shown after level 1; "holdfast project status" lists them all. */
const maxBlockers = 3;
const maxBlockerLength = 80;

/** Shows the agent which blockers may have resolved: a few short lines, escaped as data. */
export function resolvedLines(blockers: SessionStart["blockers"]): string[] {
  const lines = blockers.slice(0, maxBlockers).map(({ line, blocker, reason }) => {
    const [why, what] = [reason, blocker].map((text) => takeCharacters(asData(text), maxBlockerLength));
    return `This blocker may have resolved (line ${line}, ${why}): ${what}`;
  });
  const more = blockers.length - lines.length;
  return more > 0
    ? [...lines, `${more} more may have resolved: "holdfast project status" lists them.`]
    : lines;
}

export interface CheckpointOptions extends MomentOptions {
  handoff: Pick<Handoff, "plan" | "tasks" | "finished" | "said" | "lastWords">;
  /** What triggered it. */
  moment: "before-compaction" | "session-end";
  /** What was done, in the agent's words (default: made from the handoff). */
  summary?: string | undefined;
}

/** Compaction and session end: writes the time to the active context and a row to the handoff log. */
export async function checkpointProject(options: CheckpointOptions): Promise<Moment> {
  return attempt(options, (project) => {
    const { handoff, moment } = options;
    const logged = loggedInSession(project);
    const done = options.summary ?? summaryOf(handoff, logged);
    const summary = withoutMachinePaths(project.file.root, done).slice(0, maxSummaryLength).toWellFormed();
    const when = moment === "before-compaction" ? "Compaction" : "Session end";
    const task = handoff.tasks.at(-1);
    const open = openItems(handoff)[0] ?? handoff.said.at(-1)?.text ?? options.summary;
    const next =
      open === undefined ? undefined : withoutMachinePaths(project.file.root, oneLine(open, maxNext));
    logHandoff(
      project,
      { summary: `${when}: ${summary}`, ...(task ? { task } : {}), ...(next ? { next } : {}) },
      options,
      "checkpoint",
    );
  });
}

/** What was logged in NOTES.md since the session started, such as "2 debt". */
function loggedInSession(project: Project): string[] {
  const notes = readNotes(project.file);
  const started = notes && contextFields(notes).get("session started")?.value;
  if (!started) return [];
  const kinds = operationsSince(project.file, started).flatMap(
    (name) => /^(?:log|set|ask)_(\w+)$/.exec(name)?.[1] ?? [],
  );
  return [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => `${all.length} ${kind}`);
}

/** The row names what is next; the session has the full text. */
const maxNext = 300;
const maxSummaryLength = 1_500;

/** What was done and what is open, in one line: finished work first, then the agent's last words. */
function summaryOf(handoff: CheckpointOptions["handoff"], logged: readonly string[]): string {
  const part = (label: string, items: readonly string[], max: number) => {
    if (items.length === 0) return [];
    const shown = items.slice(0, max).map((item) => oneLine(item, 100));
    const more = items.length > max ? ` and ${items.length - max} more` : "";
    return [`${label}: ${shown.join(", ")}${more}`];
  };
  const { finished, tasks, lastWords, said } = handoff;
  const parts = [
    ...part("done", finished.toReversed(), 5),
    ...part("logged", logged, 5),
    ...part("unfinished", [...tasks, ...openItems(handoff)], 3),
    ...(lastWords === "" ? [] : [`at the end: ${oneLine(lastWords, 400)}`]),
  ];
  const last = said.at(-1)?.text;
  if (parts.length === 0 && last !== undefined) return `asked: ${oneLine(last, 200)}`;
  return parts.length === 0 ? "nothing to report" : parts.join("; ");
}

function openItems({ plan }: CheckpointOptions["handoff"]): string[] {
  const open = plan.filter(({ status }) => status !== "done");
  return open
    .sort((a, b) => Number(b.status === "current") - Number(a.status === "current"))
    .map(({ text }) => text);
}

export interface SynthesisOptions extends MomentOptions {
  /** What was learned from each long result before it was cleared. */
  findings: readonly { tool: string; summary: string }[];
}

/** After heavy tool use: logs the findings in one row, so that the raw output can be dropped. */
export async function recordSynthesis(options: SynthesisOptions): Promise<Moment> {
  const { findings } = options;
  if (findings.length === 0) return { written: false, warnings: [] };
  return attempt(options, (project) => {
    const shown = findings
      .slice(0, 10)
      .map(({ tool, summary }) => `${tool.slice(0, 40)}: ${summary.slice(0, 120)}`.toWellFormed())
      .map((line) => withoutMachinePaths(project.file.root, line));
    const more = findings.length > shown.length ? `; ${findings.length - shown.length} more` : "";
    logHandoff(project, { summary: `Synthesised ${shown.join("; ")}${more}` }, options, "synthesis");
  });
}

async function attempt(options: MomentOptions, work: (project: Project) => void): Promise<Moment> {
  try {
    const project = openProject(options);
    if (!readNotes(project.file)) return { written: false, warnings: [] };
    work(project);
    return { written: true, warnings: [] };
  } catch (error) {
    return { written: false, warnings: [(error as Error).message] };
  }
}
