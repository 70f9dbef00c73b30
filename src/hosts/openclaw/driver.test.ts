import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { sessionIdOf } from "../session-link.ts";
import { piForm } from "../test-support/pi-form.ts";
import { OpenClawMemory } from "./openclaw-memory.ts";

async function startPlugin(t: TestContext, surfaces: readonly Surface[]) {
  const workspaceDir = temporaryDirectory();
  mkdirSync(join(workspaceDir, ".git"));
  // The plugin closes its memory at the end, so the test opens its own.
  const store = join(workspaceDir, "memory.db");
  const open = () => openMemory({ store, surfaces: ["notepad", "notes", ...surfaces] });
  const memory = await open();
  t.after(() => memory.close());
  const plugin = new OpenClawMemory(open);
  const context = { sessionKey: "s1", workspaceDir, modelId: "m1" };
  const report = (error: unknown) => t.diagnostic(String(error));
  return { plugin, memory, context, workspaceDir, report };
}

for (const place of ["event", "transcript"])
  testDriver(`OpenClaw plugin, messages in the ${place}`, async (t) => ({
    async warned() {
      process.env.XDG_STATE_HOME = temporaryDirectory();
      const { plugin, memory, context, report } = await startPlugin(t, []);
      plugin.noteWindow({ model: "m1", contextTokenBudget: 200_000 });
      const usage = { input: 5_000, output: 500, cacheRead: 173_000, cacheWrite: 0 };
      const answer = { role: "assistant", content: [{ type: "text", text: "Done." }], usage };
      const { head, news } = await plugin.texts(context, [answer], report);
      return { session: await memory.openSession(sessionIdOf("openclaw", "s1")), shown: `${head}\n${news}` };
    },
    async run({ notepad, messages }, surfaces) {
      const { plugin, memory, context, workspaceDir, report } = await startPlugin(t, surfaces);
      const converted = messages.map(piForm);
      await plugin.texts(context, [], report);
      const session = await memory.openSession(sessionIdOf("openclaw", "s1"));
      await session.notepad.write(notepad);
      const sessionFile = join(workspaceDir, "session.jsonl");
      const entries = converted.map((message, index) => ({ type: "message", id: `e${index}`, message }));
      if (place === "transcript")
        plugin.openTranscript = async () => ({ entries: async () => entries, append: async () => {} });
      const event = place === "event" ? { messages: converted, sessionFile } : { sessionFile };
      await plugin.beforeCompaction(event, context, report);
      await plugin.afterCompaction({ compactedCount: converted.length }, context);
      const { head } = await plugin.texts(context, converted.slice(-1), report);
      await plugin.close(report);
      return { session, shown: head };
    },
  }));
