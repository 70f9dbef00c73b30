import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hook, hookProject, inMemory } from "../../../test/support/hook.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { sessionIdOf } from "../session-link.ts";
import { transcriptLines } from "../test-support/driver-transcripts.ts";

type Send = (name: string, more?: Record<string, unknown>) => Promise<string>;

/** The events that each host sends from start to end of its session; returns the last text shown to the model. */
const lives: Record<string, (send: Send, summary: string, shrink: () => void) => Promise<string>> = {
  "claude-code": restarting,
  codex: restarting,
  async gemini(send, _summary, shrink) {
    await send("BeforeAgent");
    await send("PreCompress", { trigger: "manual" });
    shrink();
    return send("BeforeAgent");
  },
};

async function restarting(send: Send, summary: string): Promise<string> {
  await send("PreCompact", { trigger: "auto" });
  await send("PostCompact", { compact_summary: summary });
  return send("SessionStart", { source: "compact" });
}

for (const [host, live] of Object.entries(lives)) {
  testDriver(`hook of ${host}`, async (t) => ({
    async run({ notepad, messages, summary }, surfaces) {
      const project = await hookProject();
      const transcript_path = join(project.root, "transcript.jsonl");
      const write = (...more: object[]) => {
        const lines = [...(transcriptLines[host]?.(messages) ?? []), ...more];
        writeFileSync(transcript_path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      };
      write();
      const send: Send = async (hook_event_name, more = {}) => {
        const event = { hook_event_name, session_id: "s1", transcript_path, ...more };
        return (await hook(project, host, event, surfaces)).context;
      };
      await send("SessionStart", { source: "startup" });
      const id = sessionIdOf(host, "s1");
      await inMemory(project, async (memory) => (await memory.openSession(id)).notepad.write(notepad));
      const smaller = { id: "g-last", type: "gemini", content: "Compressed.", tokens: { input: 2_000 } };
      const shown = await live(send, summary, () => write(smaller));
      await send("SessionEnd");
      const memory = await openMemory({ store: project.database });
      t.after(() => memory.close());
      return { session: await memory.resumeSession(id), shown };
    },
  }));
}
