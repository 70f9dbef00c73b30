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
    annotations: {
      readOnlyHint: tool.readOnly,
      ...(tool.readOnly ? {} : { destructiveHint: tool.destructive }),
      ...(tool.idempotent ? { idempotentHint: true } : {}),
      openWorldHint: false,
    },
    // Without this, Claude Code hides a server's tools behind tool search.
    _meta: { "anthropic/alwaysLoad": true },
  };
}

export function projectAnswer(answer: ToolAnswer): CallToolResult {
  const content = [{ type: "text" as const, text: answer.text }];
  return answer.ok ? { content, structuredContent: answer.output } : { content, isError: true };
}

/** The output's fields, one level deep: models read results, not their schemas, and every word costs tokens. */
function outline(schema: Schema): Schema {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, field]) => [name, outlineField(field)])),
    ...(schema.required === undefined ? {} : { required: schema.required }),
  };
}

function outlineField(field: Schema): Schema {
  if ("const" in field) return { const: field.const };
  if (field.type === "object") return { type: "object" };
  if (field.type !== "array") return field;
  return { type: "array", items: outlineField((field.items ?? {}) as Schema) };
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
