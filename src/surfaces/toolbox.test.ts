import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestMemory, openTestSession, rejection } from "../../test/support/memory.ts";
import { defaultLimits, isHoldfastError, openMemory, type SurfaceName } from "../index.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { notepadSurface } from "./notepad/tools.ts";
import { notesSurface } from "./notes/tools.ts";
import { scratchpadSurface } from "./scratchpad/tools.ts";
import { ownLoop, type Surface } from "./surface.ts";
import { findSurfaces } from "./surfaces.ts";
import { createToolbox, guidanceOf } from "./toolbox.ts";

const three = { notepad: notepadSurface, notes: notesSurface, scratchpad: scratchpadSurface };

test("context contains the blocks and guidance of exactly the chosen surfaces [context.surfaces]", async () => {
  const names = Object.keys(three) as (keyof typeof three)[];
  for (let choice = 0; choice < 8; choice++) {
    const chosen = names.filter((_, index) => choice & (1 << index));
    const session = await openTestSession({ surfaces: chosen });
    await session.notepad.write("NOTEPAD-TEXT");
    await session.scratchpad.setNotes("SCRATCHPAD-TEXT");
    await session.notes.add("a note stays out of the context");
    const { guidance, blocks, system, message } = await session.context();
    for (const name of names) {
      const instruction = three[name].guidance(defaultLimits, ownLoop, []);
      assert.equal(
        guidance.includes(instruction),
        chosen.includes(name),
        `guidance of ${name} with ${chosen}`,
      );
      for (const tool of three[name].tools) {
        const answer = await session.call(tool.name, {});
        assert.equal(
          !answer.ok && answer.code === "unknown_tool",
          !chosen.includes(name),
          `${tool.name} with ${chosen}`,
        );
      }
    }
    assert.deepEqual(
      blocks.map(({ surface }) => surface).toSorted(),
      chosen.filter((name) => name !== "notes").toSorted(),
    );
    assert.equal(system.includes("NOTEPAD-TEXT"), chosen.includes("notepad"));
    assert.equal(message.includes("SCRATCHPAD-TEXT"), chosen.includes("scratchpad"));
    assert.ok(
      !system.includes("SCRATCHPAD-TEXT"),
      "the scratchpad goes before the message, not into the system prompt",
    );
    assert.ok(!`${system}${message}`.includes("a note stays out"));
  }
});

test("the default surfaces are notepad and notes [context.surfaces]", async () => {
  const memory = await openMemory({ store: "memory:" });
  const { guidance, blocks } = await (await memory.createSession()).context();
  assert.ok(guidance.includes("session notepad") && guidance.includes("<scratchpad_system>"));
  assert.ok(!guidance.includes("## Session Scratchpad"));
  assert.deepEqual(
    blocks.map(({ surface }) => surface),
    ["notepad"],
  );
});

test("an unknown surface is refused with the list of known ones [context.surfaces]", async () => {
  const { message } = await rejection(
    openTestMemory({ surfaces: ["notpad" as SurfaceName] }),
    "unknown_surface",
  );
  assert.match(message, /"notpad".*notepad, notes, scratchpad/);
  await rejection(openTestMemory({ surfaces: ["constructor" as SurfaceName] }), "unknown_surface");
});

test("a surface named twice counts once [context.surfaces]", async () => {
  const session = await openTestSession({ surfaces: ["notepad", "notepad"] });
  assert.equal((await session.context()).blocks.length, 1);
});

test("the context of an unchanged session is the same object, and a new one after a change [context.cached]", async () => {
  const store = await sqliteStore({ path: ":memory:" });
  const session = await openTestSession({ store });
  await session.notepad.write("one");
  const first = await session.context();
  for (let turn = 0; turn < 3; turn++) assert.equal(await session.context(), first);
  await session.call("read_notepad", {});
  await session.call("search_notes", { query: "x" });
  await session.call("update_notepad", { operation: "delete", content: "missing" });
  assert.equal(await session.context(), first, "reads and refused calls change nothing");
  await session.notepad.append("two");
  const second = await session.context();
  assert.notEqual(second, first);
  assert.ok(second.system.endsWith("## Session Notepad\none\ntwo"));
  assert.ok(first.system.endsWith("## Session Notepad\none"), "a context handed out earlier does not change");
  await store.close();
});

test("an unchanged session is not rendered again [context.cached]", async () => {
  let rendered = 0;
  const counting: Surface = {
    ...notepadSurface,
    block: (state) => {
      rendered++;
      return notepadSurface.block?.(state);
    },
  };
  const toolbox = createToolbox([counting], { limits: defaultLimits, countTokens: (text) => text.length });
  const session = await openTestSession();
  for (let turn = 0; turn < 5; turn++) toolbox.context(await session.state());
  assert.equal(rendered, 1);
  await session.notepad.write("changed");
  toolbox.context(await session.state());
  assert.equal(rendered, 2);
});

test("two surfaces with the same tool name are refused at start, with or without dots [tools.duplicate]", () => {
  const setting = { limits: defaultLimits, countTokens: (text: string) => text.length };
  const named = (name: string): Surface => {
    const [tool] = notepadSurface.tools;
    assert.ok(tool);
    return { name: "mine", tools: [{ ...tool, name }], guidance: () => "" };
  };
  for (const [surface, taken] of [
    [notepadSurface, "read_notepad"],
    [scratchpadSurface, "session_scratchpad"],
  ] as const) {
    for (const order of [
      [surface, named(taken)],
      [named(taken), surface],
    ]) {
      assert.throws(
        () => createToolbox(order, setting),
        (error) =>
          isHoldfastError(error) &&
          error.code === "duplicate_tool" &&
          error.message.includes(taken) &&
          error.message.includes(`"mine"`) &&
          error.message.includes(`"${surface.name}"`),
      );
    }
  }
  assert.ok(createToolbox([notepadSurface, named("another")], setting));
});

test("where several places are offered, one sentence gives each its use, and the plan has one place [context.which]", () => {
  const first = (...names: string[]) =>
    guidanceOf(findSurfaces(names), { limits: defaultLimits, presentation: ownLoop }).split("\n")[0];
  assert.equal(
    first("notepad", "notes"),
    "Use the notepad for the plan and findings of this task and notes for many small facts to find by tag.",
  );
  assert.equal(
    first("notepad", "notes", "scratchpad"),
    "Use the notepad for the findings of this task, notes for many small facts to find by tag and the scratchpad for the current plan and references.",
  );
  assert.doesNotMatch(first("notepad", "pins") ?? "", /^Use /);
});
