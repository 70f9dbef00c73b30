import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { dotless, type ToolAnswer, type ToolDescription } from "../surfaces/toolbox.ts";

type Schema = Record<string, unknown>;

/** A tool as `tools/list` sends it. Hints that are what the protocol assumes anyway are left out: they cost tokens. */
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
    // Claude Code hides the tools of a server behind a search unless they say this.
    _meta: { "anthropic/alwaysLoad": true },
  };
}

export function projectAnswer(answer: ToolAnswer): CallToolResult {
  const content = [{ type: "text" as const, text: answer.text }];
  return answer.ok ? { content, structuredContent: answer.output } : { content, isError: true };
}

/** The fields of an answer, one level deep: models read answers, not their schemas, and pay for every word. */
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
 * The input without what tells a model nothing: that other fields are refused (they are, with a hint), and the
 * largest number there is.
 */
function lean({ additionalProperties: _strict, ...schema }: Schema): Schema {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, field]) => {
    const { maximum, ...rest } = field;
    return [name, maximum === Number.MAX_SAFE_INTEGER ? rest : field];
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}
