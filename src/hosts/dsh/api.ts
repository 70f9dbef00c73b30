/** The part of DeepSeek Harness's API that the plug-in uses, typed structurally. */
export interface DshContext {
  /** The URL of the profile's folder, from which the host's packages resolve. */
  baseUrl: string;
  llm: DshModels;
  get(service: "tools"): DshTools | undefined;
  on(event: string, listener: (...values: never[]) => unknown): unknown;
  plugin(plugin: unknown, config: unknown): unknown;
  /** Runs at once; what it returns runs when the plug-in is unloaded. */
  effect(run: () => () => unknown): unknown;
  logger?: { warn(message: string): void };
}

export interface DshAgent {
  id: string;
  session: DshSession;
  options: { provider?: string; model?: string };
  /** What is registered with it is for this agent alone. */
  ctx: DshContext;
}

export interface DshSession {
  id: string;
  header: { cwd?: string };
  /** The messages that the next request contains. */
  deriveMessages(): DshMessage[];
  /** The route of the last request. */
  requestHeader(): { config: { provider: string; model: string } } | undefined;
}

export interface DshMessage {
  id: string;
  role: "system" | "user" | "assistant";
  content: DshBlock[];
  source: { kind: string; plugin?: string };
}

export interface DshBlock {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  /** JSON. */
  arguments?: string;
  toolCallId?: string;
  content?: DshBlock[];
  isError?: boolean;
}

export interface DshTools {
  register(tool: DshTool): unknown;
}

export interface DshTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  output: {
    schema: Record<string, unknown>;
    render(input: unknown, value: string): DshBlock[];
  };
  execute(input: unknown, call: DshCall): Promise<string>;
}

export interface DshCall {
  callId: string;
  name: string;
  arguments: unknown;
  agent?: DshAgent;
}

export interface DshModels {
  stream(request: DshModelRequest): AsyncIterable<DshChunk>;
  resolveModelInfo(
    provider: string,
    model: string,
    signal?: AbortSignal,
  ): Promise<{ context?: { contextWindow: number } }>;
}

export interface DshModelRequest {
  provider: string;
  model: string;
  system?: string;
  tools?: unknown[];
  messages: DshMessage[];
  maxTokens: number;
  sessionId: string;
  purpose: "compaction";
  signal?: AbortSignal;
}

export interface DshChunk {
  type: string;
  text?: string;
  reason?: { kind: string; failure?: { message: string } };
}

/** What a compaction removes, and how the last request began. */
export interface DshSummaryInput {
  system?: string;
  tools?: readonly unknown[];
  messages: readonly DshMessage[];
}

export interface DshSummary {
  summary: DshBlock[];
  provider: string;
  model: string;
}

/** The host's compaction engine. It chooses what to remove; `summarize` is there to be overridden. */
export interface DshEngine {
  ctx: DshContext;
  config: { summarizationProvider: string; summarizationModel: string; maxTokens: number };
  summarize(input: DshSummaryInput, agent: DshAgent, signal?: AbortSignal): Promise<DshSummary>;
  compactRegion(start: number, end: number, agent: DshAgent, signal?: AbortSignal): Promise<object>;
  compactNow(agent: DshAgent, signal: AbortSignal, command?: string): Promise<object | null>;
}

export type DshEngineClass = new (ctx: DshContext, config?: object) => DshEngine;

/** The prompt that the host puts together before a request. */
export interface DshPrompt {
  sections: { name: string; text: string }[];
  /** The values of `{{name}}` in a section. */
  variables: Record<string, string | undefined>;
}

/** The messages that enter a step; `next` of an event returns it too. */
export interface DshStep {
  kind: "enter" | "reject";
  messages?: DshMessage[];
}
