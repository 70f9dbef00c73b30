import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { dotless, type ToolAnswer, type ToolDescription } from "../surfaces/toolbox.ts";

type Schema = Record<string, unknown>;

/** A tool as `tools/list` sends it. Hints that equal the protocol's defaults are omitted to save tokens. */
export function projectTool(tool: ToolDescription): Tool {
  return {
    name: dotless(tool.name),
    description: tool.description,
    inputSchema: lean(tool.inputSchema) as Tool["inputSchema"],
    outputSchema: outline(tool.outputSchema) as Tool["outputSchema"],
    annotations: hintsOf(tool),
  };
}

/** The protocol's defaults: not read-only, destructive, not idempotent; the last two say nothing about a read-only tool. */
function hintsOf({ readOnly, destructive, idempotent }: ToolDescription): Tool["annotations"] {
  if (readOnly) return { readOnlyHint: true, openWorldHint: false };
  return {
    ...(destructive ? {} : { destructiveHint: false }),
    ...(idempotent ? { idempotentHint: true } : {}),
    openWorldHint: false,
  };
}

export function projectAnswer(answer: ToolAnswer): CallToolResult {
  const content = [{ type: "text" as const, text: answer.text }];
  return answer.ok ? { content, structuredContent: answer.output } : { content, isError: true };
}

/** The names of the output's fields: models read results, not their schemas, and every word costs tokens. */
function outline(schema: Schema): Schema {
  const names = Object.keys((schema.properties ?? {}) as Record<string, Schema>);
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

/**
 * Drops what tells a model nothing: `additionalProperties` (unknown fields are rejected with a hint anyway) and a
 * `maximum` of `Number.MAX_SAFE_INTEGER`.
 */
function lean({ additionalProperties: _strict, ...schema }: Schema): Schema {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, field]) => {
    const { maximum, ...rest } = field;
    return [name, maximum === Number.MAX_SAFE_INTEGER ? rest : field];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}
