/** The fields of the SDK's hook inputs that we read. */
export interface HookInput {
  hook_event_name: string;
  transcript_path: string;
  cwd: string;
  /** The conversation. */
  session_id?: string;
  /** Present when the hook fires within a sub-agent, which has no part in this conversation. */
  agent_id?: string;
  source?: string;
  compact_summary?: string;
  /** After a tool has run. */
  tool_use_id?: string;
  tool_response?: unknown;
}

/** The SDK's output for those events. */
export interface HookOutput {
  hookSpecificOutput?: {
    hookEventName: "SessionStart" | "UserPromptSubmit" | "PostToolUse";
    additionalContext: string;
  };
}

/** The SDK's transport to the program, as the Model Context Protocol defines it. */
export interface Transport {
  onmessage?: ((message: never) => void) | undefined;
  start(): Promise<void>;
  send(message: never): Promise<void>;
}
