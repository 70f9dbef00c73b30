import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import { shrinkSqlite } from "../../stores/sqlite/disk-space.ts";
import type { SessionSummary } from "../../stores/store.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { type StoreFlags, sqliteFile } from "../../workspace/store-location.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { eachSession } from "../pick-session.ts";
import { noArguments } from "../positionals.ts";
import { readSizes } from "../session-sizes.ts";
import { startProgress } from "../terminal/progress.ts";
import { ageOf, counted, parseAge, parseSize, sizeOf } from "../terminal/quantities.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { dotted, wrapSpans } from "../terminal/wrap-text.ts";
import { type Candidate, type CollectionPlan, planCollection, type Retention } from "./plan-gc.ts";
import { applyRetention, renderRetention, retentionJson } from "./retention-report.ts";

const usage = "gc [--older-than AGE] [--keep N] [--max-size SIZE] [--keep-everything] [--yes]";

type Listed = Candidate & { title: string | null };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    "older-than": { type: "string" },
    keep: { type: "string" },
    "max-size": { type: "string" },
    yes: { type: "boolean", default: false },
    "dry-run": { type: "boolean", default: false },
    "keep-everything": { type: "boolean" },
  });
  noArguments(positionals, usage);
  const rules = readRules(values);
  const forReal = values.yes && !values["dry-run"];
  const settings = { "keep-everything": values["keep-everything"] };
  const memory = await openExistingMemory({ flags: values, settings });
  try {
    if (!rules) {
      await showRetention(memory, values, forReal);
      return 0;
    }
    const sessions = await listCandidates(memory, values);
    const plan = planCollection(sessions, rules);
    const purged = forReal ? await purgeAll(memory, plan.remove) : [];
    const file = forReal ? shrink(values) : undefined;
    if (values.json) {
      const short = ({ id, status, updatedAt, bytes }: Candidate) => ({ id, status, updatedAt, bytes });
      printJson({
        dryRun: !forReal,
        sessions: plan.remove.map(short),
        held: plan.held,
        purged,
        file: file ?? null,
      });
    } else printLines(render(plan, sessions, forReal ? purged : undefined, file, screenOf()));
    return 0;
  } finally {
    await memory.close();
  }
}

function readRules(values: {
  "older-than"?: string | undefined;
  keep?: string | undefined;
  "max-size"?: string | undefined;
}): Retention | undefined {
  const { "older-than": age, "max-size": size } = values;
  const keep = wholeNumber(values.keep, "keep");
  if (age === undefined && size === undefined && keep === undefined) return undefined;
  return {
    ...(age === undefined ? {} : { before: Date.now() - parseAge(age, "older-than") }),
    ...(keep === undefined ? {} : { keep }),
    ...(size === undefined ? {} : { maxBytes: parseSize(size, "max-size") }),
  };
}

/** Without rules of its own, the command shows those of the config and what they remove. */
async function showRetention(
  memory: Memory,
  values: StoreFlags & { json: boolean },
  forReal: boolean,
): Promise<void> {
  const survey = await memory.retention.survey();
  if (forReal) await applyRetention(memory);
  const { rules } = memory.retention;
  const file = forReal ? shrink(values) : undefined;
  if (values.json) printJson({ dryRun: !forReal, ...retentionJson(rules, survey), file: file ?? null });
  else printLines([...renderRetention(rules, survey, forReal, screenOf()), ...renderShrunk(file)]);
}

async function listCandidates(memory: Memory, flags: StoreFlags): Promise<Listed[]> {
  const found: SessionSummary[] = [];
  for (const status of ["all", "deleted"] as const)
    for await (const session of eachSession(memory, status)) found.push(session);
  const sizes = await readSizes(
    memory,
    flags,
    found.map(({ id }) => id),
  );
  return found.map(({ id, title, status, updatedAt, revision, origin, parent }) => ({
    id,
    title,
    status,
    updatedAt,
    revision,
    bytes: sizes.get(id) ?? 0,
    forkOf: origin === "forked" ? parent : null,
  }));
}

/** Skips sessions that were written to or forked since the plan was made. */
async function purgeAll(memory: Memory, sessions: readonly Candidate[]): Promise<string[]> {
  const purged: string[] = [];
  const progress = startProgress("Removing sessions", sessions.length);
  for (const [index, { id, status, revision }] of sessions.entries()) {
    progress.at(index);
    const session = status === "deleted" ? undefined : await memory.findSession(id);
    if (status !== "deleted" && (await session?.state())?.row.revision !== revision) continue;
    try {
      await memory.purgeSession(id);
      purged.push(id);
    } catch (error) {
      const isSkipped =
        error instanceof HoldfastError && ["conflict", "session_not_found"].includes(error.code);
      if (!isSkipped) throw error;
    }
  }
  progress.end();
  return purged;
}

interface Shrunk {
  before: number;
  after: number;
  /** Why the file could not be shrunk. */
  problem?: string;
}

function shrink(flags: StoreFlags): Shrunk | undefined {
  const path = sqliteFile(findWorkspace({ flags }).store);
  if (path === undefined) return undefined;
  try {
    return shrinkSqlite(path);
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { before: 0, after: 0, problem: error.message };
  }
}

function render(
  { remove, held }: CollectionPlan,
  sessions: readonly Listed[],
  purged: readonly string[] | undefined,
  file: Shrunk | undefined,
  screen: Screen,
): string[] {
  const titles = new Map(sessions.map(({ id, title }) => [id, title]));
  const done = new Set(purged);
  const shown = purged === undefined ? remove : remove.filter(({ id }) => done.has(id));
  const bytes = shown.reduce((sum, session) => sum + session.bytes, 0);
  const lines = shown.flatMap(({ id, status, updatedAt, bytes: own }) => {
    const title = titles.get(id);
    const name = { text: id, style: "cyan" } as const;
    return wrapSpans(
      [
        name,
        ...(title ? [{ text: `  ${visibleLine(title)}` }] : []),
        { text: "  " },
        ...dotted([status, ageOf(updatedAt), sizeOf(own)]),
      ],
      "  ",
      "    ",
      screen,
    );
  });
  const kept = held.map(({ id, fork }) => `  Kept ${id}: its fork ${fork} reads from it.`);
  const skipped = purged === undefined ? 0 : remove.length - shown.length;
  return [
    ...(shown.length === 0 ? ["Nothing to remove."] : lines),
    ...kept,
    ...(shown.length === 0
      ? []
      : [
          `${counted(shown.length, "session")}, ${sizeOf(bytes)}, ${purged ? "removed for good" : "would be removed for good"}.`,
        ]),
    ...(skipped > 0 ? [`Kept ${counted(skipped, "session")} that changed meanwhile.`] : []),
    ...renderShrunk(file),
    ...(purged === undefined && shown.length > 0 ? ["Nothing was changed. Add --yes to remove them."] : []),
  ];
}

function renderShrunk(file: Shrunk | undefined): string[] {
  if (!file) return [];
  return [
    file.problem
      ? `The file could not be shrunk now: ${file.problem}`
      : `The file went from ${sizeOf(file.before)} to ${sizeOf(file.after)}.`,
  ];
}
