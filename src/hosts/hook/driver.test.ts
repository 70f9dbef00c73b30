import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
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
      await send("PreCompress", { trigger: "manual" });
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

for (const [name, host, live] of lives) {
  testDriver(`hook of ${name}`, async (t) => ({
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
