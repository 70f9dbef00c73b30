import type { z } from "zod";
import type { Checkpoint } from "../engine/conversation.ts";
import type { Limits } from "../engine/limits.ts";
import type { State } from "../engine/state.ts";
import type { Block } from "../sessions/options.ts";
import type { ApplyOptions, Session } from "../sessions/session.ts";
import type { AgentOf } from "./agent-key.ts";
import type { Child } from "./sessions/operations.ts";

/** Runs sub-sessions; there is one only where an agent is running. */
export interface ChildRunner {
  start(
    parent: Session,
    request: { kind: "spawn" | "fork"; task: string; tokenLimit?: number; copyNotepad?: boolean },
  ): Promise<string>;
  /** Waits until the named children, or all of them, have ended; then how each stands. */
  wait(
    parent: Session,
    ids: readonly string[] | undefined,
    seconds: number | undefined,
  ): Promise<[id: string, child: Child][]>;
  /** Ends the child that calls it, and hands its result to the parent. */
  report(child: Session, result: string): Promise<void>;
}

/** One call of a tool: on which session, by whom, within which budgets. */
export interface Call {
  session: Session;
  options: ApplyOptions;
  limits: Limits;
  countTokens: (text: string) => number;
  children?: ChildRunner | undefined;
  /** Fires when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined;
  /** Names that tools have already: those of the surfaces, and those that the developer gave the agent. */
  taken?: readonly string[] | undefined;
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
  | { kind: "start" }
  | { kind: "compaction" | "end"; checkpoint: Checkpoint }
  | { kind: "cleared"; results: readonly { tool: string; summary: string }[] };

/** One form of memory: its tools, its block and its guidance, declared together. */
export interface Surface {
  name: string;
  tools: readonly Tool[];
  /** How to use the tools, for the system prompt. */
  guidance(limits: Limits): string;
  /** What the model sees every turn; undefined for nothing. */
  block?(state: State): Omit<Block, "surface"> | undefined;
  /** Looks again at what `block` and `extraTools` show from outside the session: a file, what the agent knows. */
  refresh?(session: Session): Promise<void>;
  /** Hears of the moments of a conversation. Gives warnings instead of throwing: it must not hold up an agent. */
  hear?(session: Session, moment: Moment): Promise<string[]>;
  /** Tools that come and go; as of the last `refresh` with a session of the same agent. */
  extraTools?(agent: AgentOf): readonly Tool[];
}
