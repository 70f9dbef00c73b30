import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolSet } from "ai";
import { modelAt } from "../../../test/support/agent.ts";
import { openMemory } from "../../index.ts";
import { sandboxSurface } from "../../surfaces/sandbox/surface.ts";
import { holdfast } from "./index.ts";

test("a tool that the agent authors is offered from the next step on, until it is deleted [config.authored]", async (t) => {
  const memory = await openMemory({ store: "memory:", surfaces: ["notepad", sandboxSurface()] });
  t.after(() => memory.close());
  const session = await memory.createSession();
  const model = modelAt("http://127.0.0.1:9/v1");
  const { tools, prepareStep } = holdfast({ session, model, contextWindow: 60_000, onEvent: () => {} });
  const offered: ToolSet = tools;
  const step = () => prepareStep({ messages: [{ role: "user", content: "Go on." }], steps: [] });
  await step();
  assert.ok(!Object.keys(offered).includes("double"));
  const input = { name: "double", description: "Doubles", schema: { type: "object" }, code: "return 2;" };
  assert.ok((await session.call("create_tool", input)).ok);
  await step();
  assert.equal(offered.double?.description, "Doubles");
  await session.call("delete_tool", { name: "double" });
  await step();
  assert.ok(!Object.keys(offered).includes("double"));
});
