import type { LanguageModel } from "ai";
import type { AgentSession } from "./conversation.ts";
import type { AgentEvent } from "./events.ts";
import type { AgentConfig } from "./options.ts";

/** Holdfast itself writes this, not the agent or a person. */
export const asSystem = { actor: { kind: "system" as const } };

/** One piece of work on a session, passed to every step of it. */
export interface TurnRun {
  model: LanguageModel;
  /** The base prompt; memory's guidance follows it. */
  base: string;
  agent: AgentSession;
  config: AgentConfig;
  signal: AbortSignal;
  emit: (event: AgentEvent) => void;
  /** Hints placed before the newest user message, for this turn only. */
  steer: string;
  /** Whether the session is done, as a sub-session is after its report. */
  isOver: () => boolean;
  /** Set once the agent has called a tool that writes to its memory. */
  wroteMemory?: boolean;
}

/** Memory failures never block the agent: report the failure and continue the turn. */
export async function continueOnFailure<T>(
  { signal, emit }: TurnRun,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    emit({ type: "error", message: `Memory failed; the turn continues without it: ${why}` });
    return undefined;
  }
}

/** The session whose prompts the provider is asked to cache; undefined if that is off. */
export function cacheOf({ agent, config }: TurnRun): string | undefined {
  return config.options.promptCache === false ? undefined : agent.session.id;
}

/** The name under which a model's counts are stored. */
export function modelName(model: LanguageModel): string {
  return typeof model === "string" ? model : model.modelId;
}
