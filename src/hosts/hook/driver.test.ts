import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { sessionIdOf } from "../session-link.ts";
import { compressedHistory, transcriptLines } from "../test-support/driver-transcripts.ts";

interface Life {
  send(name: string, more?: Record<string, unknown>): Promise<string>;
  /** Adds a line to the host's transcript. */
  append(line: object): void;
  summary: string;
}

/** The events of a compaction, in an order that a host sends them in; returns the last text shown to the model. */
const lives: [name: string, host: string, live: (life: Life) => Promise<string>][] = [
  ["claude-code", "claude-code", reportedFirst],
  ["codex", "codex", reportedFirst],
  [
    "claude-code, reported after the restart",
    "claude-code",
    async ({ send, append, summary }) => {
      await send("PreCompact", { trigger: "auto" });
      append({ type: "user", uuid: "sum", isCompactSummary: true, message: { content: summary } });
      const shown = await send("SessionStart", { source: "compact" });
      await send("PostCompact", { compact_summary: summary });
      return shown;
    },
  ],
  ["claude-code, not announced", "claude-code", ({ send }) => send("SessionStart", { source: "compact" })],
  [
    "codex, resumed at the same time",
    "codex",
    async ({ send, summary }) => {
      await send("PreCompact", { trigger: "auto" });
      await send("PostCompact", { compact_summary: summary });
      const shown = await send("SessionStart", { source: "resume" });
      await send("SessionStart", { source: "compact" });
      return shown;
    },
  ],
  [
    "gemini",
    "gemini",
    async ({ send, append, summary }) => {
      await send("BeforeAgent");
      append(compressedHistory(summary));
      return send("BeforeAgent");
    },
  ],
];

async function reportedFirst({ send, summary }: Life): Promise<string> {
  await send("PreCompact", { trigger: "auto" });
  await send("PostCompact", { compact_summary: summary });
  return send("SessionStart", { source: "compact" });
}

/** A model call that leaves little room, in the transcript of each host, and the event that follows it. */
const fullLines: Record<string, [line: object, event: string]> = {
  "claude-code": [
    {
      type: "assistant",
      uuid: "full",
      sessionId: "s1",
      message: {
        role: "assistant",
        model: "claude-opus-4-5",
        content: [{ type: "text", text: "Done." }],
        usage: { input_tokens: 162_000, output_tokens: 100 },
      },
    },
    "PostToolBatch",
  ],
  codex: [
    {
      type: "event_msg",
      payload: {
        type: "token_count",
        info: { last_token_usage: { total_tokens: 240_000 }, model_context_window: 272_000 },
      },
    },
    "PostToolUse",
  ],
  gemini: [
    { id: "full", type: "gemini", content: "Done.", model: "gemini-pro", tokens: { total: 515_000 } },
    "AfterTool",
  ],
};

for (const [name, host, live] of lives) {
  testDriver(`hook of ${name}`, async (t) => ({
    async warned() {
      process.env.XDG_STATE_HOME = temporaryDirectory();
      const project = await hookProject();
      const transcript_path = join(project.root, "transcript.jsonl");
      const [line, event] = fullLines[host] ?? [];
      writeFileSync(transcript_path, `${JSON.stringify(line)}\n`);
      const send = (hook_event_name = "") =>
        hook(project, host, { hook_event_name, session_id: "s1", transcript_path });
      await send("SessionStart");
      const { context } = await send(event);
      const memory = await openMemory({ store: project.database });
      t.after(() => memory.close());
      return { session: await memory.resumeSession(sessionIdOf(host, "s1")), shown: context };
    },
    async run({ notepad, messages, summary }, surfaces) {
      const project = await hookProject();
      const transcript_path = join(project.root, "transcript.jsonl");
      const lines = transcriptLines[host]?.(messages) ?? [];
      writeFileSync(transcript_path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      const append = (line: object) => appendFileSync(transcript_path, `${JSON.stringify(line)}\n`);
      const send: Life["send"] = async (hook_event_name, more = {}) => {
        const event = { hook_event_name, session_id: "s1", transcript_path, ...more };
        return (await hook(project, host, event, surfaces)).context;
      };
      await send("SessionStart", { source: "startup" });
      const id = sessionIdOf(host, "s1");
      await inMemory(project, async (memory) => (await memory.openSession(id)).notepad.write(notepad));
      const shown = await live({ send, append, summary });
      await send("SessionEnd");
      const memory = await openMemory({ store: project.database });
      t.after(() => memory.close());
      return { session: await memory.resumeSession(id), shown };
    },
  }));
}
