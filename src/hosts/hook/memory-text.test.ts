import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stateWith } from "../../../test/support/conversation.ts";
import { bytesOf, cutMiddle, handoffRoom, maxInjected, renderMemory } from "./memory-text.ts";

test("[hooks.size] any memory fits, in whole characters, and is not cut if it fits", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 6_000, size: "max" });
  fc.assert(
    fc.property(text, text, text, text, (notepad, handoff, receipt, hint) => {
      const state = stateWith({ "space/plan": handoff }, notepad.repeat(3));
      const rendered = renderMemory({ lead: "Lead", state, sessionId: "s", handoff, hints: [hint] });
      const shown = rendered.withReceipt(receipt);
      assert.ok(bytesOf(shown) <= maxInjected, `${bytesOf(shown)} bytes`);
      assert.ok(shown.isWellFormed());
    }),
    // Shrinking such long texts takes minutes.
    { numRuns: 40, endOnFailure: true },
  );
});

test("[hooks.size] a scratchpad fits next to a notepad that leaves it almost no room", () => {
  for (let bytes = 8_900; bytes <= 9_200; bytes++) {
    const state = stateWith({ "space/plan": "- a step of the plan\n".repeat(30) }, "n".repeat(bytes));
    const rendered = renderMemory({ lead: "Lead", state, sessionId: "s", handoff: "h".repeat(2_000) });
    const shown = rendered.withReceipt("r".repeat(400));
    assert.ok(bytesOf(shown) <= maxInjected, `${bytesOf(shown)} bytes with a notepad of ${bytes}`);
  }
});

test("[hooks.size] the notepad is whole if it fits at all, and its lines are counted", () => {
  const handoff = "h".repeat(8_000);
  const shown = (bytes: number) => {
    const state = stateWith({ "space/plan": "plan" }, "- note\n".repeat(bytes / 7).trimEnd());
    return renderMemory({ lead: "Lead", state, sessionId: "s", handoff });
  };
  const whole = shown(8_400);
  assert.deepEqual(whole.notepad, { lines: 1_200, shown: 1_200 });
  assert.equal(whole.text.match(/^- note$/gm)?.length, 1_200);
  assert.ok(bytesOf(whole.withReceipt("[Receipt]")) <= maxInjected);
  const cut = shown(21_000);
  assert.equal(cut.notepad.lines, 3_000);
  assert.match(cut.text, /\[… cut here, 3000 lines in all: call read_notepad to read the rest …\]/);
  const [before = "", after = ""] = cut.text.split("[… cut here");
  assert.equal(cut.notepad.shown, before.match(/^- note$/gm)?.length);
  assert.equal(cut.notepad.tail, after.match(/^- note$/gm)?.length, "the last lines are in context too");
  assert.ok(cut.text.split("h").length > 1_500, "the handoff keeps its share");
  const byPerson = stateWith(
    { "origin/notepad": { lines: [[3, "person"]] } },
    "(empty for now)\n- two\n- three",
  );
  const shownWhole = renderMemory({ lead: "Lead", state: byPerson, sessionId: "s", handoff });
  assert.match(shownWhole.text, /\[Origin of the notepad: .*\]\n\n## Session Notepad/);
  assert.deepEqual(shownWhole.notepad, { lines: 3, shown: 3 }, "the line about its origin is not of it");
  assert.deepEqual(renderMemory({ lead: "Lead", state: undefined, sessionId: "s" }).notepad, {
    lines: 0,
    shown: 0,
  });
});

test("[hooks.declined] without tools no text names one, not even the hint of an empty notepad", () => {
  const memory = { lead: "Lead", sessionId: "s", hasTools: false };
  assert.equal(renderMemory({ ...memory, state: undefined }).text, "Lead");
  assert.match(renderMemory({ ...memory, state: stateWith({}, "- note") }).text, /- note/);
});

test("[hooks.size] a full scratchpad is cut space by space, and the plan gets most of the room", () => {
  const plan = Array.from({ length: 60 }, (_, step) => `${step + 1}. step of the plan`).join("\n");
  const refs = Array.from({ length: 50 }, (_, index) => [`ref/${index}`, `src/${"r".repeat(500)}.ts`]);
  const spaces = { "space/notes": `Finding ${"n".repeat(3_900)}`, "space/plan": plan };
  const state = stateWith({ ...spaces, ...Object.fromEntries(refs) }, "x\n".repeat(16_000));
  const shown = renderMemory({ lead: "Lead", state, sessionId: "s", handoff: "c".repeat(5_000) }).text;
  assert.ok(bytesOf(shown) <= maxInjected);
  const block = /\[Session Scratchpad\]\n([\s\S]+)\n\[End Scratchpad\]/.exec(shown)?.[1] ?? "";
  assert.match(
    block,
    /^Finding n+[\s\S]+\n\nPlan:\n1\. step of the plan\n[\s\S]+\n60\. step of the plan\n\nReferences:\n• src/,
  );
  assert.ok(block.split("step of the plan").length > 20, block);
});

test("[hooks.size] the lead, and a handoff that uses all its room, are whole however full the rest is", () => {
  const lead = "L".repeat(280);
  const full = (notepad: number, plan: number) =>
    stateWith({ "space/plan": "plan\n".repeat(plan) }, "note\n".repeat(notepad));
  for (const state of [full(0, 0), full(500, 0), full(6_000, 0), full(6_000, 390)]) {
    const memory = { lead, state, sessionId: "s", project: "p\n".repeat(900), hints: ["h".repeat(450)] };
    const handoff = "c".repeat(handoffRoom(memory));
    const { text } = renderMemory({ ...memory, handoff });
    assert.ok(text.startsWith(`${lead}\n\n`), text.slice(0, 300));
    assert.ok(text.includes(handoff));
    assert.ok(bytesOf(text) <= maxInjected);
  }
});

test("[hooks.size] a cut keeps the beginning and the end in whole lines, and names the way to the rest", () => {
  const lines = Array.from({ length: 100 }, (_, line) => `line ${line}`);
  const cut = cutMiddle(lines.join("\n"), 300, "call read_notepad");
  assert.ok(bytesOf(cut) <= 300);
  const kept = cut.split("\n");
  assert.equal(kept[0], "line 0");
  assert.equal(kept.at(-1), "line 99");
  assert.match(cut, /cut here, 100 lines in all: call read_notepad to read the rest/);
  for (const line of kept.filter((each) => !each.startsWith("[…"))) assert.ok(lines.includes(line), line);
  assert.equal(cutMiddle("short", 300, "look"), "short");
  const one = cutMiddle("🪸".repeat(1_000), 301, "look");
  assert.ok(bytesOf(one) <= 301 && one.isWellFormed() && !one.includes("\ufffd"));
  assert.match(one, /^🪸+\n\[…[^\n]+\]\n🪸+$/u);
});
