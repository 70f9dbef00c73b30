import type { LanguageModel, ToolSet } from "ai";
import type { ClearingPolicy } from "../compaction/clearing.ts";
import type { NudgePolicy } from "../compaction/nudges.ts";
import type { Placement } from "../context/prompt.ts";
import type { Memory } from "../sessions/memory.ts";
import type { SurfaceChoice } from "../sessions/options.ts";
import type { ChildLimits } from "./children.ts";

export interface AgentOptions {
  memory: Memory;
  model: LanguageModel;
  /** Writes the summaries (default: the model itself). */
  summaryModel?: LanguageModel;
  /** The agent's own tools, in the AI SDK's form. */
  tools?: ToolSet;
  /**
   * Forms of memory, for the whole memory. Name them in `openMemory`; a memory that was opened without naming any gets
   * `notepad`, `notes`, `tasks`, `results` and `sessions`.
   */
  surfaces?: readonly SurfaceChoice[];
  /** The base prompt; memory's guidance follows it. */
  system?: string;
  /** Tokens the model can take in, prompt and answer together. */
  contextWindow: number;
  placement?: Placement;
  /**
   * Minutes without a model call after which a provider has forgotten the prompt. The changes of an epoch are then
   * folded into a fresh snapshot, which costs nothing. 0 is never.
   */
  foldAfter?: number;
  /** Share of the window at which the conversation is compacted. */
  compactAt?: number;
  /** Share of the window that the newest messages keep through a compaction. */
  keep?: number;
  /** Tokens an answer may take. */
  outputReserve?: number;
  /** Model calls in one turn before it ends. */
  maxSteps?: number;
  /** False: what the model is given is not written down call by call. */
  ledger?: boolean;
  nudges?: Partial<NudgePolicy>;
  clearing?: Partial<ClearingPolicy> | false;
  /** Limits on sub-sessions. */
  children?: Partial<ChildLimits>;
}
