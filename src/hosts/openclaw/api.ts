/** The part of OpenClaw's API that the plug-in uses, typed structurally. */
export interface OpenClawApi {
  registerTool(
    factory: (context: OpenClawContext) => OpenClawTool[] | null,
    options: { names: string[] },
  ): void;
  on(hook: string, handler: (event: never, context: OpenClawContext) => unknown): void;
  logger?: { warn(message: string): void };
  /** `plugins.entries.holdfast.config` in OpenClaw's config. */
  pluginConfig?: Record<string, unknown> | undefined;
}

export interface OpenClawContext {
  /** Does not change when a compaction or a reset gives the session a new id. */
  sessionKey?: string;
  sessionId?: string;
  workspaceDir?: string;
  modelId?: string;
}

/** After a model call. */
export interface OpenClawOutputEvent {
  model?: string;
  /** The tokens of the context window that the run may use. */
  contextTokenBudget?: number;
}

export interface OpenClawTool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  executionMode: "sequential";
  /** Keeps the tool out of OpenClaw's tool search: an agent does not search for a tool just to take a note. */
  catalogMode: "direct-only";
  execute(
    callId: string,
    input: unknown,
  ): Promise<{ content: { type: "text"; text: string }[]; details: unknown }>;
}

export interface OpenClawCompactionEvent {
  messages?: unknown[];
  sessionFile?: string;
  /** Number of removed messages; 0 if nothing changed. */
  compactedCount?: number;
}

export interface OpenClawPromptEvent {
  /** The conversation before the prompt. */
  messages?: unknown[];
}

export interface OpenClawPlugin {
  id: string;
  name: string;
  description: string;
  register(api: OpenClawApi): void;
}
