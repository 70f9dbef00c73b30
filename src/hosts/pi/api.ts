/** The part of pi's API that the extension uses, typed structurally: we import no pi package, so either of their names works. */
export interface PiExtensionApi {
  on(event: string, handler: (event: never, context: PiContext) => unknown): void;
  registerTool(tool: PiTool): void;
  appendEntry(customType: string, data: unknown): void;
}

export interface PiTool {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
  executionMode: "sequential";
  execute(
    callId: string,
    input: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<{ content: { type: "text"; text: string }[]; details: unknown }>;
}

export interface PiContext {
  cwd: string;
  hasUI?: boolean;
  ui?: { notify(message: string, kind: "info" | "warning"): void };
  sessionManager: {
    getSessionId(): string;
    /** From the root to the current entry. */
    getBranch(): PiTreeEntry[];
    /** Every entry of the file, in the order of writing. */
    getEntries(): PiTreeEntry[];
    /** Undefined for a session that is not saved. */
    getSessionFile?(): string | undefined;
  };
  model?: unknown;
  modelRegistry?: PiModelRegistry;
  getContextUsage?(): { tokens: number | null; contextWindow: number } | undefined;
}

export interface PiTreeEntry {
  type: string;
  id: string;
  parentId: string | null;
  [field: string]: unknown;
}

/** Older versions have no calls for extensions. */
export interface PiModelRegistry {
  streamSimple?(
    model: unknown,
    context: PiModelRequest,
    options: Record<string, unknown>,
  ): { result(): Promise<PiModelAnswer> };
}

export interface PiModelRequest {
  systemPrompt: string;
  messages: { role: "user"; content: { type: "text"; text: string }[]; timestamp: number }[];
}

export interface PiModelAnswer {
  content: { type: string; text?: string }[];
  stopReason?: string;
  errorMessage?: string;
}

/** A message as pi stores it. */
export type PiAgentMessage = Record<string, unknown>;

export interface PiBeforeAgentStartEvent {
  systemPrompt: string;
}

export interface PiContextEvent {
  messages: PiAgentMessage[];
}

export interface PiBeforeCompactEvent {
  preparation: {
    messagesToSummarize: PiAgentMessage[];
    /** The first part of a turn that is too long to keep whole. */
    turnPrefixMessages?: PiAgentMessage[];
    firstKeptEntryId: string;
    tokensBefore: number;
    /** The summary of the compaction before this one. */
    previousSummary?: string;
  };
  branchEntries: PiTreeEntry[];
  customInstructions?: string;
  signal: AbortSignal;
}

export interface PiCompactEvent {
  compactionEntry: { summary: string };
}

export interface PiCompaction {
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  details: unknown;
}
