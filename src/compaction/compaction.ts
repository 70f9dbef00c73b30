import { type StoredMessage, spokenText } from "../context/conversation.ts";
import { readEpoch } from "../engine/conversation.ts";
import type { Checkpoint, CompactionTrigger, Epoch, Receipt, Removed } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { Operation } from "../surfaces/operations.ts";
import { listPins } from "../surfaces/pins/operations.ts";
import type { SessionHandle } from "../surfaces/session-handle.ts";
import type { Moment } from "../surfaces/surface.ts";
import type { CheckpointBudget } from "./budget.ts";
import { planCheckpoint, planWithNeeds } from "./checkpoint.ts";
import type { CompactionEvent } from "./events.ts";
import { pathKey } from "./facts/path-key.ts";
import { type ReadFile, readContents } from "./facts/read-contents.ts";
import { notWritten } from "./facts/said.ts";
import type { KeptMessages } from "./kept-messages.ts";
import { renderKeptWords } from "./kept-words.ts";
import { lastCheckpoint } from "./last-checkpoint.ts";
import type { WayBack } from "./place-needs.ts";
import { accountFor, planReceipt } from "./receipt.ts";
import { countConversation, previewsOf } from "./removed-messages.ts";
import {
  type AskSummariser,
  keepText,
  renderAsk,
  renderSummary,
  type Summary,
  type SummaryInput,
  summarise,
} from "./summary.ts";

/** The part of a conversation that is about to be compacted, as its driver sees it. */
export interface Conversation extends KeptMessages {
  /** The messages since the last summary, in order. */
  messages: readonly StoredMessage[];
  /** The first message to remove (default: the first of `messages`). A caller may pass only the end of a conversation. */
  from?: number;
  /** Tokens of the prompt before the compaction (default: those of the removed messages). */
  tokensBefore?: number;
  /** The host's transcript and its current size, if the host keeps one. */
  transcript?: { path: string; size: number };
}

/** What a driver provides to a compaction: its session, its view of the prompt, and its I/O. */
export interface CompactionDriver {
  session: SessionHandle;
  trigger: CompactionTrigger;
  /** Why the agent was not warned, if it was not. */
  skipped: string;
  wayBack: WayBack;
  /** The room for the checkpoint (default: for a window of 200,000 tokens). */
  budget?: CheckpointBudget | (() => Promise<CheckpointBudget>);
  /** Reads a file that the agent has read, to say whether it has changed; undefined if it cannot be read at once. */
  readFile?: ReadFile | undefined;
  /** The folder against which the agent's paths resolve, so that a file with several spellings is listed once. */
  folder?: string | undefined;
  /** Tokens for an open request that the checkpoint does not show whole (default: 0). */
  askTokens?: number;
  /** Tokens for what the user stated and for short results (default: none), and the tools whose results are left out. */
  keptWords?: { tokens: number; except: ReadonlySet<string> };
  /** The compaction may end in another process than it began in. */
  isResumable?: boolean;
  /** The idempotency key of a write, if the host may report the same compaction twice. */
  keyOf?(operation: Operation): string | undefined;
  countTokens: (text: string) => number;
  /**
   * The model's context after the compaction. `body` is the text passed to `commit` without the receipt: summary and
   * checkpoint. `summary` is the summary alone, for a host that shows its own.
   */
  contextAfter(after: {
    body: string;
    summary: string;
    state: State;
  }): Promise<{ text: string; tokens: number }>;
  /** Ends the epoch durably. `text` replaces the removed messages in the prompt. */
  commit(receipt: Receipt, text: string): Promise<void>;
  /** Notifies the surfaces. */
  notify(moment: Moment): Promise<void>;
  emit?(event: CompactionEvent): void;
}

/** The result of `begin`. */
export interface Begun {
  checkpoint: Checkpoint;
  removed: Removed;
  /** Tells the host's own summariser what to keep. */
  instructions: string;
}

/** The result of `finish`. */
export interface Finished {
  summary: Summary;
  receipt: Receipt;
  /** Replaces the removed messages in the prompt: summary, checkpoint and receipt. */
  text: string;
}

const asSystem = { actor: { kind: "system" as const }, surface: "compaction" };

/**
 * One compaction: checkpoint, summary, receipt. Most drivers call only `begin` and `finish`. A driver that must answer
 * its host before it writes calls the two halves of each (`plan` and `open`, `account` and `close`).
 *
 * @example
 * const compaction = new Compaction(driver);
 * const { instructions } = await compaction.begin(conversation);
 * const { text } = await compaction.finish({ text: await host.summarise(instructions), by: "model" });
 */
