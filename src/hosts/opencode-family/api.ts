/** The part of opencode's API that the plug-in uses, typed structurally. */
export interface OpencodeInput {
  directory: string;
  client?: {
    session?: {
      messages?(request: { path: { id: string } }): Promise<{ data?: unknown }>;
    };
  };
}

export interface OpencodeMessage {
  info: { id: string; sessionID: string; role: string; [field: string]: unknown };
  parts: OpencodePart[];
}

export interface OpencodePart {
  id: string;
  messageID: string;
  sessionID: string;
  type: string;
  [field: string]: unknown;
}

export interface OpencodeHooks {
  config(config: Record<string, unknown>, output?: unknown): Promise<void>;
  event(
    input: { event: { type: string; properties?: Record<string, unknown> } },
    output?: unknown,
  ): Promise<void>;
  "chat.message"(input: { sessionID: string }, output: { message: { id: string } }): Promise<void>;
  "chat.params"(
    input: { sessionID: string; model?: { limit?: { context?: number; input?: number; output?: number } } },
    output?: unknown,
  ): Promise<void>;
  "tool.execute.before"(input: { tool: string; sessionID: string }, output?: unknown): Promise<void>;
  "experimental.chat.messages.transform"(
    input: unknown,
    output: { messages: OpencodeMessage[] },
  ): Promise<void>;
  "experimental.chat.system.transform"(
    input: { sessionID?: string },
    output: { system: string[] },
  ): Promise<void>;
  "experimental.session.compacting"(
    input: { sessionID: string },
    output: { context: string[] },
  ): Promise<void>;
  /** opencode waits for it before it ends. */
  dispose(): Promise<void>;
}
