import type { Memory } from "../../sessions/memory.ts";
import { runAudit } from "./audit.ts";
import { conclude, introduceAudit, narrator } from "./demo.ts";

/** Slow enough to follow on the page; the first answers are quick, so that there is something to see. */
const thinking = (answer: number) => (answer <= 2 ? 400 : 2_500);

/** Fills an empty store with a finished session, then runs a second agent at a pace that can be followed. */
export async function playDemo(memory: Memory, signal: AbortSignal): Promise<void> {
  const [any] = await memory.listSessions({ status: "all", limit: 1 });
  if (any) {
    console.log("The store already has sessions, so the demo agent was not started.");
    return;
  }
  try {
    await playFinishedAudit(memory, signal);
    introduceAudit();
    const show = narrator();
    const audit = await runAudit(memory, {
      session: { id: "audit", agent: "demo", title: "Workbook audit, running" },
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

/** A session that was compacted several times, to look at while the other one runs. */
export async function playFinishedAudit(memory: Memory, signal?: AbortSignal): Promise<void> {
  const session = { id: "audit-finished", agent: "demo", title: "Workbook audit, finished" };
  await runAudit(memory, { session, ...(signal ? { signal } : {}) });
}
