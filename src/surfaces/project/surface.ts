import { z } from "zod";
import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { ApplyOptions, SessionHandle } from "../session-handle.ts";
import { defineTool, type Surface, type Tool } from "../surface.ts";
import { logDecision } from "./decisions.ts";
import { entryKinds, logEntry, logHandoff } from "./entries.ts";
import { projectLifecycle, renderLevel1 } from "./lifecycle.ts";
import {
  type Answer,
  type Caller,
  existingNotes,
  initProject,
  openProject,
  type Project,
  type ProjectOptions,
} from "./project.ts";
import { recoverLevel2, recoverLevel3 } from "./recover.ts";

const answerShape = z.object({
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
    run: async (project, { query = "", level = query.trim() === "" ? 1 : 2 }) => {
      const notes = existingNotes(project);
      if (level === 1) return { ok: true, text: renderLevel1(project, notes) };
      if (level === 2) return { ok: true, text: recoverLevel2(project, notes, query.trim()) };
      if (level === 3) return { ok: true, text: recoverLevel3(project, notes) };
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
      'Add an entry to NOTES.md, or change the one with the same text. Texts: goal "Add login (blocking: OAuth)", blocker "Waiting: keys (ETA: 2026-01-15)", identifier "src/a.ts:45-67". For context: state, next step. For structure: topic. For archive: how many stay.',
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

/** NOTES.md as a surface: its tools, and its level 1 in every turn. */
export function projectSurface(options: ProjectOptions): Surface {
  const project = openProject(options);
  let level1 = "";
  return {
    ...projectLifecycle(options),
    tools: projectOperations.map((operation) => toolOf(project, operation)),
    guidance: (_limits, { shown }) =>
      `Project memory is NOTES.md in the repository, which people read and edit. Log decisions, debt, goals and blockers when they arise, with log_decision and log_entry. After a reset, ${shown === "host" ? "call recover_context and continue from what it returns" : "continue from the project memory block"}. Check in the code what is marked STALE. Call log_handoff before you stop.`,
    block: () => (level1 === "" ? undefined : { placement: "message", text: level1 }),
    async refresh() {
      try {
        const notes = project.read();
        level1 = notes ? renderLevel1(project, notes) : "";
      } catch (error) {
        // Report the failure in the block and let the agent continue.
        level1 = `[Project memory: not available]\n${oneLine((error as Error).message)}\n[End of project memory]`;
      }
    },
  };
}

function toolOf(project: Project, operation: ProjectOperation): Tool {
  return defineTool({
    name: operation.name,
    description: operation.description,
    input: operation.input,
    output: answerShape,
    readOnly: operation.readOnly ?? false,
    idempotent: operation.readOnly ?? false,
    run: async ({ session, options }, input): Promise<Answer> => {
      if (!project.read()) {
        const text = `There is no ${project.file.name} yet. The first entry that you log creates it.`;
        if (operation.readOnly) return { ok: true, text };
        // Choosing this surface implies wanting the file, and an agent may have no shell to run init.
        initProject(project);
      }
      return operation.run(project, input, await callerOf(session, options));
    },
    text: (output) => output.text,
  });
}

async function callerOf(session: SessionHandle, { actor }: ApplyOptions): Promise<Caller> {
  const { agent } = (await session.state()).row;
  return {
    agent: actor?.name ?? (agent === "default" ? undefined : agent),
    session: session.id,
  };
}
