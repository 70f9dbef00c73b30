import type { LanguageModel } from "ai";
import type { Prompt } from "../context/prompt.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { PromptNow } from "./agent-session.ts";
import { definitionsText, ownDefinitionsText } from "./agent-tools.ts";
import type { TurnRun } from "./answer.ts";
import type { ReportedUsage } from "./events.ts";
import type { CallFacts, PromptPiece } from "./record-calls.ts";
import type { AgentSetting } from "./setting.ts";
import { cachesPrompts } from "./warning-tools.ts";

export type LedgerRun = Pick<TurnRun, "agent" | "setting" | "emit" | "model" | "base">;

/** Records the prompt of a turn or a warning; returns the call's number, if it was recorded. */
export async function recordTurn(
  run: LedgerRun,
  { prompt, state }: PromptNow,
  purpose: "turn" | "warning" | "summary",
  reported: ReportedUsage,
): Promise<number | undefined> {
  const { agent, setting } = run;
  const offersOwn = purpose !== "warning" || cachesPrompts(run);
  const own = offersOwn ? ownDefinitionsText(setting.options.tools ?? {}) : "";
  const pieces: PromptPiece[] = [
    ...(own === "" ? [] : [{ part: "tools" as const, role: "tools", text: own }]),
    { part: "tools", role: "tools", text: definitionsText(agent.tools) },
    ...systemPieces(prompt, run.base),
    ...prompt.messages.map(
      (message, index): PromptPiece => ({
        part: prompt.parts[index] ?? "history",
        role: message.role,
        message,
      }),
    ),
  ];
  const facts = {
    ...factsOf(setting, run.model, reported),
    purpose,
    epoch: readEpoch(state).number,
    revision: state.row.revision,
  };
  return record(run, pieces, facts, prompt.added);
}

/** Records the prompt of a summary: its sections, joined by an empty line. */
export async function recordSummary(
  run: LedgerRun,
  { state }: PromptNow,
  [instructions, sections]: [instructions: string, sections: readonly string[]],
  reported: ReportedUsage,
): Promise<void> {
  const { setting } = run;
  await record(
    run,
    [
      { part: "system", role: "system", text: instructions },
      ...sections.map((text): PromptPiece => ({ part: "history", role: "user", text })),
    ],
    {
      ...factsOf(setting, setting.options.summaryModel ?? run.model, reported),
      purpose: "summary",
      epoch: readEpoch(state).number,
      revision: state.row.revision,
    },
  );
}

/** The pieces of the system prompt; joined by an empty line they are the whole. */
function systemPieces({ system }: Prompt, base: string): PromptPiece[] {
  const rest = base === "" ? system : system.slice(base.length + 2);
  return [
    ...(base === "" ? [] : [{ part: "system" as const, role: "system", text: base }]),
    ...(rest === "" ? [] : [{ part: "memory" as const, role: "system", text: rest }]),
  ];
}

/** Ledger write failures are reported but never block the turn. */
async function record(
  { agent, emit }: LedgerRun,
  pieces: PromptPiece[],
  facts: Omit<CallFacts, "parts">,
  added: readonly string[] = [],
): Promise<number | undefined> {
  try {
    return await agent.recorder.record(pieces, facts, added);
  } catch (error) {
    emit({ type: "error", message: `The model call was not recorded: ${(error as Error).message}` });
    return undefined;
  }
}

function factsOf(
  { policy }: AgentSetting,
  model: LanguageModel,
  { inputTokens, cachedTokens, cacheWriteTokens, outputTokens }: ReportedUsage,
): Pick<CallFacts, "model" | "contextWindow" | "usage"> {
  return {
    model: typeof model === "string" ? model : model.modelId,
    contextWindow: policy.contextWindow,
    usage: {
      input: inputTokens ?? null,
      cached: cachedTokens ?? null,
      written: cacheWriteTokens ?? null,
      output: outputTokens ?? null,
    },
  };
}
