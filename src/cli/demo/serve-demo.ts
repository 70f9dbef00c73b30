import type { Memory } from "../../sessions/memory.ts";
import { runAudit } from "./audit.ts";
import { conclude, introduceAudit, narrator } from "./demo.ts";

/** Slow enough to follow on the page. */
const thinking = (answer: number) => (answer <= 2 ? 600 : 2_200);

/** Runs an agent in an empty store, at a pace that can be followed. */
export async function playDemo(memory: Memory, signal: AbortSignal): Promise<void> {
  const [any] = await memory.listSessions({ status: "all", limit: 1 });
  if (any) {
    console.log("The store already has sessions, so the demo agent was not started.");
    return;
  }
  try {
    introduceAudit();
    const show = narrator();
    const audit = await runAudit(memory, {
      session: { id: "audit", agent: "demo", title: "Workbook audit" },
      thinking,
      signal,
      onEvent: (event) => void show(event),
    });
    conclude(audit);
    console.log("\nThe page stays available until you press Ctrl-C.");
  } catch (error) {
    if (!signal.aborted) console.error(`The demo agent stopped: ${(error as Error).message}`);
  }
}
