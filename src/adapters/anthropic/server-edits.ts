import type { AnthropicRequest } from "./server-compaction.ts";

/** An edit of the API's context management. */
export interface ContextEdit {
  type: string;
  exclude_tools?: readonly string[] | null;
  pause_after_compaction?: boolean;
  trigger?: unknown;
}

const compactionBeta = "compact-2026-01-12";
const clearingBeta = "context-management-2025-06-27";

/**
 * Has the API pause after a compaction. If it clears tool results, which is then the only clearing there is, it leaves
 * memory's own results alone: the agent sees in them what it has written down.
 */
export function withEdits<Request extends AnthropicRequest>(
  params: Request,
  memoryTools: readonly string[],
  compactAt: number | undefined,
): Request {
  const { edits = [] } = params.context_management ?? {};
  const trigger = compactAt === undefined ? {} : { trigger: { type: "input_tokens", value: compactAt } };
  const compacting: ContextEdit[] = edits.some(isCompaction)
    ? []
    : [{ type: "compact_20260112", ...trigger }];
  const all = [...edits, ...compacting].map((edit): ContextEdit => {
    if (isCompaction(edit)) return { ...edit, pause_after_compaction: true };
    if (!isClearing(edit)) return edit;
    return {
      ...edit,
      exclude_tools: [...new Set([...(edit.exclude_tools ?? []), ...memoryTools, "memory"])],
    };
  });
  const needed = [compactionBeta, ...(all.some(isClearing) ? [clearingBeta] : [])];
  return {
    ...params,
    betas: [...new Set([...(params.betas ?? []), ...needed])],
    context_management: { ...params.context_management, edits: all },
  };
}

function isCompaction({ type }: ContextEdit): boolean {
  return type.startsWith("compact_");
}

function isClearing({ type }: ContextEdit): boolean {
  return type.startsWith("clear_tool_uses_");
}
