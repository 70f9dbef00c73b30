import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";
import { testDriver } from "../../testing/test-support/test-driver.ts";
import { sessionIdOf } from "../session-link.ts";
import { piForm } from "../test-support/pi-form.ts";
import { PiExtension } from "./extension.ts";
import { FakePi, shownIn } from "./test-support/fake-pi.ts";

testDriver("pi extension", async (t) => ({
  async run({ notepad, messages, summary }, surfaces) {
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
