import { join } from "node:path";
import type { TestContext } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { sessionIdOf } from "../session-link.ts";
import { piForm } from "../test-support/pi-form.ts";
import { PiExtension } from "./extension.ts";
import { FakePi, shownIn } from "./test-support/fake-pi.ts";

async function startPi(t: TestContext, summary: string, surfaces: readonly Surface[]) {
  const pi = new FakePi({ cwd: temporaryDirectory(), id: "s1", summarise: () => summary });
  // pi closes its memory at the end, so the test opens its own.
  const store = join(temporaryDirectory(), "memory.db");
  const open = () => openMemory({ store, surfaces: ["notepad", "notes", ...surfaces] });
  const memory = await open();
  t.after(() => memory.close());
  const extension = new PiExtension(pi, {
    tools: memory.tools(),
    openMemory: open,
    report: (event, error) => t.diagnostic(`${event}: ${error}`),
  });
  extension.register(pi);
  await pi.emit("session_start", { reason: "startup" });
  return { pi, memory };
}

testDriver("pi extension", async (t) => ({
  async warned() {
    const { pi, memory } = await startPi(t, "", []);
    pi.say("user", "Go on.");
    pi.usage = { tokens: 178_000, contextWindow: 200_000 };
    const shown = shownIn(await pi.modelCall());
    return { session: await memory.openSession(sessionIdOf("pi", "s1")), shown };
  },
  async run({ notepad, messages, summary }, surfaces) {
    const { pi, memory } = await startPi(t, summary, surfaces);
    const entries = messages.map((message) => pi.keep(piForm(message)));
    await pi.modelCall();
    await (await memory.openSession(sessionIdOf("pi", "s1"))).notepad.write(notepad);
    const [compaction] = await pi.beforeCompact(entries.at(-1) ?? "");
    if (!compaction) throw new Error("the extension returned no compaction");
    await pi.compacted(compaction, true);
    const shown = shownIn(await pi.modelCall());
    await pi.emit("session_shutdown");
    return { session: await memory.resumeSession(sessionIdOf("pi", "s1")), shown };
  },
}));
