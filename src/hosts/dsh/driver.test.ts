import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { ProjectMemories } from "../plugin/project-memories.ts";
import { sessionIdOf } from "../session-link.ts";
import { DshMemory } from "./dsh-memory.ts";
import { memoryEngine } from "./engine.ts";
import { dshForm, FakeDsh } from "./test-support/fake-dsh.ts";

testDriver("DeepSeek Harness engine", async (t) => ({
  async run({ notepad, messages, summary }, surfaces) {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, ".git"));
    // The plug-in closes its memory at the end, so the test opens its own.
    const store = join(cwd, "memory.db");
    const open = () => openMemory({ store, surfaces: ["notepad", "notes", ...surfaces] });
    const memory = await open();
    t.after(() => memory.close());
    const report = (event: string, error: unknown) => t.diagnostic(`${event}: ${error}`);
    const plugin = new DshMemory(report, new ProjectMemories(open));
    const host = new FakeDsh({ cwd, id: "s1", answer: () => summary });
    host.messages = messages.map(dshForm);
    await plugin.head(host.agent);
    await (await memory.openSession(sessionIdOf("dsh", "s1"))).notepad.write(notepad);
    const Engine = memoryEngine(host.engine, plugin, report);
    await new Engine(host.context).compactRegion(0, messages.length, host.agent);
    const shown = `${await plugin.head(host.agent)}\n${host.text}`;
    await plugin.close();
    return { session: await memory.resumeSession(sessionIdOf("dsh", "s1")), shown };
  },
}));
