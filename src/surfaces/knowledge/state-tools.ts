import { z } from "zod";
import type { Json } from "../../engine/json.ts";
import { defineTool } from "../surface.ts";
import { knowledgeOptions } from "./apply-options.ts";

const key = z.string().describe("Such as deploy/last");
const expectedVersion = z
  .int()
  .min(0)
  .optional()
  .describe("Only if the value is at this version; 0: only if the key does not exist");

const getState = defineTool({
  name: "get_state",
  description: "Read a value that you keep across sessions.",
  input: z.strictObject({ key }),
  output: z.object({ found: z.boolean(), value: z.unknown(), version: z.number() }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }, input) => {
    const stored = await (await session.knowledge()).state.get(input.key);
    return { found: stored !== undefined, value: stored?.value ?? null, version: stored?.version ?? 0 };
  },
});

const setState = defineTool({
  name: "set_state",
  description: "Keep a JSON value under a key, across sessions.",
  input: z.strictObject({
    key,
    value: z.unknown().describe("Any JSON"),
    expected_version: expectedVersion,
  }),
  output: z.object({ ok: z.literal(true), version: z.number() }),
  destructive: true,
  run: async (call, { key, value, expected_version: expected }) => {
    const { state } = await call.session.knowledge();
    const { result } = await state.set(key, value as Json, {
      ...knowledgeOptions(call),
      ...(expected === undefined ? {} : { expected }),
    });
    return { ok: true as const, version: result.version };
  },
});

const deleteState = defineTool({
  name: "delete_state",
  description: "Remove a value that you keep across sessions.",
  input: z.strictObject({ key, expected_version: expectedVersion }),
  output: z.object({ ok: z.literal(true) }),
  destructive: true,
  run: async (call, { key, expected_version: expected }) => {
    const { state } = await call.session.knowledge();
    await state.delete(key, { ...knowledgeOptions(call), ...(expected === undefined ? {} : { expected }) });
    return { ok: true as const };
  },
});

const listState = defineTool({
  name: "list_state",
  description: "List the keys of the values you keep across sessions.",
  input: z.strictObject({
    prefix: z.string().optional(),
    after: z.string().optional().describe("Continue after this key"),
    limit: z.int().min(1).max(1_000).optional().describe("Default: 100"),
  }),
  output: z.object({
    keys: z.array(z.object({ key: z.string(), version: z.number() })),
    next: z.string().optional(),
  }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }, { prefix, after, limit }) => {
    const { keys, next } = await (await session.knowledge()).state.list({
      ...(prefix === undefined ? {} : { prefix }),
      ...(after === undefined ? {} : { after }),
      ...(limit === undefined ? {} : { limit }),
    });
    return { keys, ...(next === undefined ? {} : { next }) };
  },
});

/** JSON values that belong to the agent, not to a session. */
export const stateTools = [getState, setState, deleteState, listState];