export class Compaction {
  readonly #driver: CompactionDriver;
  #begun: Begun | undefined;
  /** The receipt that is written anew. */
  #replaced: Receipt | undefined;
  #finished: Finished | undefined;

  constructor(driver: CompactionDriver) {
    this.#driver = driver;
  }

  /** Writes the checkpoint; after this the messages may be removed. */
  async begin(conversation: Conversation): Promise<Begun> {
    const begun = await this.plan(conversation);
    await this.open();
    return begun;
  }

  /** Computes the checkpoint without writing it. */
  async plan(conversation: Conversation): Promise<Begun> {
    const { session, countTokens, trigger } = this.#driver;
    const { messages, to, among, mayKeepTail = false, transcript } = conversation;
    const state = await session.state();
    const earlier = await lastCheckpoint(session, state);
    const { budget, folder, readFile } = this.#driver;
    const { checkpoint: planned, needs } = planWithNeeds(
      {
        state,
        messages,
        to,
        mayKeepTail,
        ...(among ? { among } : {}),
        earlier,
        budget: typeof budget === "function" ? await budget() : budget,
        contents: await readContents(messages, earlier, readFile, pathKey(folder)),
        folder,
        wordsExcept: this.#driver.keptWords?.except,
        countTokens,
      },
      listPins(state).map(({ text }) => text),
    );
    const gone = messages.filter(({ number }) => number <= to);
    const askedIn = findAsk(planned, gone, earlier);
    const checkpoint = { ...planned, ...(askedIn === undefined ? {} : { askedIn }) };
    const removed: Removed = {
      from: conversation.from ?? gone[0]?.number ?? 0,
      to: gone.at(-1)?.number ?? 0,
      messages: gone.length,
      tokens: conversation.tokensBefore ?? countConversation(gone, countTokens),
      items: accountFor(gone, checkpoint.openAsks),
      needs,
      transcript: gone.length > 0 ? (transcript?.path ?? "") : "",
      transcriptSize: transcript?.size ?? 0,
      ...(trigger === "host" ? { previews: previewsOf(gone) } : {}),
    };
    this.#begun = { checkpoint, removed, instructions: keepText(checkpoint) };
    return this.#begun;
  }

  /** Takes over a compaction that another process began; undefined if none is in progress. */
  async resume(): Promise<Begun | undefined> {
    const { session } = this.#driver;
    const epoch = String(readEpoch(await session.state()).number);
    return this.#restore(epoch);
  }

  /** Reopens a finished compaction when the host reports its summary late. */
  async reopen(receipt: Receipt): Promise<Begun | undefined> {
    this.#replaced = receipt;
    return this.#restore(String(receipt.epoch));
  }

