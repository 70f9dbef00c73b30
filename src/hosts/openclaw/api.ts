/** What the plug-in uses of OpenClaw, by shape. */
export interface OpenClawApi {
  registerTool(
    factory: (context: OpenClawContext) => OpenClawTool[] | null,
    options: { names: string[] },
  ): void;
  on(hook: string, handler: (event: never, context: OpenClawContext) => unknown): void;
  logger?: { warn(message: string): void };
}

export interface OpenClawContext {
  /** Stays the same when a compaction or a reset gives the session another id. */
  sessionKey?: string;
  sessionId?: string;
  workspaceDir?: string;
}

export interface OpenClawTool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  executionMode: "sequential";
  /** Not behind OpenClaw's tool search: what one has to look for, one does not write down in passing. */
  catalogMode: "direct-only";
  execute(
    callId: string,
    input: unknown,
  ): Promise<{ content: { type: "text"; text: string }[]; details: unknown }>;
}

export interface OpenClawCompactionEvent {
  messages?: unknown[];
  sessionFile?: string;
  /** How many messages went; 0 when nothing changed. */
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
