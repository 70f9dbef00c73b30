import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { discoveryFiles, documentStructure } from "./discovery.ts";
import { archiveDecisions } from "./edit/archive.ts";
import { existingNotes } from "./edit/change-notes.ts";
import { logDebt } from "./edit/debt.ts";
import { logDecision } from "./edit/decision.ts";
import { askQuestion, type ItemChange, logBlocker, setGoal } from "./edit/lists.ts";
import { logHandoff, trackRef } from "./edit/tables.ts";
import { partBudgets } from "./lint/decisions.ts";
import { severities } from "./notes-md/sections.ts";
import type { Caller, Project } from "./project.ts";
import { promoteFindings } from "./promote.ts";
import { recoverLevel2 } from "./recover/recall.ts";
import { recoverLevel1, recoverLevel3 } from "./recover/recover.ts";
import { archivedEvidenceOf, checkReferences, describeStale, referenceChecker } from "./verify/verify.ts";

export const answerShape = z.object({
  ok: z.literal(true),
  text: z.string(),
  line: z.number().optional(),
  id: z.string().optional(),
  bead: z.string().optional(),
  tokens: z.number().optional(),
});

export type Answer = z.output<typeof answerShape>;

/** An operation on the notes: a tool for agents, a command for people. */
export interface ProjectOperation<Input extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  input: Input;
  readOnly?: boolean;
  run(project: Project, input: z.output<Input>, caller: Caller): Promise<Answer>;
}

function defineOperation<Input extends z.ZodObject>(operation: ProjectOperation<Input>): ProjectOperation {
  return operation as unknown as ProjectOperation;
}

const text = z.string().min(1);

const recoverContext = defineOperation({
  name: "recover_context",
  description:
    "Recover NOTES.md. Level 1: state and last decisions. Level 2: decisions, goals and documented structure that match a query. Level 3: the whole file.",
  input: z.strictObject({
    level: z.number().int().min(1).max(3).default(1),
    query: z.string().optional().describe("For level 2"),
  }),
  readOnly: true,
  run: async (project, { level, query }) => {
    const { file } = project;
    const notes = existingNotes(file);
    const count = project.countTokens;
    const found =
      level === 1
        ? recoverLevel1(file, notes, count).text
        : level === 2
          ? recoverLevel2(file, notes, (query ?? "").trim(), count).text
          : recoverLevel3(notes, staleLines(project), discoveryFiles(file));
    return { ok: true, text: found, tokens: count(found) };
  },
});

function staleLines({ file }: Project): string[] {
  const notes = existingNotes(file);
  const archived = [...archivedEvidenceOf(notes).values()].flat().map(referenceChecker(file.root));
  return [...checkReferences(file, notes), ...archived]
    .filter(({ status }) => status !== "ok")
    .map(describeStale);
}

const decide = defineOperation({
  name: "log_decision",
  description:
    "Log a decision with its rationale, evidence quoted word for word from the code, and three test scenarios.",
  input: z.strictObject({
    decision: text,
    rationale: text,
    evidence: z
      .array(z.strictObject({ quote: text, path: text, line: z.number().int().min(1).optional() }))
      .min(1)
      .max(10),
    scenarios: z.array(text).min(3).max(10).describe("Happy path, edge case, error handling"),
    title: z.string().optional(),
    timestamp: z.string().optional().describe("ISO 8601. Default: now."),
  }),
  run: async (project, input, caller) => {
    const { timestamp, title, line, corrected } = logDecision(project, input, caller);
    const notice = corrected.length === 0 ? "" : ` Corrected: ${corrected.join("; ")}.`;
    return {
      ok: true,
      text: `Logged the decision "${title}" (${timestamp}) on line ${line}.${notice}`,
      line,
      id: timestamp,
    };
  },
});

const recordDebt = defineOperation({
  name: "log_debt",
  description: "Log technical debt. With actionable, it also becomes an issue in Beads.",
  input: z.strictObject({
    description: text,
    severity: z.enum(severities).default("MEDIUM"),
    found_by: z.string().optional(),
    sprint: z.string().optional(),
    actionable: z.boolean().optional(),
  }),
  run: async (project, input, caller) => {
    const { id, line, bead, noBead } = await logDebt(project, input, caller);
    const more = bead
      ? ` Created Beads issue ${bead}.`
      : noBead
        ? ` ${noBead[0]?.toUpperCase()}${noBead.slice(1)}.`
        : "";
    return { ok: true, text: `Logged ${id} on line ${line}.${more}`, line, id, ...(bead ? { bead } : {}) };
  },
});

