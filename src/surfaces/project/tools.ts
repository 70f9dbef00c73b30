import { z } from "zod";
import { HoldfastError } from "../../errors.ts";
import { existingNotes } from "./edit.ts";
import { type Answer, entryKinds, logDecision, logEntry, logHandoff } from "./entries.ts";
import type { Caller, Project } from "./project.ts";
import { recoverLevel1, recoverLevel2, recoverLevel3 } from "./recover.ts";
import { staleReferences } from "./verify.ts";

export const answerShape = z.object({
  ok: z.literal(true),
  text: z.string(),
  line: z.number().optional(),
  id: z.string().optional(),
});

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

export const projectOperations: readonly ProjectOperation[] = [
  defineOperation({
    name: "recover_context",
    description: "Read NOTES.md. Level 1: state, last decisions; 2: what matches query; 3: the whole file.",
    input: z.strictObject({ level: z.number().optional(), query: z.string().optional() }),
    readOnly: true,
    run: async (project, { level = 1, query = "" }) => {
      const { file, countTokens } = project;
      const notes = existingNotes(file);
      if (level === 1) return { ok: true, text: recoverLevel1(file, notes, countTokens).text };
      if (level === 2) return { ok: true, text: recoverLevel2(file, notes, query.trim(), countTokens) };
      if (level === 3) return { ok: true, text: recoverLevel3(file, notes, staleReferences(file, notes)) };
      throw new HoldfastError("invalid_input", `"level" must be 1, 2 or 3 (got ${level}).`);
    },
  }),
  defineOperation({
    name: "log_decision",
    description:
      "Log a decision with word-for-word code quotes and three test scenarios: happy path, edge case, error.",
    input: z.strictObject({
      title: z.string().optional(),
      decision: z.string(),
      rationale: z.string(),
      evidence: z.array(z.object({ quote: z.string(), path: z.string() })),
      scenarios: z.array(z.string()),
    }),
    run: async (project, input, caller) => logDecision(project, input, caller),
  }),
  defineOperation({
    name: "log_entry",
    description:
      'Add an entry to NOTES.md, or change the one with the same text. Texts: goal "Add login (blocking: OAuth)"; blocker "Waiting: keys (ETA: 2026-01-15)"; identifier "src/a.ts:45-67"; context: state, next step; structure: topic; archive: decisions to keep.',
    input: z.strictObject({
      kind: z.enum(entryKinds),
      text: z.string(),
      detail: z
        .string()
        .optional()
        .describe("identifier: purpose; debt: sprint; context: task; structure: Markdown; done: outcome"),
      done: z.boolean().optional(),
      severity: z.string().optional(),
      actionable: z.boolean().optional().describe("For Beads"),
    }),
    run: logEntry,
  }),
  defineOperation({
    name: "log_handoff",
    description: "Log what was done, before you stop.",
    input: z.strictObject({ summary: z.string(), next: z.string().optional(), task: z.string().optional() }),
    run: async (project, input, caller) =>
      logHandoff(project, { ...input, next: input.next ?? input.summary }, caller),
  }),
];
