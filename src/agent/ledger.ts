import type { LanguageModel, ModelMessage } from "ai";
import { findLacks } from "../compaction/receipt.ts";
import { expectedGrowth, plannedFills } from "../compaction/usage.ts";
import { textsIn } from "../context/conversation.ts";
import type { Prompt } from "../context/prompt.ts";
import { readEpoch, readLearned, readSummarySpan } from "../engine/conversation.ts";
import type { Receipt } from "../engine/records.ts";
import { type HashedPiece, hashPiece } from "../sessions/call-log.ts";
import type { Session } from "../sessions/session.ts";
import type { PromptNow } from "./conversation.ts";
import type { AgentEvent, ReportedUsage } from "./events.ts";
import type { AgentConfig } from "./options.ts";
import { asSystem, modelName, type TurnRun } from "./run.ts";
import { cachesPrompts, definitionsText, memoryToolSet } from "./tools.ts";

/** Records the prompt of a turn or a warning; returns the call's number, if it was recorded. */
export async function recordTurn(
  run: TurnRun,
  { prompt, state }: PromptNow,
  purpose: "turn" | "warning" | "summary",
  reported: ReportedUsage,
): Promise<number | undefined> {
  const { agent, config } = run;
  const offersOwn = purpose !== "warning" || cachesPrompts(run);
  const tools = [offersOwn ? (config.options.tools ?? {}) : {}, memoryToolSet(agent.tools)];
  const definitions = tools.map(definitionsText).filter((text) => text !== "");
  const pieces: PromptPiece[] = [
    ...definitions.map((text) => ({ part: "tools" as const, role: "tools", text })),
    ...systemPieces(prompt, run.base),
    ...prompt.messages.map(
      (message, index): PromptPiece => ({
        part: prompt.parts[index] ?? "history",
        role: message.role,
        message,
      }),
    ),
  ];
  const growth = expectedGrowth(readLearned(state, modelName(run.model)), config.policy);
  const facts = {
    ...factsOf(config, run.model, reported),
    purpose,
    epoch: readEpoch(state).number,
    revision: state.row.revision,
    ...plannedFills(growth, config.policy),
  };
  return record(run, pieces, facts, prompt.added);
}

/** Records the prompt of a summary: its sections, joined by an empty line. */
export async function recordSummary(
  run: TurnRun,
  { state }: PromptNow,
  [instructions, sections]: [instructions: string, sections: readonly string[]],
  reported: ReportedUsage,
): Promise<void> {
  const { config } = run;
  await record(
    run,
    [
      { part: "system", role: "system", text: instructions },
      ...sections.map((text): PromptPiece => ({ part: "history", role: "user", text })),
    ],
    {
      ...factsOf(config, config.options.summaryModel ?? run.model, reported),
      purpose: "summary",
      epoch: readEpoch(state).number,
      revision: state.row.revision,
    },
  );
}

/** The pieces of the system prompt; joined by an empty line they are the whole. */
function systemPieces({ system }: Prompt, base: string): PromptPiece[] {
  const rest = base === "" ? system : system.slice(base.length + 2);
  return [
    ...(base === "" ? [] : [{ part: "system" as const, role: "system", text: base }]),
    ...(rest === "" ? [] : [{ part: "memory" as const, role: "system", text: rest }]),
  ];
}

/** Ledger write failures are reported but never block the turn. */
async function record(
  { agent, emit }: TurnRun,
  pieces: PromptPiece[],
  facts: Omit<CallFacts, "parts">,
  added: readonly string[] = [],
): Promise<number | undefined> {
  try {
    return await agent.recorder.record(pieces, facts, added);
  } catch (error) {
    emit({ type: "error", message: `The model call was not recorded: ${(error as Error).message}` });
    return undefined;
  }
}

function factsOf(
  { policy }: AgentConfig,
  model: LanguageModel,
  { inputTokens, cachedTokens, cacheWriteTokens, outputTokens }: ReportedUsage,
): Pick<CallFacts, "model" | "contextWindow" | "usage"> {
  return {
    model: typeof model === "string" ? model : model.modelId,
    contextWindow: policy.contextWindow,
    usage: {
      input: inputTokens ?? null,
      cached: cachedTokens ?? null,
      written: cacheWriteTokens ?? null,
      output: outputTokens ?? null,
    },
  };
}

/** A piece of a prompt before it is hashed. Messages are cached, so each is hashed once. */
export interface PromptPiece {
  part: "system" | "tools" | "memory" | "summaries" | "history" | "results";
  role: string;
  text?: string;
  message?: ModelMessage;
}

/** The facts about a call besides its prompt. */
export type CallFacts = {
  model: string;
  purpose: "turn" | "warning" | "summary";
  epoch: number;
  revision: number;
  contextWindow: number;
  /** The fills of the next prompt at which the agent is warned, and about at which it is compacted. */
  warnAt?: number;
  compactAt?: number;
  /** Tokens by part: the sum of the pieces', so that the same piece counts the same in every call. */
  parts: Record<PromptPiece["part"] | "free", number>;
  /** As counted by the provider. */
  usage: { input: number | null; cached: number | null; written: number | null; output: number | null };
};

/** Max cached texts that recur in many prompts: system prompts, tool definitions. */
const maxTexts = 50;

