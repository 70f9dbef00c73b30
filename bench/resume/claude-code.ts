import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HookReply, readHookEvent } from "../../src/hosts/hook/event.ts";
import { runHook } from "../../src/hosts/hook/run-hook.ts";
import { hostNamed } from "../../src/hosts/hosts.ts";
import { hostConversation } from "../../src/hosts/transcript/past-conversation.ts";
import { openMemory, type Session } from "../../src/index.ts";
import { readWorkspaceConfig } from "../../src/workspace/config.ts";
import { findProject } from "../../src/workspace/project.ts";
import { inFolder, spansOf, workFolder } from "./stories.ts";
import type { Step } from "./story.ts";

export interface HookOptions {
  /** The notepad that the agent has written before each compaction. */
  notepads?: readonly string[] | undefined;
  handoff?: boolean;
  /** The hook before a compaction is killed before it writes anything. */
  killed?: boolean;
  /** The agent's searches with `recall` after the last compaction. */
  queries?: readonly string[];
}

/**
 * Writes the session as Claude Code writes its transcript, compacts it, and calls Holdfast's hook at each event.
 * Returns the text that the model gets after the last compaction, and the results of `recall`.
 */
export async function runHooks(
  compactions: number,
  { notepads, handoff = true, killed = false, queries = [] }: HookOptions = {},
): Promise<{ context: string; found: string[] }> {
  const directory = temporaryFolder();
  const home = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = join(directory, "state");
  try {
    const project = join(directory, "project");
    mkdirSync(join(project, ".git"), { recursive: true });
    if (!handoff) writeFileSync(join(project, "holdfast.json"), '{ "handoff": false }');
    const transcript = join(directory, "transcript.jsonl");
    const writer = transcriptWriter(transcript);
    const send = (hook_event_name: string, more: object) =>
      callHook(project, {
        session_id: "s1",
        transcript_path: transcript,
        cwd: project,
        hook_event_name,
        ...more,
      });
    await send("SessionStart", { source: "startup" });
    let context = "";
    for (const [index, span] of spansOf(compactions).entries()) {
      for (const step of inFolder(span, workFolder, project)) writer.add(step);
      if (notepads) await writeNotepad(project, notepads[index] ?? "");
      if (!killed) await send("PreCompact", { trigger: "auto" });
      writer.compact();
      context = await send("SessionStart", { source: "compact" });
    }
    const found = await recall(project, queries);
    const movedBack = (text: string) => text.replaceAll(project, workFolder);
    return { context: movedBack(context), found: found.map(movedBack) };
  } finally {
    if (home === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = home;
    rmSync(directory, { recursive: true, force: true });
  }
}

let folders = 0;

/** Its path is always one word and equally long: it is in the transcript, and `recall` weighs passages by their words. */
function temporaryFolder(): string {
  const number = String(process.pid * 1_000 + ++folders).padStart(12, "0");
  const name = [...number].map((digit) => "abcdefghij"[Number(digit)]).join("");
  const folder = join(tmpdir(), `holdfast-resume-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function callHook(project: string, payload: Record<string, unknown>): Promise<string> {
  const event = readHookEvent(hostNamed("claude-code"), payload);
  let reply: HookReply = {};
  await runHook({
    event,
    project: findProject(project),
    config: readWorkspaceConfig(findProject(project)),
    answer: (given) => {
      reply = given;
    },
    fail: (error) => {
      throw error;
    },
  });
  return reply.context ?? "";
}

async function writeNotepad(project: string, text: string): Promise<void> {
  await withSession(project, (session) => session.notepad.write(text));
}

/** The tool as the MCP server offers it. */
async function recall(project: string, queries: readonly string[]): Promise<string[]> {
  const conversation = hostConversation(findProject(project).directory);
  return withSession(project, async (session) => {
    const found: string[] = [];
    for (const query of queries) {
      const answer = await session.call("recall", { query }, { conversation });
      found.push(answer.ok ? answer.text : JSON.stringify(answer));
    }
    return found;
  });
}

async function withSession<T>(project: string, work: (session: Session) => Promise<T>): Promise<T> {
  const store = join(findProject(project).directory, "memory.db");
  const memory = await openMemory({ store, surfaces: ["notepad", "notes", "pins", "recall"] });
  try {
    return await work(await memory.openSession("claude-code.s1"));
  } finally {
    await memory.close();
  }
}

/** Appends lines as Claude Code does: a line for each block, and a boundary and a summary for a compaction. */
function transcriptWriter(path: string) {
  let count = 0;
  let at = Date.UTC(2026, 8, 14, 8);
  const line = (type: string, value: object) => {
    at += 20_000;
    const common = { type, uuid: `line-${++count}`, sessionId: "s1", timestamp: new Date(at).toISOString() };
    appendFileSync(path, `${JSON.stringify({ ...common, ...value })}\n`);
  };
  const say = (role: "user" | "assistant", content: unknown) => line(role, { message: { role, content } });
  writeFileSync(path, "");
  return {
    add(step: Step): void {
      if (step.kind === "user") say("user", step.text);
      else if (step.kind === "agent") say("assistant", [{ type: "text", text: step.text }]);
      else {
        const id = `toolu_${count}`;
        say("assistant", [{ type: "tool_use", id, name: step.tool, input: step.input }]);
        say("user", [{ type: "tool_result", tool_use_id: id, content: step.result, is_error: step.failed }]);
      }
    },
    compact(): void {
      line("system", { subtype: "compact_boundary" });
      line("user", { isCompactSummary: true, message: { role: "user", content: "(the summary)" } });
    },
  };
}
