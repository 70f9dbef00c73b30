import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { dotless, type ToolAnswer, type ToolDescription } from "../surfaces/toolbox.ts";

type Schema = Record<string, unknown>;

/**
 * A tool as `tools/list` sends it. To save tokens it has no output schema, because models read results and not their
 * schemas, and no hints that equal the protocol's defaults.
 */
export function projectTool(tool: ToolDescription): Tool {
  return {
    name: dotless(tool.name),
    description: tool.description,
    inputSchema: lean(tool.inputSchema) as Tool["inputSchema"],
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

/**
 * Drops what tells a model nothing: `additionalProperties` (unknown fields are rejected with a hint anyway), a `minimum`
 * of 0 or 1 and a `maximum` of `Number.MAX_SAFE_INTEGER`. A value out of range is refused with the range.
 */
function lean({ additionalProperties: _strict, ...schema }: Schema): Schema {
  const isTelling = ([key, value]: [string, unknown]) =>
    !(key === "minimum" && (value === 0 || value === 1)) &&
    !(key === "maximum" && value === Number.MAX_SAFE_INTEGER);
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(([name, field]) => [
    name,
    Object.fromEntries(Object.entries(field).filter(isTelling)),
  ]);
  return { ...schema, properties: Object.fromEntries(fields) };
}
