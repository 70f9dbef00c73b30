import type { z } from "zod";
import type { Block, Placement } from "../context/blocks.ts";
import type { StoredMessage } from "../context/conversation.ts";
import type { Limits } from "../engine/limits.ts";
import type { Child, Handoff, Receipt } from "../engine/records.ts";
import type { SessionRow, State } from "../engine/state.ts";
import type { SecretGuard } from "../secrets/guard.ts";
import type { ApplyOptions, SessionHandle } from "./session-handle.ts";

/** Runs sub-sessions; exists only where an agent is running. */
export interface ChildRunner {
  start(parent: SessionHandle, request: ChildRequest): Promise<string>;
  /** Waits for the given children (default: all) to end, or for the timeout; returns the current record of each. */
  wait(
    parent: SessionHandle,
    ids: readonly string[] | undefined,
    seconds: number | undefined,
  ): Promise<[id: string, child: Child][]>;
  /** Ends the calling child and hands its result to the parent. */
  report(child: SessionHandle, result: string): Promise<void>;
}

export interface ChildRequest {
  kind: "spawn" | "fork";
  task: string;
  tokenLimit?: number;
  copyNotepad?: boolean;
  /** For a fork: `answered` of the call that makes it. */
  answered?: readonly CallResult[] | undefined;
}

export interface CallResult {
  text: string;
  isError: boolean;
}

/** How an agent sees its memory. Guidance and tool texts depend on it, so that they are true where they are shown. */
export interface Presentation {
  /**
   * `message`: with every message. `system`: in the system prompt, and before the newest message. `epoch`: once per epoch,
   * then its changes. `host`: when the host shows it, which is at the start and after a compaction.
   */
  shown: "message" | "system" | "epoch" | "host";
  /** Holdfast keeps the conversation, so it collapses tasks, clears tool results and reads messages back. */
  keepsConversation: boolean;
  /** Tool names have no dots, because a provider refuses them. */
  dotless: boolean;
}

/** For a caller that places `session.context()` itself, with every message. */
export const ownLoop: Presentation = { shown: "message", keepsConversation: false, dotless: false };

/** For a host that Holdfast is plugged into by MCP and hooks. */
export const inHost: Presentation = { shown: "host", keepsConversation: false, dotless: true };

/** For a host that Holdfast is plugged into with a plugin that places memory before every call. */
export function inPlugin(placement: Placement = "epoch"): Presentation {
  return { shown: placement, keepsConversation: false, dotless: true };
}

/** A conversation, as its driver or its host keeps it. */
export interface PastConversation {
  messages: readonly StoredMessage[];
  /** The first message that is in the context; those before it have left it. */
  contextFrom: number;
}

/** Reads the conversation of a session; undefined if there is none. */
export type ReadConversation = (session: SessionHandle) => Promise<PastConversation | undefined>;

/** The caller's options of a tool, in addition to those of each write. */
export interface CallOptions extends ApplyOptions {
  children?: ChildRunner | undefined;
  /** The results of the calls that the model made before this one in the same answer. */
  answered?: readonly CallResult[] | undefined;
  /** Aborts when the caller stops waiting for the answer. */
  signal?: AbortSignal | undefined;
  /** Tokens that the answer may take in the caller's context. */
  room?: number | undefined;
  /** Where the conversation is, if the session does not store it. */
  conversation?: ReadConversation | undefined;
  /** Tool names already in use: those of the surfaces and of the developer's own tools. */
  taken?: readonly string[] | undefined;
}

/** The context of a tool call: session, actor, budgets. */
export interface Call extends Omit<CallOptions, keyof ApplyOptions> {
  session: SessionHandle;
  options: ApplyOptions;
  limits: Limits;
  countTokens: (text: string) => number;
  /** Keeps secrets out of what is stored. Default: redacts them. */
  guard?: SecretGuard;
}

/** A tool, declared once; every provider's format is projected from this. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  name: string;
  description: string;
  input: Input;
  output: Output;
  /** It only reads. */
  readOnly?: boolean;
  /** It can delete or overwrite content. */
  destructive?: boolean;
  /** Calling it twice has the same effect as calling it once. */
  idempotent?: boolean;
  /** It runs a program, which may take seconds; other calls of the session need not wait for it. */
  isProgram?: boolean;
  run(call: Call, input: z.output<Input>): Promise<z.output<Output>>;
  /** The description and the input as they are true in a place. Only texts and JSON Schema hints may differ. */
  adapt?(limits: Limits, presentation: Presentation): { description?: string; input?: Input };
  /** The text for the model (default: the output as JSON). */
  text?(output: z.output<Output>): string;
}

export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool as unknown as Tool;
}

/** A point in a conversation at which a surface may write something outside the session. */
export type LifecycleEvent =
  | { kind: "session-start" }
  | { kind: "before-compaction" | "session-end"; handoff: Handoff }
  | { kind: "after-compaction"; handoff: Handoff; receipt: Receipt }
  | { kind: "cleared"; results: readonly { tool: string; summary: string; finding?: string }[] };

/** The part of a surface that depends only on the state. It loads without a schema library, so hooks use it too. */
export interface SurfaceView {
  name: string;
  /** Sort order of its block, lowest first (default: 2). */
  order?: number;
  /** The text in each turn. Undefined for no block. */
  block?(state: State): Omit<Block, "surface"> | undefined;
  /** The end marker that its block needs where more text follows. */
  end?: string;
  /** Whether the agent has written nothing to it. Only surfaces with text of the agent have it. */
  isEmpty?(state: State): boolean;
}

/** The session of a lifecycle event. It may have no memory yet. */
export interface LifecycleSession {
  id: string;
  agent: string;
}

/** How a surface reacts to the lifecycle events of a conversation. */
export interface LifecycleSurface {
  name: string;
  /** Returns warnings instead of throwing: it must not block an agent. */
  onLifecycle?(session: LifecycleSession, event: LifecycleEvent): Promise<string[]>;
}

/** One form of memory: its tools, its block and its guidance, declared together. */
export interface Surface extends SurfaceView, LifecycleSurface {
  tools: readonly Tool[];
  /** Its tools work only where a Holdfast agent runs. */
  needsAgent?: true;
  /** How to use the tools, for the system prompt. `chosen`: the names of all surfaces that the agent gets. */
  guidance(limits: Limits, presentation: Presentation, chosen: readonly string[]): string;
  /** Rereads what `block` and `extraTools` show from outside the session: a file, the agent's knowledge. */
  refresh?(session: SessionHandle): Promise<void>;
  /** Tools that change at run time, as of the last `refresh` with a session of the same agent. */
  extraTools?(agent: AgentOf): readonly Tool[];
}

/** Identifies an agent: names are unique per owner only. */
export type AgentOf = Pick<SessionRow, "owner" | "agent">;

/** A map key that is unique per owner and agent. */
export function agentKey({ owner, agent }: AgentOf): string {
  return JSON.stringify([owner, agent]);
}
