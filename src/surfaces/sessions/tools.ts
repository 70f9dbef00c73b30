import { z } from "zod";
import { fenceContent } from "../../context/fence.ts";
import type { Child } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import { type Call, type ChildRunner, defineTool, type Surface, type SurfaceView } from "../surface.ts";
import { readChildren } from "./operations.ts";

/** Work delegated to sub-sessions, each with its own memory. */
const sessionsView: SurfaceView = {
  name: "sessions",
  block: (state) => {
    const children = readChildren(state);
    if (children.length === 0) return undefined;
    const lines = children.map(([id, child]) => line(id, child)).join("\n");
    return { placement: "message", text: `[Delegated work]\n${lines}\n[End of delegated work]` };
  },
};

function line(id: string, { status, task, result }: Child): string {
  const short = (text: string) => fenceContent(text.replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed());
  return `- ${id}: ${short(task)} → ${status}${result === "" ? "" : `: ${short(result)}`}`;
}

const task = z.string().min(1).describe("What the sub-session should do, with everything it needs to know");
const tokenLimit = z.int().min(1_000).optional().describe("Tokens it may use");
const started = z.object({ session_id: z.string(), status: z.literal("running") });

const spawnSession = defineTool({
  name: "spawn_session",
  description: "Delegate work to a sub-session that starts with an empty notepad. It runs in parallel.",
  input: z.strictObject({
    task,
    token_limit: tokenLimit,
    copy_notepad: z.boolean().optional().describe("Start with a copy of your notepad. Default: false."),
  }),
  output: started,
  run: async (call, input) => {
    const id = await runner(call).start(call.session, {
      kind: "spawn",
      task: input.task,
      ...(input.token_limit === undefined ? {} : { tokenLimit: input.token_limit }),
      copyNotepad: input.copy_notepad ?? false,
    });
    return { session_id: id, status: "running" as const };
  },
});

const forkSession = defineTool({
  name: "fork_session",
  description:
    "Delegate work to a sub-session that knows everything you know: conversation and notepad. It runs in parallel.",
  input: z.strictObject({ task, token_limit: tokenLimit }),
  output: started,
  run: async (call, input) => {
    const limit = input.token_limit === undefined ? {} : { tokenLimit: input.token_limit };
    const id = await runner(call).start(call.session, {
      kind: "fork",
      task: input.task,
      answered: call.answered,
      ...limit,
    });
    return { session_id: id, status: "running" as const };
  },
});

const waitForSessions = defineTool({
  name: "wait_for_sessions",
  description: "Wait until sub-sessions have ended, and read their results.",
  input: z.strictObject({
    session_ids: z.array(z.string()).optional().describe("Sub-sessions to wait for. Default: all."),
    timeout_seconds: z.number().min(0).max(3_600).optional().describe("Maximum time to wait"),
  }),
  output: z.object({
    sessions: z.array(
      z.object({ session_id: z.string(), status: z.string(), task: z.string(), result: z.string() }),
    ),
  }),
  readOnly: true,
  run: async (call, { session_ids, timeout_seconds }) => {
    const ended = await runner(call).wait(call.session, session_ids, timeout_seconds);
    return {
      sessions: ended.map(([id, child]) => ({
        session_id: id,
        status: child.status,
        task: child.task,
        result: child.result,
      })),
    };
  },
});

const reportResult = defineTool({
  name: "report_result",
  description: "In a sub-session: hand a clean summary of your result to the parent and end.",
  input: z.strictObject({ result: z.string().min(1).describe("What the parent needs to know") }),
  output: z.object({ ok: z.literal(true) }),
  run: async (call, { result }) => {
    await runner(call).report(call.session, result);
    return { ok: true as const };
  },
});

function runner({ children }: Call): ChildRunner {
  if (children) return children;
  throw new HoldfastError(
    "invalid_input",
    "Sub-sessions only work where an agent is running. Do the work in this session.",
  );
}

export const sessionsSurface: Surface = {
  ...sessionsView,
  needsAgent: true,
  tools: [spawnSession, forkSession, waitForSessions, reportResult],
  guidance: () =>
    "Delegate independent work with spawn_session (it knows only what you tell it) or fork_session (it knows what you know), and read the results with wait_for_sessions. In a sub-session, end with report_result. Each sub-session has its own notepad.",
};
