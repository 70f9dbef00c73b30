import type { ToolSet } from "ai";
import { cacheKindOf } from "../context/prompt-cache.ts";
import { memoryToolSet } from "./agent-tools.ts";
import { cacheOf, type TurnRun } from "./answer.ts";
import { providerOf } from "./call-model.ts";

type WarnedRun = Pick<TurnRun, "agent" | "setting" | "model">;

/** The tools that a warning turn offers: memory's, and where that saves money the agent's own, which are not run. */
export function warningTools(run: WarnedRun): ToolSet {
  const memory = memoryToolSet(run.agent.tools);
  return cachesPrompts(run) ? { ...run.setting.options.tools, ...memory } : memory;
}

/** A provider's cache begins with the tools: with others, it would read the whole prompt at the full price. */
export function cachesPrompts(run: WarnedRun): boolean {
  return cacheOf(run) !== undefined && cacheKindOf(providerOf(run.model)) !== "none";
}
