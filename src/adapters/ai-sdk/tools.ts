import { jsonSchema, type ToolSet, tool } from "ai";
import { type ErrorCode, HoldfastError } from "../../errors.ts";
import { schemaOf } from "../../surfaces/dispatch.ts";
import type { Tool } from "../../surfaces/surface.ts";
import { dotless } from "../../surfaces/toolbox.ts";
import type { CallerMemory } from "../caller/caller-memory.ts";

/** Memory's tools for the AI SDK, ready to run. The model reads a tool's text; programs get its structured output. */
export function executableTools(memory: CallerMemory): ToolSet {
  return Object.fromEntries(memory.tools.map((each) => [dotless(each.name), executable(memory, each)]));
}

/** Adds the tools that the agent has authored since to the ones that the SDK was given, and removes deleted ones. */
export function followAuthoredTools(memory: CallerMemory, offered: ToolSet): () => Promise<void> {
  const added = new Set<string>();
  return async () => {
    const tools = await memory.refreshTools();
    const names = new Set(tools.map(({ name }) => dotless(name)));
    for (const name of added) {
      if (names.has(name)) continue;
      delete offered[name];
      added.delete(name);
    }
    for (const tool of tools) {
      const name = dotless(tool.name);
      if (!Object.hasOwn(offered, name)) added.add(name);
      if (added.has(name)) offered[name] = executable(memory, tool);
    }
  };
}

function executable(memory: CallerMemory, { name, description, input, text }: Tool): ToolSet[string] {
  return tool({
    description,
    // `run` validates the input, with errors that say what to do next.
    inputSchema: jsonSchema<Record<string, unknown>>(schemaOf(input, "input")),
    execute: async (given, { toolCallId }): Promise<Record<string, unknown>> => {
      const answer = await memory.run(name, given, toolCallId);
      if (answer.ok) return answer.output;
      throw new HoldfastError(answer.code as ErrorCode, answer.text, { data: answer.data });
    },
    toModelOutput: ({ output }) => ({ type: "text", value: text ? text(output) : JSON.stringify(output) }),
  });
}
