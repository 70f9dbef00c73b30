/** The part of OpenClaw's API that the plugin uses, typed structurally. */
export interface OpenClawApi {
  registerTool(
    factory: (context: OpenClawContext) => OpenClawTool[] | null,
    options: { names: string[] },
  ): void;
  on(hook: string, handler: (event: never, context: OpenClawContext) => unknown): void;
  /** Changes the result of a tool before the model reads it. Missing before 2026.4. */
  registerAgentToolResultMiddleware?(
    handler: (
      event: OpenClawResultEvent,
      context: OpenClawContext,
    ) => Promise<{ result: OpenClawResult } | undefined>,
    options: { runtimes: string[] },
  ): void;
  logger?: { warn(message: string): void };
  /** OpenClaw's whole config. */
  config?: OpenClawConfig | undefined;
  runtime?: {
    agent?: { session?: { resolveStorePath?(store: unknown, options: { agentId: string }): string } };
  };
  /** `plugins.entries.holdfast.config` in OpenClaw's config. */
  pluginConfig?: Record<string, unknown> | undefined;
}

export interface OpenClawConfig {
  session?: { store?: unknown };
  /** `agents.defaults.claudeSdk.scratchpad`, in an OpenClaw that has this key. */
  agents?: { defaults?: { claudeSdk?: { scratchpad?: unknown } } };
}

export interface OpenClawContext {
  agentId?: string;
  /** Does not change when a compaction or a reset gives the session a new id. */
  sessionKey?: string;
  sessionId?: string;
  workspaceDir?: string;
  modelId?: string;
}

/** Before a model call, and after the last one of a turn. */
export interface OpenClawModelEvent {
  model?: string;
  /** The tokens of the context window that the run may use. */
  contextTokenBudget?: number;
}

/** A message that OpenClaw is about to store. */
export interface OpenClawMessageEvent {
  message?: unknown;
}

export interface OpenClawResult {
  content: ({ type: string; text?: string } & Record<string, unknown>)[];
  details?: unknown;
}

/** After a tool has run. */
export interface OpenClawResultEvent {
  result: OpenClawResult;
}

/** A line of the transcript. */
export interface OpenClawEntry {
  type: string;
  id?: string;
  [field: string]: unknown;
}

interface OpenClawTarget {
  agentId: string;
  sessionKey: string;
  sessionId: string;
  storePath: string;
}

/** `SessionManager` of `openclaw/plugin-sdk/agent-sessions`. */
export interface OpenClawSessionManager {
  openAsync(target: OpenClawTarget): Promise<{ getBranch(): OpenClawEntry[] }>;
  openBoundedAsync(
    target: OpenClawTarget,
    options: { maxBytes: number; maxEvents: number },
  ): Promise<{ appendCustomEntry(customType: string, data: unknown): string }>;
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
