import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { ProjectMemories } from "../plugin/project-memories.ts";
import { sessionIdOf } from "../session-link.ts";
import { piForm } from "../test-support/pi-form.ts";
import { OpenClawMemory } from "./openclaw-memory.ts";

testDriver("OpenClaw plug-in", async (t) => ({
  async run({ notepad, messages }, surfaces) {
    const workspaceDir = temporaryDirectory();
    mkdirSync(join(workspaceDir, ".git"));
    // The plug-in closes its memory at the end, so the test opens its own.
    const store = join(workspaceDir, "memory.db");
    const open = () => openMemory({ store, surfaces: ["notepad", "notes", ...surfaces] });
    const memory = await open();
    t.after(() => memory.close());
    const plugin = new OpenClawMemory(new ProjectMemories(open));
    const context = { sessionKey: "s1", workspaceDir };
    const report = (error: unknown) => t.diagnostic(String(error));
    const converted = messages.map(piForm);
    await plugin.texts(context, [], report);
    const session = await memory.openSession(sessionIdOf("openclaw", "s1"));
    await session.notepad.write(notepad);
    const event = { messages: converted, sessionFile: join(workspaceDir, "session.jsonl") };
    await plugin.beforeCompaction(event, context, report);
    await plugin.afterCompaction({ compactedCount: converted.length }, context);
    const { head } = await plugin.texts(context, converted.slice(-1), report);
    await plugin.close(report);
    return { session, shown: head };
  },
}));
