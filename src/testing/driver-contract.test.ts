import assert from "node:assert/strict";
import { test } from "node:test";
import { Compaction, type CompactionDriver, findBegun, planSessionEnd } from "../compaction/compaction.ts";
import type { Receipt } from "../engine/records.ts";
import { PluginConversation } from "../hosts/plugin/conversation.ts";
import { openMemory } from "../index.ts";
import { commitReceipt } from "../sessions/commit-receipt.ts";
import type { Session } from "../sessions/session.ts";
import type { LifecycleEvent } from "../surfaces/surface.ts";
import { type DriverHarness, driverContract } from "./driver-contract.ts";

/** A fault of a driver and the contract case that must catch it. */
interface Fault {
  fault: string;
  caughtBy: string;
  /** Number of last messages withheld from the compaction. */
  skip?: number;
  /** An event that the surfaces are not notified of. */
  silent?: LifecycleEvent["kind"];
  driver?(session: Session): Partial<CompactionDriver>;
  /** Never warns the agent. */
  isSilent?: boolean;
  /** Replaces the text that the model is shown. */
  shown?: (text: string) => string;
}

const [handoff, words, receipt, warning, warned, events, order, shown] = driverContract.map(
  ({ name }) => name,
) as [string, string, string, string, string, string, string, string];

const faults: Fault[] = [
  { fault: "the last command is left out of the handoff", caughtBy: handoff, skip: 2 },
  { fault: "a handoff that is turned off", caughtBy: handoff, driver: () => ({ handoff: false }) },
  {
    fault: "the user's words are not shown",
    caughtBy: words,
    shown: (text) => text.replaceAll("Make src/parser.ts accept tabs", "The user wants tabs"),
  },
  {
    fault: "a notepad that the receipt counts and the model does not see",
    caughtBy: receipt,
    driver: () => ({ contextAfter: async ({ body }) => ({ text: body, tokens: 10 }) }),
  },
  {
    fault: "a receipt without the reason for the skipped warning",
    caughtBy: receipt,
    driver: (session) => ({
      commit: ({ skipped: _skipped, ...rest }) => commitReceipt(session, rest as Receipt),
    }),
  },
  {
    fault: "a warning that was skipped without a reason",
    caughtBy: warning,
    driver: () => ({ skipped: "" }),
  },
  { fault: "an agent that is never warned", caughtBy: warned, isSilent: true },
  { fault: "no event before the compaction", caughtBy: events, silent: "before-compaction" },
  { fault: "no session end", caughtBy: events, silent: "session-end" },
  {
    fault: "an epoch that never ends",
    caughtBy: order,
    driver: (session) => ({
      commit: async (given) => {
        const epoch = String(given.epoch);
        await session.apply({ type: "context.handoff", ...(await last(session, epoch)) });
      },
    }),
  },
  { fault: "a model that is shown no memory", caughtBy: shown, shown: () => "Go on." },
];

async function last(session: Session, epoch: string) {
  const begun = await findBegun(session, Number(epoch));
  if (!begun) throw new Error("there is no handoff");
  return begun;
}

/** A minimal driver, with one fault at most. */
function harnessOf({
  skip = 0,
  silent,
  driver,
  isSilent = false,
  shown: change,
}: Partial<Fault> = {}): DriverHarness {
  const open: { close(): Promise<void> }[] = [];
  return {
    async run({ notepad, messages, summary }, surfaces) {
      const memory = await openMemory({ store: "memory:", surfaces: ["notepad", ...surfaces] });
      open.push(memory);
      const session = await memory.createSession();
      const notify = async (event: LifecycleEvent) => {
        if (event.kind !== silent) await session.setting.toolbox.notify(session, event);
      };
      await notify({ kind: "session-start" });
      await session.notepad.write(notepad);
      const given = messages.slice(0, messages.length - skip);
      const stored = given.map((message, index) => ({ number: index + 1, message, at: 0 }));
      const compaction = new Compaction({
        session,
        trigger: "host",
        skipped: "the test has no agent to warn",
        readWith: "",
        countTokens: (text) => Math.ceil(text.length / 4),
        contextAfter: async ({ body }) => ({ text: `${notepad}\n${body}`, tokens: 10 }),
        commit: (done) => commitReceipt(session, done),
        notify,
        ...driver?.(session),
      });
      await compaction.begin({ messages: stored, to: stored.length });
      const { text } = await compaction.finish({ text: summary, by: "model" });
      await notify(await planSessionEnd(session, [], session.setting.countTokens));
      const { system } = await session.context();
      return { session, shown: (change ?? ((all) => all))(`${system}\n${text}`) };
    },
    async warned() {
      const memory = await openMemory({ store: "memory:", surfaces: ["notepad"] });
      open.push(memory);
      const session = await memory.createSession();
      const fill = { tokens: isSilent ? 0 : 97_000, limit: 100_000 };
      return { session, shown: `Go on.\n${await new PluginConversation().warning(session, fill)}` };
    },
    dispose: async () => {
      for (const memory of open) await memory.close();
    },
  };
}

for (const fault of faults) {
  test(`a driver with the fault "${fault.fault}" fails the contract where it should [compaction.drivers-bite]`, async () => {
    const failed: string[] = [];
    for (const { name, run } of driverContract) {
      const harness = harnessOf(fault);
      await run(harness).catch(() => failed.push(name));
      await harness.dispose?.();
    }
    assert.ok(
      failed.includes(fault.caughtBy),
      `"${fault.caughtBy}" passed; failed: ${failed.join("; ") || "none"}`,
    );
  });
}

test("the same driver without a fault passes, so the contract catches the faults [compaction.drivers-bite]", async () => {
  for (const { run } of driverContract) {
    const harness = harnessOf();
    await run(harness);
    await harness.dispose?.();
  }
});

test("every case of the driver contract catches some fault [compaction.drivers-bite]", () => {
  const biting = new Set(faults.map(({ caughtBy }) => caughtBy));
  assert.deepEqual(
    driverContract.map(({ name }) => name).filter((name) => !biting.has(name)),
    [],
  );
});
