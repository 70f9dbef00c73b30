import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { filler } from "./support/agent.ts";
import { type DoorName, doorNames, doors, type Setup, summaryText } from "./support/doors.ts";

const hints = {
  empty:
    "[Hint: Your session memory is still empty. Save your plan and findings now; they survive context compaction.]",
  plan: "[Hint: You have written down a plan. Save it to your session memory so that it survives context compaction.]",
  compacted:
    "[Hint: The context has just been compacted. Review your session memory and save what is missing.]",
  unused: "[Hint: Your session memory has not been updated for a while. Review it and bring it up to date.]",
};

/** The hints before each of these many messages of the user. */
async function hintsAt(t: TestContext, name: DoorName, setup: Partial<Setup>, turns: number, write = false) {
  const door = await doors[name](t, {
    surfaces: ["scratchpad"],
    store: "sqlite",
    placement: "message",
    ...setup,
  });
  if (write) await door.next();
  if (write) await door.call([["session_scratchpad", { action: "set_plan", content: "1. Look" }]]);
  const found: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const { said } = await door.next();
    found.push([...said.matchAll(/\[Hint: [^\]]*\]/g)].join("|"));
  }
  return found;
}

for (const name of doorNames) {
  // The library and an MCP server see no turns.
  if (name === "library" || name === "MCP") continue;

  test(`${name}: no trigger is on by default [seeds.nudges]`, async (t) => {
    assert.deepEqual(await hintsAt(t, name, { reply: "1. Look\n2. Leap\n3. Land" }, 4), ["", "", "", ""]);
  });

  test(`${name}: nudgeAfterTurns, then five turns of rest [seeds.nudges]`, async (t) => {
    const found = await hintsAt(t, name, { nudges: { nudgeAfterTurns: 2 } }, 8);
    assert.deepEqual(found, ["", "", hints.empty, "", "", "", "", hints.empty]);
  });

  test(`${name}: nudgeOnPlanDetected [seeds.nudges]`, async (t) => {
    const plan = { nudges: { nudgeOnPlanDetected: 1 }, reply: "1. Look\n2. Leap\n3. Land" };
    assert.deepEqual(await hintsAt(t, name, plan, 3), ["", hints.plan, ""]);
  });

  test(`${name}: nudgeAfterCompaction, once [seeds.nudges]`, async (t) => {
    const nudges = { nudgeAfterCompaction: 1 };
    const place = { surfaces: ["scratchpad"], store: "sqlite", placement: "message" } as const;
    const door = await doors[name](t, { ...place, nudges, contextWindow: 16_000 });
    const hintsNow = async (said?: string) => {
      const seen = await door.next(said);
      return [...`${seen.system}\n${seen.said}`.matchAll(/\[Hint: [^\]]*\]/g)].map(([hint]) => hint);
    };
    assert.deepEqual(await hintsNow(), []);
    if (door.compact) await door.compact();
    if (door.compact) {
      assert.deepEqual([await hintsNow(), await hintsNow()], [[hints.compacted], []]);
      return;
    }
    // The AI SDK has no command for it: a full window does.
    const found: string[][] = [];
    const isCompacted = () => JSON.stringify(door.requests?.at(-1)?.messages).includes(summaryText);
    while (found.length < 20 && !isCompacted())
      found.push(await hintsNow(filler(1_500).replaceAll("\n", "")));
    assert.deepEqual([found.flat(), await hintsNow()], [[hints.compacted], []]);
  });

  test(`${name}: nudgeTurnsSinceLastUse [seeds.nudges]`, async (t) => {
    const found = await hintsAt(t, name, { nudges: { nudgeTurnsSinceLastUse: 2 } }, 4, true);
    assert.equal(found.filter((hint) => hint === hints.unused).length, 1, found.join());
    assert.ok(
      ["", hints.unused].includes(found[0] ?? "none") &&
        found.every((hint) => hint === "" || hint === hints.unused),
    );
  });
}
