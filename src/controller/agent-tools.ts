import type { ToolSet } from "ai";
import { asSchema, jsonSchema, tool } from "ai";
import type { Tool } from "../tools/define-tool.ts";
import { schemaOf } from "../tools/dispatch.ts";
import { dotless } from "../tools/toolbox.ts";

const definitions = new WeakMap<readonly Tool[], string>();

export function definitionsText(tools: readonly Tool[]): string {
  let text = definitions.get(tools);
  if (text === undefined) {
    text = tools
      .map(
        ({ name, description, input }) =>
          `${name} ${description} ${JSON.stringify(schemaOf(input, "input"))}`,
      )
      .join("\n");
    definitions.set(tools, text);
  }
  return text;
}

const ownDefinitions = new WeakMap<ToolSet, string>();

export function ownDefinitionsText(tools: ToolSet): string {
  let text = ownDefinitions.get(tools);
  if (text === undefined) {
    text = Object.entries(tools)
      .map(
        ([name, { description, inputSchema }]) =>
          `${name} ${description ?? ""} ${JSON.stringify(asSchema(inputSchema).jsonSchema)}`,
      )
      .join("\n");
    ownDefinitions.set(tools, text);
  }
  return text;
}

const toolSets = new WeakMap<readonly Tool[], ToolSet>();

/** Memory tools in the AI SDK's form, without dots in their names and without anything to run. */
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
