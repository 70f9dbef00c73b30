import { asSchema, jsonSchema, type ToolSet, tool } from "ai";
import { schemaOf } from "../surfaces/dispatch.ts";
import type { Tool } from "../surfaces/surface.ts";
import { dotless } from "../surfaces/toolbox.ts";

/** Memory's tool definitions as the model receives them. */
const definitions = new WeakMap<readonly Tool[], string>();

export function definitionsText(tools: readonly Tool[]): string {
  let text = definitions.get(tools);
  if (text === undefined) {
    text = JSON.stringify(
      tools.map(({ name, description, input }) => ({
        name: dotless(name),
        description,
        inputSchema: schemaOf(input, "input"),
      })),
    );
    definitions.set(tools, text);
  }
  return text;
}

const ownDefinitions = new WeakMap<ToolSet, string>();

export function ownDefinitionsText(tools: ToolSet): string {
  let text = ownDefinitions.get(tools);
  if (text === undefined) {
    const entries = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      name,
      ...(description === undefined ? {} : { description }),
      inputSchema: asSchema(inputSchema).jsonSchema,
    }));
    text = entries.length === 0 ? "" : JSON.stringify(entries);
    ownDefinitions.set(tools, text);
  }
  return text;
}

const toolSets = new WeakMap<readonly Tool[], ToolSet>();

/** Memory tools in the AI SDK's form, without dots in their names and without `execute`. */
export function memoryToolSet(tools: readonly Tool[]): ToolSet {
  let set = toolSets.get(tools);
  if (!set) {
    set = Object.fromEntries(
      tools.map(({ name, description, input }) => [
        dotless(name),
        tool({ description, inputSchema: jsonSchema(schemaOf(input, "input")) }),
      ]),
    );
    toolSets.set(tools, set);
  }
  return set;
}
