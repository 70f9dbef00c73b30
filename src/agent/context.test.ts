import assert from "node:assert/strict";
import { test } from "node:test";
import { openStage } from "../../test/support/agent.ts";
import { openMemory } from "../index.ts";

test("an agent adds its surfaces for itself; the memory keeps its own [controller.context]", async (t) => {
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.openSession("s");
  assert.deepEqual((await session.context()).surfaces, ["notepad", "notes"]);
  const stage = await openStage(t, { script: () => ({ text: "Fine." }), memory, placement: "system" });
  await session.notepad.write("cedar-4711");
  await stage.say("Hello.");
  const { surfaces, blocks } = await session.context();
  assert.deepEqual(surfaces, ["notepad", "notes"]);
  const system = String(stage.turns()[0]?.messages[0]?.content);
  assert.ok(system.endsWith(`\n\n${blocks.map(({ text }) => text).join("\n\n")}`));
  const offered = stage.turns()[0]?.tools?.map(({ function: { name } }) => name) ?? [];
  const own = (await session.tools()).map(({ name }) => name);
  assert.deepEqual(offered.slice(0, own.length), own);
  for (const added of ["begin_task", "recall_result", "recall", "spawn_session", "pin"])
    assert.ok(offered.includes(added) && !own.includes(added), added);
});

test("an agent uses exactly the surfaces that its memory was opened with [controller.context]", async (t) => {
  const memory = await openMemory({
    store: "memory:",
    surfaces: ["notepad"],
    limits: { notepadCharacters: 40 },
  });
  const stage = await openStage(t, { script: () => ({ text: "Fine." }), memory });
  await stage.say("Hello.");
  const offered = stage.turns()[0]?.tools?.map(({ function: { name } }) => name);
  assert.deepEqual(offered, ["read_notepad", "write_notepad", "update_notepad"]);
});
