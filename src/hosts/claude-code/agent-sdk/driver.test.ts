import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";
import { openMemory } from "../../../index.ts";
import { testDriver } from "../../../testing/test-support/test-driver.ts";
import { transcriptLines } from "../../test-support/driver-transcripts.ts";
import { type HookInput, holdfastClaude } from "./index.ts";

type Life = (
  send: (name: HookInput["hook_event_name"], more?: Partial<HookInput>) => Promise<string>,
  summary: string,
  append: (line: object) => void,
) => Promise<string>;

/** The events of a compaction, in the orders that Claude Code sends them in. */
const lives: Record<string, Life> = {
  "reported first": async (send, compact_summary) => {
    await send("PreCompact");
    await send("PostCompact", { compact_summary });
    return send("SessionStart", { source: "compact" });
  },
  "reported after the restart": async (send, compact_summary, append) => {
    await send("PreCompact");
    append({ type: "user", uuid: "sum", isCompactSummary: true, message: { content: compact_summary } });
    const shown = await send("SessionStart", { source: "compact" });
    await send("PostCompact", { compact_summary });
    return shown;
  },
  "without a new start": async (send, compact_summary) => {
    await send("PreCompact");
    await send("PostCompact", { compact_summary });
    return send("UserPromptSubmit");
  },
};

for (const [name, live] of Object.entries(lives)) {
  testDriver(`Claude Agent SDK adapter, ${name},`, async (t) => ({
    async warned() {
      process.env.XDG_STATE_HOME = temporaryDirectory();
      const cwd = temporaryDirectory();
      const transcript_path = join(cwd, "transcript.jsonl");
      const usage = { input_tokens: 162_000, output_tokens: 100 };
      const content = [{ type: "tool_use", id: "t1", name: "Bash", input: {} }];
      const message = { role: "assistant", model: "claude-opus-4-5", content, usage };
      writeFileSync(transcript_path, `${JSON.stringify({ type: "assistant", uuid: "u1", message })}\n`);
      const memory = await openMemory({ store: "memory:", surfaces: ["notepad"] });
      t.after(() => memory.close());
      const session = await memory.openSession("s");
      const { hooks } = await holdfastClaude({ session, onError: (error) => assertNever(error) });
      const answers = ["t1", "t2"].map((tool_use_id) => {
        const input = {
          hook_event_name: "PostToolUse",
          transcript_path,
          cwd,
          tool_use_id,
          tool_response: "ok",
        };
        return hooks.PostToolUse[0]?.hooks[0]?.(input);
      });
      return { session, shown: JSON.stringify(await Promise.all(answers)).replaceAll("\\n", "\n") };
    },
    async run({ notepad, messages, summary }, surfaces) {
      const cwd = temporaryDirectory();
      const transcript_path = join(cwd, "transcript.jsonl");
      const append = (line: object) => appendFileSync(transcript_path, `${JSON.stringify(line)}\n`);
      writeFileSync(transcript_path, "");
      for (const line of transcriptLines["claude-code"]?.(messages) ?? []) append(line);
      const memory = await openMemory({ store: "memory:", surfaces: ["notepad", ...surfaces] });
      t.after(() => memory.close());
      const session = await memory.openSession("s");
      const { hooks } = await holdfastClaude({ session, onError: (error) => assertNever(error) });
      const send = async (hook_event_name: string, more: Partial<HookInput> = {}) => {
        const entries = hooks[hook_event_name as keyof typeof hooks];
        const output = await entries[0]?.hooks[0]?.({ hook_event_name, transcript_path, cwd, ...more });
        const { hookSpecificOutput: shown } = output ?? {};
        return shown && "additionalContext" in shown ? shown.additionalContext : "";
      };
      await send("SessionStart", { source: "startup" });
      await session.notepad.write(notepad);
      const shown = await live(send, summary, append);
      await send("SessionEnd");
      return { session, shown };
    },
  }));
}

function assertNever(error: Error): never {
  throw error;
}
