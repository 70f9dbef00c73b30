import assert from "node:assert/strict";
import { test } from "node:test";
import type { ShownBlock } from "../engine/records.ts";
import { changesSince, changeText, showsOldHint } from "./shown-memory.ts";

const notepad = (text: string) => ({
  surface: "notepad",
  placement: "system" as const,
  text: `## Session Notepad\n${text}`,
});
const pins = { surface: "pins", placement: "system" as const, text: "[Pins]\n1. Never push" };
const surfaces = ["notepad", "pins", "scratchpad"];

function shown(...blocks: ShownBlock[]) {
  return new Map(blocks.map((block) => [block.surface, block]));
}

test("changed blocks are shown whole, the notepad first [controller.changes]", () => {
  const before = shown(notepad("- one"), pins);
  const context = (...blocks: (typeof pins)[]) => ({ blocks, surfaces });
  assert.deepEqual(changesSince(before, context(pins, notepad("- one"))), []);
  const [whole, ...others] = changesSince(before, context(pins, notepad("- one\n- two")));
  assert.deepEqual(others, []);
  assert.equal(
    changeText(whole as ShownBlock),
    "[Notepad, full and current; replaces every earlier copy]\n- one\n- two\n[End of notepad]",
  );
  const both = changesSince(before, context({ ...pins, text: "[Pins]\n1. Push" }, notepad("")));
  assert.deepEqual(
    both.map(({ surface }) => surface),
    ["notepad", "pins"],
  );
  const [gone] = changesSince(before, context(notepad("- one")));
  assert.equal(changeText(gone as ShownBlock), "[The pins block is empty now]");
});

test("a block that was shown cut is not shown again until it changes [controller.changes]", () => {
  const before = shown({ ...notepad("- o[…]e"), cutFrom: notepad("- one").text });
  assert.deepEqual(changesSince(before, { blocks: [notepad("- one")], surfaces }), []);
  assert.equal(changesSince(before, { blocks: [notepad("- one!")], surfaces }).length, 1);
});

test("a notepad with a write by others is shown again even if its text is the same [controller.changes]", () => {
  const context = { blocks: [notepad("- one")], surfaces };
  assert.equal(changesSince(shown(notepad("- one")), context, ["notepad"]).length, 1);
  assert.deepEqual(changesSince(new Map(), { blocks: [], surfaces: [] }, ["notepad"]), []);
});

test("an empty notepad, and a cut one, are labelled as such [controller.changes]", () => {
  assert.equal(
    changeText({ ...notepad("(hint)"), isEmpty: true }),
    "[Notepad: now empty; replaces every earlier copy]",
  );
  assert.match(
    changeText({ ...notepad("a"), cutFrom: "b" }),
    /^\[Notepad, current, without its middle; replaces every earlier copy\]\na\n/,
  );
});

test("the hint of an empty notepad is old as soon as there is text [controller.changes]", () => {
  const hint = { ...notepad("(empty)"), isEmpty: true as const };
  assert.equal(showsOldHint([hint], { blocks: [hint] }), false);
  assert.equal(showsOldHint([hint], { blocks: [notepad("- one")] }), true);
  assert.equal(showsOldHint([notepad("- one")], { blocks: [notepad("- two")] }), false);
});
