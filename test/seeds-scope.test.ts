import assert from "node:assert/strict";
import { test } from "node:test";
import { doorNames, doors, type Setup, type ToolCall } from "./support/doors.ts";

const writes: Record<string, { write: ToolCall; read: ToolCall; kept: RegExp }> = {
  notepad: {
    write: ["write_notepad", { content: "cedar-4711" }],
    read: ["read_notepad", {}],
    kept: /^\{"content":"cedar-4711"\}$/,
  },
  notes: {
    write: ["scratch_note", { content: "cedar-4711" }],
    read: ["search_notes", { query: "cedar" }],
    kept: /"result_count":1/,
  },
  scratchpad: {
    write: ["session_scratchpad", { action: "set_plan", content: "cedar-4711" }],
    read: ["session_scratchpad", {}],
    kept: /^\[Session Scratchpad\]\nPlan:\ncedar-4711\n\[End Scratchpad\]$/,
  },
};

for (const [surface, { write, read, kept }] of Object.entries(writes))
  for (const name of doorNames) {
    const open = doors[name];
    const setup = { surfaces: [surface], placement: "message" } as const;

    test(`${name}: ${surface} belongs to its session and outlives the process [seeds.session]`, async (t) => {
      const one = await open(t, { ...setup, store: "sqlite", session: "one" });
      await one.call([write]);
      const two = await open(t, { ...setup, store: "sqlite", session: "two", root: one.root });
      const [other = ""] = await two.call([read]);
      assert.doesNotMatch(other, kept, "another session has its own");
      await one.close();
      await two.close();
      const again = await open(t, { ...setup, store: "sqlite", session: "one", root: one.root });
      assert.match((await again.call([read]))[0] ?? "", kept);
    });

    // Hooks are processes of their own, so a store in memory would be gone with each.
    if (name === "Claude Code hook") continue;
    test(`${name}: with the store memory: nothing of ${surface} outlives the process [seeds.session]`, async (t) => {
      const inMemory: Setup = { ...setup, store: "memory:" };
      const before = await open(t, inMemory);
      assert.match((await before.call([write, read]))[1] ?? "", kept);
      await before.close();
      const after = await open(t, { ...inMemory, root: before.root });
      assert.doesNotMatch((await after.call([read]))[0] ?? "", kept);
    });
  }