  async #restore(epoch: string): Promise<Begun | undefined> {
    const { session } = this.#driver;
    const [checkpoint] = await session.records("checkpoint", [epoch]);
    const [removed] = await session.records("removed", [epoch]);
    if (!checkpoint || !removed) return undefined;
    this.#begun = {
      checkpoint: checkpoint.value,
      removed: removed.value,
      instructions: keepText(checkpoint.value),
    };
    return this.#begun;
  }

  /** Writes the planned checkpoint, unless it is already written, and notifies the surfaces. */
  async open(): Promise<void> {
    const { checkpoint, removed } = this.#must();
    const { session, trigger, skipped, emit, notify, isResumable } = this.#driver;
    if (readEpoch(await session.state()).warning === "none") {
      await this.#write({ type: "context.skip_warning", trigger, reason: skipped });
      emit?.({ type: "warning", trigger, skipped });
    }
    const epoch = [String(checkpoint.epoch)];
    const [known] = await session.records("checkpoint", epoch);
    const [counted] = await session.records("removed", epoch);
    const isKnown = known?.value.text === checkpoint.text;
    // Another process needs them to account for what was removed, and people to see what a host removed.
    const kept = isResumable || trigger === "host" ? { removed } : {};
    let isRepeated = isKnown;
    if (!isKnown || (isResumable && counted?.value.transcriptSize !== removed.transcriptSize))
      isRepeated ||= await this.#write({ type: "context.checkpoint", checkpoint, ...kept });
    if (!isRepeated) await notify({ kind: "before-compaction", checkpoint });
    emit?.({ type: "checkpoint", checkpoint });
  }

  /** Returns whether the same report has written it before. */
  async #write(operation: Operation): Promise<boolean> {
    const key = this.#driver.keyOf?.(operation);
    const { repeated } = await this.#driver.session.apply(operation, {
      ...asSystem,
      ...(key === undefined ? {} : { key }),
    });
    return repeated;
  }

  /** Asks the driver's model for a summary. If the model gives no acceptable one, builds it from the messages. */
  summarise(
    ask: AskSummariser,
    input: Omit<SummaryInput, "openAsks" | "countTokens" | "memoryTools" | "onProblem">,
  ): Promise<Summary> {
    const { countTokens, emit, keptWords } = this.#driver;
    const { openAsks } = this.#must().checkpoint;
    const onProblem = (message: string) => emit?.({ type: "error", message });
    return summarise(ask, { ...input, openAsks, countTokens, memoryTools: keptWords?.except, onProblem });
  }

  /** Accounts for what was removed, ends the epoch and notifies the surfaces. */
  async finish(summary: Summary): Promise<Finished> {
    const finished = await this.account(summary);
    await this.close();
    return finished;
  }

  /** Computes the receipt and the text for the model without writing them. */
  async account(summary: Summary): Promise<Finished> {
    const { checkpoint, removed } = this.#must();
    const { session, trigger, wayBack, contextAfter } = this.#driver;
    const state = await session.state();
    const body = `${renderSummary(summary, checkpoint)}${this.#words(state)}${this.#ask()}`;
    const after = await contextAfter({ body, summary: summary.text, state });
    const receipt = planReceipt({
      state,
      epoch: { ...readEpoch(state), number: checkpoint.epoch, ...this.#warning(state) },
      trigger,
      removed,
      contextAfter: after.text,
      wayBack: wayBack === "transcript" && removed.transcript === "" ? "none" : wayBack,
      summaryBy: summary.by,
      tokensBefore: removed.tokens,
      tokensAfter: after.tokens,
    });
    this.#finished = { summary, receipt, text: `${body}\n\n${receipt.line}` };
    return this.#finished;
  }

  #words({ row }: State): string {
    const { countTokens, keptWords } = this.#driver;
    if (!keptWords) return "";
    const { said = [], results = [] } = this.#must().checkpoint.memory;
    const words = { said: notWritten(said, row.notepad ?? ""), results };
    return renderKeptWords(words, keptWords.tokens, countTokens);
  }

  #ask(): string {
    const { countTokens, askTokens = 0 } = this.#driver;
    return askTokens === 0 ? "" : renderAsk(this.#must().checkpoint, askTokens, countTokens);
  }

  /** Commits the receipt. A process that dies before this has removed nothing. */
  async close(): Promise<void> {
    const { checkpoint } = this.#must();
    if (!this.#finished) throw outOfOrder("close", "account");
    const { summary, receipt, text } = this.#finished;
    const { commit, notify, emit } = this.#driver;
    await commit(receipt, text);
    // The surfaces know of a compaction whose receipt is only written anew.
    if (this.#replaced) return;
    const { trigger, from, to, summaryBy } = receipt;
    emit?.({ type: "compaction", trigger, from, to, summary: summary.text, summaryBy });
    emit?.({ type: "receipt", receipt });
    await notify({ kind: "after-compaction", checkpoint, receipt });
  }

  /** Whether the agent was warned in the epoch that ends. One that was not yet recorded as skipped was skipped. */
  #warning(state: State): Pick<Epoch, "warning" | "skipped"> {
    const { warning, skipped } = this.#replaced ?? readEpoch(state);
    return warning === "none" ? { warning: "skipped", skipped: this.#driver.skipped } : { warning, skipped };
  }

  #must(): Begun {
    if (this.#begun) return this.#begun;
    throw outOfOrder("account", "plan");
  }
}

/** The session-end moment, with the checkpoint that a compaction would write now. */
export async function planSessionEnd(
  session: SessionHandle,
  messages: readonly StoredMessage[],
  countTokens: (text: string) => number,
): Promise<Moment> {
  const state = await session.state();
  const earlier = await lastCheckpoint(session, state);
  const to = messages.at(-1)?.number ?? 0;
  const checkpoint = planCheckpoint({ state, messages, to, earlier, countTokens });
  return { kind: "session-end", checkpoint };
}

/** The message with the first open ask: one that is removed now, or one that an earlier compaction removed. */
function findAsk(
  { openAsks: [ask] }: Checkpoint,
  removed: readonly StoredMessage[],
  earlier: Checkpoint | undefined,
): number | undefined {
  if (ask === undefined) return undefined;
  const found = removed.findLast(
    ({ message }) => message.role === "user" && spokenText(message).trim() === ask,
  );
  return found?.number ?? (earlier?.openAsks[0] === ask ? earlier.askedIn : undefined);
}

function outOfOrder(step: string, before: string): HoldfastError {
  return new HoldfastError(
    "conflict",
    `A compaction's "${step}" must follow its "${before}". Call "${before}" first.`,
  );
}
