import type { z } from "zod";
import type { Block } from "../context/blocks.ts";
import type { Limits } from "../engine/limits.ts";
import type { Checkpoint, Child, EpochSnapshot, Receipt } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { AgentOf } from "./agent-key.ts";
import type { ApplyOptions, SessionHandle } from "./session-handle.ts";

/** Runs sub-sessions; there is one only where an agent is running. */
export interface ChildRunner {
  start(
    parent: SessionHandle,
    request: { kind: "spawn" | "fork"; task: string; tokenLimit?: number; copyNotepad?: boolean },
  ): Promise<string>;
  /** Waits until the named children, or all of them, have ended; then how each stands. */
  wait(
    parent: SessionHandle,
    ids: readonly string[] | undefined,
    seconds: number | undefined,
  ): Promise<[id: string, child: Child][]>;
  /** Ends the child that calls it, and hands its result to the parent. */
  report(child: SessionHandle, result: string): Promise<void>;
}

/** What the caller of a tool lends to it. */
export interface CallSetting {
  children?: ChildRunner | undefined;
  /** Aborts when no one waits for the answer any more. */
  signal?: AbortSignal | undefined;
  /** Names that tools have already: those of the surfaces, and those that the developer gave the agent. */
  taken?: readonly string[] | undefined;
}

/** One call of a tool: on which session, by whom, within which budgets. */
export interface Call extends CallSetting {
  session: SessionHandle;
  options: ApplyOptions;
  limits: Limits;
  countTokens: (text: string) => number;
}

/** A tool, declared once; every provider's format is projected from this. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  input: Input;
  output: Output;
  /** It only looks. */
  readOnly?: boolean;
  /** It can remove or overwrite what was there. */
  destructive?: boolean;
  /** Calling it twice does no more than calling it once. */
  idempotent?: boolean;
  run(call: Call, input: z.output<Input>): Promise<z.output<Output>>;
  /** What the model reads; the output as JSON unless given. */
  text?(output: z.output<Output>): string;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool as unknown as Tool;
}

/** A moment of a conversation at which something outside the session may have to be written down. */
export type Moment =
  | { kind: "session-start" }
  | { kind: "before-compaction" | "session-end"; checkpoint: Checkpoint }
  | { kind: "after-compaction"; checkpoint: Checkpoint; receipt: Receipt }
  | { kind: "cleared"; results: readonly { tool: string; summary: string }[] };

/** What of a surface follows from the state alone. It loads without a schema library, so hooks use it too. */
export interface SurfaceView {
  name: string;
  /** Where its block goes among the others, low first (default: 2). */
  order?: number;
  /** What the model sees every turn; undefined for nothing. */
  block?(state: State): Omit<Block, "surface"> | undefined;
  /** The end marker that its block needs where anything follows it. */
  end?: string;
  /** Its block as an epoch froze it, for a text that the snapshot keeps unrendered. */
  frozen?(snapshot: EpochSnapshot): string;
  /** Whether the agent has written nothing to it; left out where it holds nothing of the agent's. */
  isEmpty?(state: State): boolean;
}

/** The session that a moment belongs to. It may have no memory yet. */
export interface MomentSession {
  id: string;
  agent: string;
}

/** What a surface does at the moments of a conversation. */
export interface MomentSurface {
  name: string;
  /** Returns warnings instead of throwing: it must not block an agent. */
  onMoment?(session: MomentSession, moment: Moment): Promise<string[]>;
}

/** One form of memory: its tools, its block and its guidance, declared together. */
export interface Surface extends SurfaceView, MomentSurface {
  tools: readonly Tool[];
  /** Its tools work only where an agent of ours runs. */
  needsAgent?: true;
  /** How to use the tools, for the system prompt. */
  guidance(limits: Limits): string;
  /** Looks again at what `block` and `extraTools` show from outside the session: a file, what the agent knows. */
  refresh?(session: SessionHandle): Promise<void>;
  /** Tools that come and go; as of the last `refresh` with a session of the same agent. */
  extraTools?(agent: AgentOf): readonly Tool[];
}