const goal = defineOperation({
  name: "set_goal",
  description: "Add a sub-goal, or set the status of the existing one with the same text.",
  input: z.strictObject({
    goal: text,
    status: z.enum(["open", "done"]).optional(),
    blocked_by: text.optional(),
    depends_on: text.optional(),
  }),
  run: async (project, input) => describeChange("sub-goal", setGoal(project, input)),
});

const block = defineOperation({
  name: "log_blocker",
  description: "Log a blocker; with a resolution, resolve the existing one with the same text.",
  input: z.strictObject({
    blocker: text,
    kind: z.enum(["waiting", "blocked"]).optional(),
    eta: text.optional().describe("ISO date"),
    resolution: text.optional(),
  }),
  run: async (project, input) => describeChange("blocker", logBlocker(project, input)),
});

const track = defineOperation({
  name: "track_ref",
  description:
    "Track a location in the code worth coming back to. It is checked now and every time it is shown.",
  input: z.strictObject({
    path: text,
    lines: z.string().optional().describe("Such as 45 or 45-67"),
    purpose: text,
  }),
  run: async (project, input) => {
    await checkBudget(project, `${input.path} ${input.purpose}`, partBudgets.identifier - 20, "purpose");
    const { reference, line, known } = trackRef(project, input);
    return {
      ok: true,
      text: `${known ? "Updated" : "Tracking"}: ${reference} (line ${line}).`,
      line,
    };
  },
});

const ask = defineOperation({
  name: "ask_question",
  description: "Carry a question forward; with an answer, close the existing one with the same text.",
  input: z.strictObject({ question: text, answer: text.optional() }),
  run: async (project, input) => {
    await checkBudget(project, input.question, partBudgets.question, "question");
    return describeChange("question", askQuestion(project, input));
  },
});

const handOff = defineOperation({
  name: "log_handoff",
  description: "Hand over: what was done and what to do next. Call it before you stop.",
  input: z.strictObject({
    summary: text,
    next: text.optional().describe("What to do next"),
    task: text.optional().describe("What is being worked on"),
  }),
  run: async (project, input, caller) => {
    const { timestamp, line } = logHandoff(project, input, caller);
    return { ok: true, text: `Handed over at ${timestamp} (line ${line}).`, line };
  },
});

const structure = defineOperation({
  name: "log_structure",
  description:
    "Document the structure of the code (layout, modules, entry points) in the folder discovery/ beside NOTES.md, one file per topic. The same topic replaces the file.",
  input: z.strictObject({
    topic: z.string().min(1).max(200).describe("What it is about; names the file"),
    content: z.string().min(1).max(100_000).describe("Markdown"),
  }),
  run: async (project, { topic, content }) => {
    const { name, backup } = documentStructure(project, topic, content);
    const earlier = backup === undefined ? "" : ` The earlier text is in ${backup}.`;
    return { ok: true, text: `Documented in ${name}.${earlier}`, id: name };
  },
});

const archive = defineOperation({
  name: "archive",
  description: "Move all but the newest decisions to the archive table.",
  input: z.strictObject({ keep: z.number().int().min(0).default(10) }),
  run: async (project, { keep }) => {
    const { moved, kept } = archiveDecisions(project, keep);
    return { ok: true, text: `Archived ${moved} decisions; ${kept} remain in the log.` };
  },
});

const promote = defineOperation({
  name: "promote",
  description: "Copy findings from this session's notepad to NOTES.md.",
  input: z.strictObject({
    text: text.optional().describe("The lines to promote, exactly as in the notepad. Default: all."),
    as: z.enum(["handoff", "debt", "goal", "question", "blocker"]).default("handoff"),
  }),
  run: async (project, input, caller) => ({ ok: true, text: await promoteFindings(project, input, caller) }),
});

export const projectOperations: readonly ProjectOperation[] = [
  recoverContext,
  decide,
  recordDebt,
  goal,
  block,
  track,
  ask,
  handOff,
  structure,
  archive,
  promote,
];

function describeChange(what: string, { line, status, text: item }: ItemChange): Answer {
  const verb = { added: "Added the", changed: "Changed the", unchanged: "Already recorded: the" }[status];
  return { ok: true, text: `${verb} ${what} on line ${line}: ${item}`, line };
}

async function checkBudget(project: Project, content: string, limit: number, field: string): Promise<void> {
  const tokens = project.countTokens(content.slice(0, 10_000));
  if (tokens <= limit) return;
  throw new HoldfastError(
    "over_limit",
    `The entry with this "${field}" takes ${tokens} tokens; the limit is ${limit}, because it is read after every reset. Nothing was changed. Shorten it.`,
    { data: { field, tokens, limit } },
  );
}
