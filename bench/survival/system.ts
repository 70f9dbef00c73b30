import type { ScriptedRequest } from "../../src/testing/index.ts";

/** A tool of the agent's own, in the form that every framework can take. */
export interface AgentTool {
  name: string;
  description: string;
  /** JSON Schema. */
  parameters: { type: "object"; properties: Record<string, { type: "string" }>; required: string[] };
  execute(input: Record<string, string>): string | Promise<string>;
}

export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
}

/** Given to each system, the same for all. */
export interface Setting {
  /** An OpenAI-compatible endpoint on loopback. */
  url: string;
  /** Tokens. */
  window: number;
  instructions: string;
  tools: readonly AgentTool[];
  /** Where the system may keep files. A process that starts again gets the same one. */
  directory: string;
  /** Whether another process has to be able to go on. Without it the system keeps everything in its process. */
  durable: boolean;
  /** How many processes have opened the directory before. */
  earlierStarts: number;
}

/** An agent at work. */
export interface RunningSystem {
  /** One message of the user, with all model and tool calls that follow from it. */
  send(text: string): Promise<void>;
  close(): Promise<void>;
}

/** `other`: the system itself talks to the agent, and the agent says that it has understood. */
export type RequestKind = "turn" | "summary" | "other";

export interface System {
  name: string;
  /** The npm package, for its version in the report. */
  package?: string;
  /** The documented configuration that is used. */
  configuration: string;
  /** The state that a new process finds after a kill, and how durable a write is. */
  durability: string;
  /** Whether a new process can go on with the conversation. */
  isDurable: boolean;
  /** The kind of a request, where the default is wrong: a request that ends neither with a tool's result nor with the
   * user's message asks for a summary. */
  kindOf?(request: ScriptedRequest): RequestKind | undefined;
  /** How the agent writes a line down, if the system gives it a tool for that; `all` is every line so far. */
  note?(line: string, all: readonly string[]): ToolCall;
  /** A summary in the form that the system asks its model for. */
  formatSummary?(text: string): string;
  /** The call with which an agent that sees only `context` looks for the number of a subject. */
  lookUp?(subject: string, context: string): ToolCall | undefined;
  /** False for a system that makes room without asking for a summary. */
  summarises?: false;
  open(setting: Setting): Promise<RunningSystem>;
  /** Absent for a system that stores nothing itself. */
  openStore?(directory: string): Promise<SpeedSubject>;
}

/** The subject of the timing: the system's own store, as durable as it gets. */
export interface SpeedSubject {
  durability: string;
  /** Writes one short note or message. */
  edit(number: number): Promise<unknown>;
  /** Reads what the next turn needs. */
  read(): Promise<unknown>;
  /** Opens the same store again, as a new process would; absent if it ends with the process. */
  reopen?(): Promise<SpeedSubject>;
  close(): Promise<void>;
}