interface TokenCounters {
  countTokens: (text: string) => number;
  messageTokens: (message: ModelMessage) => number;
}

/** Records the model's prompts, each piece once. */
export class CallRecorder {
  readonly #session: Session;
  readonly #count: TokenCounters;
  readonly #clock: () => number;
  readonly #messages = new WeakMap<ModelMessage, HashedPiece>();
  readonly #texts = new Map<string, HashedPiece>();

  constructor(session: Session, count: TokenCounters, clock: () => number) {
    this.#session = session;
    this.#count = count;
    this.#clock = clock;
  }

  /**
   * Returns the call's number; undefined if the store keeps no calls. `added` are texts of memory within the user's
   * messages; their tokens count as memory's.
   */
  async record(
    pieces: readonly PromptPiece[],
    facts: Omit<CallFacts, "parts">,
    added: readonly string[] = [],
  ): Promise<number | undefined> {
    const hashed: HashedPiece[] = [];
    for (const piece of pieces) {
      // Nearly all pieces are cached; awaiting each of them would dominate the run time.
      hashed.push(this.#known(piece) ?? (await this.#hash(piece)));
    }
    const parts = this.#partsOf(pieces, hashed, facts.contextWindow, added);
    return this.#session.calls.record(hashed, { ...facts, parts }, this.#clock());
  }

  #partsOf(
    pieces: readonly PromptPiece[],
    hashed: readonly HashedPiece[],
    contextWindow: number,
    added: readonly string[],
  ): CallFacts["parts"] {
    const parts = { system: 0, tools: 0, memory: 0, summaries: 0, history: 0, results: 0 };
    let inMessages = 0;
    for (let index = 0; index < pieces.length; index++) {
      const tokens = hashed[index]?.tokens ?? 0;
      const piece = pieces[index];
      if (!piece) continue;
      parts[piece.part] += tokens;
      if (piece.part === "memory" && piece.message) inMessages += tokens;
    }
    const addedTokens = added.reduce((sum, text) => sum + this.#count.countTokens(text), 0);
    const moved = Math.min(parts.history, Math.max(0, Math.round(addedTokens) - inMessages));
    parts.memory += moved;
    parts.history -= moved;
    const total = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
    return { ...parts, free: Math.max(0, contextWindow - total) };
  }

  #known(piece: PromptPiece): HashedPiece | undefined {
    if (piece.message) return this.#messages.get(piece.message);
    const known = this.#texts.get(piece.text ?? "");
    return known?.part === piece.part && known.role === piece.role ? known : undefined;
  }

  async #hash(piece: PromptPiece): Promise<HashedPiece> {
    const { part, role, text, message } = piece;
    const content = message ? JSON.stringify(message) : (text ?? "");
    const hashed = {
      part,
      role,
      hash: await hashPiece({ part, role, text: content }),
      tokens: Math.round(message ? this.#count.messageTokens(message) : this.#count.countTokens(content)),
      text: content,
    };
    if (message) this.#messages.set(message, hashed);
    else {
      if (this.#texts.size >= maxTexts) this.#texts.clear();
      this.#texts.set(content, hashed);
    }
    return hashed;
  }
}

/** The request of a call as it was sent. */
export interface SentRequest {
  /** The call's number in the ledger (default: among the calls of this process). */
  call: number | undefined;
  /** The request's body if the provider reports it, or else the prompt as the model received it. */
  body: unknown;
}

/** Checks the receipt of the last compaction against the first request after it, once. */
export class ReceiptCheck {
  readonly #session: Session;
  /** The last epoch whose receipt is known to be checked, or to need no check. */
  #checked = 0;
  /** Calls of this process. */
  #calls = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Stores the result with the receipt, and emits a mismatch as an error. Throws only if the store fails. */
  async check(sent: SentRequest, emit: (event: AgentEvent) => void): Promise<void> {
    this.#calls++;
    const state = await this.#session.state();
    const epoch = readEpoch(state).number - 1;
    if (epoch <= this.#checked) return;
    const [record] = await this.#session.records("receipt", [String(epoch)]);
    const replacement = readSummarySpan(state)?.text;
    this.#checked = epoch;
    if (!record || replacement === undefined || isChecked(record.value)) return;
    const lacks = findLacks(replacement, sentText(sent.body));
    const { call = this.#calls } = sent;
    await this.#session.apply({ type: "context.verify", epoch, call, lacks }, asSystem);
    if (lacks.length > 0)
      emit({
        type: "error",
        message: `The request of call ${call} does not contain the text of the receipt of compaction ${epoch}. It lacks: ${lacks.join("; ")}. Something between the agent and the provider changes prompts: check middleware and proxies.`,
      });
  }
}

function isChecked({ verified, mismatch }: Receipt): boolean {
  return verified !== undefined || mismatch !== undefined;
}

/** All text in a request, without the escapes of its JSON; the input of a call is JSON inside of it. */
function sentText(body: unknown): string {
  const texts = textsIn(typeof body === "string" ? parse(body) : body);
  return texts.flatMap((text) => [text, ...(isJson(text) ? textsIn(parse(text)) : [])]).join("\n");
}

function isJson(text: string): boolean {
  return /^[{[]/.test(text) && /[}\]]$/.test(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
