import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HookReply, readHookEvent } from "../../src/hosts/hook/event.ts";
import { runHook } from "../../src/hosts/hook/run-hook.ts";
import { hostNamed } from "../../src/hosts/hosts.ts";
import { openMemory } from "../../src/index.ts";
import { readWorkspaceConfig } from "../../src/workspace/config.ts";
import { findProject } from "../../src/workspace/project.ts";
import { spansOf } from "./stories.ts";
import type { Step, Story } from "./story.ts";

export interface HookOptions {
  /** The notepad that the agent has written before each compaction. */
  notepads?: readonly string[] | undefined;
  handoff?: boolean;
  /** The hook before a compaction is killed before it writes anything. */
  killed?: boolean;
}

/**
 * Writes the story as Claude Code writes its transcript, compacts it, and calls Holdfast's hook at each event.
 * Returns the text that the model gets after the last compaction.
 */
export async function contextFromHook(
  story: Story,
  compactions: number,
  { notepads, handoff = true, killed = false }: HookOptions = {},
): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "holdfast-resume-"));
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
    for (const [index, span] of spansOf(story, compactions).entries()) {
      for (const step of span) writer.add(moved(step, story.folder, project));
      if (notepads) await writeNotepad(project, notepads[index] ?? "");
      if (!killed) await send("PreCompact", { trigger: "auto" });
      writer.compact();
      context = await send("SessionStart", { source: "compact" });
    }
    return moveBack(context, project, story.folder);
  } finally {
    if (home === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = home;
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Holdfast shortens paths below the folder in which the agent works. */
function moved(step: Step, from: string, to: string): Step {
  return JSON.parse(JSON.stringify(step).replaceAll(from, to)) as Step;
}

function moveBack(text: string, project: string, folder: string): string {
  return text.replaceAll(project, folder);
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
  const memory = await openMemory({ store: join(findProject(project).directory, "memory.db") });
  const session = await memory.openSession("claude-code.s1");
  await session.notepad.write(text);
  await memory.close();
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
