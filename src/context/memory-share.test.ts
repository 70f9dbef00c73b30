import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "./blocks.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { fitBlocks } from "./memory-share.ts";

const long = (name: string) => Array.from({ length: 400 }, (_, index) => `${name} line ${index}`).join("\n");

function contextWith(...blocks: Context["blocks"]): Context {
  return { surfaces: [], guidance: "Guidance.", blocks, ends: {}, system: "", message: "" };
}

const notepad = {
  surface: "notepad",
  placement: "system" as const,
  text: `## Session Notepad\n${long("notepad")}`,
  whole: "Call read_notepad to read all of it.",
};
const project = { surface: "project", placement: "system" as const, text: long("project") };
const tasks = { surface: "tasks", placement: "system" as const, text: "[Open tasks]\n1. Count" };

test("blocks within the share are unchanged [controller.memory-share]", () => {
  const context = contextWith(notepad, tasks);
  const fitted = fitBlocks(context, 10_000, estimateTokens);
  assert.equal(fitted.blocks, context.blocks);
  assert.deepEqual(fitted.shortened, []);
});

test("beyond the share the least important are cut first, with the way to read the rest [controller.memory-share]", () => {
  const fitted = fitBlocks(contextWith(project, tasks, notepad), 1_000, estimateTokens);
  const [first, second, third] = fitted.blocks;
  assert.equal(second?.text, tasks.text, "a small important block stays whole");
  assert.match(String(third?.text), /^## Session Notepad\nnotepad line 0\n/);
  assert.match(
    String(third?.text),
    /\n\[Not shown here: \d+ characters of this memory, which is longer than its share of the context window\. Call read_notepad to read all of it\.\]\n/,
  );
  assert.match(String(third?.text), /notepad line 399$/);
  const [size = 0, less = 0] = [third, first].map((block) => estimateTokens(String(block?.text)));
  assert.ok(size > less * 1.5, "the notepad gets more than the project");
  assert.ok(fitted.blocks.reduce((sum, { text }) => sum + estimateTokens(text), 0) <= 1_050);
  assert.deepEqual(
    fitted.blocks.map(({ cutFrom }) => cutFrom),
    [project.text, undefined, notepad.text],
  );
});
