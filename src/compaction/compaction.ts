import { plainTextOf, type StoredMessage } from "../context/conversation.ts";
import { readEpoch, readSpans } from "../engine/conversation.ts";
import type {
  CompactionTrigger,
  Epoch,
  Handoff,
  Receipt,
  Removed,
  RemovedMessage,
} from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { Operation } from "../surfaces/operations.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import type { SessionHandle } from "../surfaces/session-handle.ts";
import type { LifecycleEvent } from "../surfaces/surface.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import type { CompactionEvent } from "./events.ts";
import { emptyHandoff, type HandoffRoom, handoffTokens, planHandoff } from "./handoff.ts";
import { planReceipt } from "./receipt.ts";
import { keepText, renderSummary, type Summary } from "./summary.ts";

/** The part of a conversation that is about to be compacted, as its driver sees it. */
export interface Conversation {
  /** The messages since the last compaction, in order. */
  messages: readonly StoredMessage[];
  /** The last message that leaves the context; those after it stay. */
  to: number;
  /**
   * Where the host keeps some of the newest messages, as far as we can tell, and will not pass them again: the first of those.
   * The handoff does not repeat what was done in them.
   */
  keptFrom?: number;
  /** The first message to remove (default: the first of `messages`). A caller may pass only the end of a conversation. */
  from?: number;
  /** Tokens of the prompt before the compaction (default: those of the removed messages). */
  tokensBefore?: number;
  /** The host's transcript and its current size, if the host keeps one. */
  transcript?: { path: string; size: number };
}

/** The parts that a driver provides to a compaction: its session, its view of the prompt, and its I/O. */
export interface CompactionDriver {
  session: SessionHandle;
  trigger: CompactionTrigger;
  /** Why the agent was not warned, if it was not. */
  skipped: string;
  /** How the model reads the removed messages: a tool, a command or a path; "" if it cannot. */
  readWith: string;
  /** False: nothing is extracted from the conversation (default: true). */
  handoff?: boolean | undefined;
  /** The room for the handoff (default: for a window of 200,000 tokens). */
  room?: HandoffRoom | (() => Promise<HandoffRoom>);
  /** The folder in which the agent works. Paths in it are shown relative to it. */
  folder?: string | undefined;
  /** The idempotency key of a write, if the host may report the same compaction twice. */
  keyOf?(operation: Operation): string | undefined;
  countTokens: (text: string) => number;
  /** Called with what is known before it is written, so that a host need not wait for the store. */
  onBegun?(begun: Begun): void;
  onFinished?(finished: Finished): void;
  /**
   * The model's context after the compaction. `body` is the text passed to `commit` without the receipt: summary and
   * handoff. `summary` is the summary alone, for a host that shows its own. Only `finish` asks for it (default: `body`).
   */
  contextAfter?(after: {
    body: string;
    summary: string;
    handoff: Handoff;
    state: State;
  }): Promise<{ text: string; tokens: number; notepad?: Receipt["notepad"] }>;
  /** Ends the epoch durably. `text` replaces the removed messages in the prompt. */
  commit(receipt: Receipt, text: string): Promise<void>;
  /** Notifies the surfaces. */
  notify(event: LifecycleEvent): Promise<void>;
  emit?(event: CompactionEvent): void;
}

/** The result of `begin`. */
export interface Begun {
  handoff: Handoff;
  removed: Removed;
  /** Tells the host's own summarizer what is kept anyway. */
  instructions: string;
}

/** The result of `finish`. */
export interface Finished {
  handoff: Handoff;
  receipt: Receipt;
  /** Replaces the removed messages in the prompt: summary, handoff and receipt. */
  text: string;
}

const asSystem = { actor: { kind: "system" as const }, surface: "compaction" };

/**
 * One compaction: `begin` writes the handoff, then the messages may be removed, and `finish` writes the receipt. Both may
 * run in different processes, and reporting either twice gives the same result twice.
 *
 * @example
 * const compaction = new Compaction(driver);
 * const { instructions } = await compaction.begin(conversation);
 * const { text } = await compaction.finish({ text: await host.writeSummary(instructions), by: "model" });
 */
export class Compaction {
  readonly #driver: CompactionDriver;

  constructor(driver: CompactionDriver) {
    this.#driver = driver;
  }

  /** Writes the handoff. After this the messages may be removed. */
  async begin(conversation: Conversation): Promise<Begun> {
    const state = await this.#driver.session.state();
    const begun = await this.#prepare(conversation, state);
    this.#driver.onBegun?.(begun);
    await this.#writeHandoff(begun, state);
    return begun;
  }

  async #prepare(conversation: Conversation, state: State): Promise<Begun> {
    const { handoff: isOn = true } = this.#driver;
    const handoff = isOn ? await this.#plan(conversation, state) : emptyHandoff(readEpoch(state).number);
    return { handoff, removed: this.#describeRemoved(conversation), instructions: keepText(handoff) };
  }

  /** Writes the handoff, unless it is already written, and notifies the surfaces. */
  async #writeHandoff({ handoff, removed }: Begun, state: State): Promise<void> {
    const { session, trigger, skipped, emit, notify } = this.#driver;
    if (readEpoch(state).warning === "none") {
      await this.#write({ type: "context.skip_warning", trigger, reason: skipped });
      emit?.({ type: "warning", trigger, skipped });
    }
    const known = await findBegun(session, handoff.epoch);
    const isKnown =
      known?.handoff.text === handoff.text && known.removed.transcriptSize === removed.transcriptSize;
    const isRepeated = isKnown || (await this.#write({ type: "context.handoff", handoff, removed }));
    if (!isRepeated && !known) await notify({ kind: "before-compaction", handoff });
    emit?.({ type: "handoff", handoff });
  }

  async #plan({ messages, to, keptFrom = to + 1 }: Conversation, state: State): Promise<Handoff> {
    const { session, room = { tokens: handoffTokens() }, folder, countTokens } = this.#driver;
    return planHandoff({
      epoch: readEpoch(state).number,
      messages: messages.filter(({ number }) => number <= to),
      kept: messages.filter(({ number }) => number > to),
      to: Math.min(to, keptFrom - 1),
      earlier: await lastHandoff(session, state),
      ...openWork(state),
      folder,
      room: typeof room === "function" ? await room() : room,
      hide: (text) => session.hideSecrets(text),
      countTokens,
    });
  }

  #describeRemoved({
    messages,
    from,
    to,
    keptFrom = to + 1,
    tokensBefore,
    transcript,
  }: Conversation): Removed {
    const { trigger, countTokens } = this.#driver;
    const gone = messages.filter(({ number }) => number <= to && number < keptFrom);
    return {
      from: from ?? gone[0]?.number ?? 0,
      to: gone.at(-1)?.number ?? 0,
      messages: gone.length,
      tokens: tokensBefore ?? countConversation(gone, countTokens),
      transcript: gone.length > 0 ? (transcript?.path ?? "") : "",
      transcriptSize: transcript?.size ?? 0,
      ...(trigger === "host" ? { previews: previewsOf(gone) } : {}),
    };
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

  /**
   * Writes the receipt, which ends the epoch, and notifies the surfaces. With `conversation`, for a host that did not announce
   * the compaction, it writes the handoff first.
   */
  async finish(summary: Summary, conversation?: Conversation): Promise<Finished> {
    const { session, commit, notify, emit, onFinished } = this.#driver;
    const state = await session.state();
    const prepared = conversation && (await this.#prepare(conversation, state));
    const begun = prepared ?? (await findBegun(session, readEpoch(state).number));
    if (!begun) return this.#finishedBefore(state, summary);
    const finished = await this.#planReceipt(begun, summary, state);
    const { handoff, receipt, text } = finished;
    onFinished?.(finished);
    if (prepared) await this.#writeHandoff(prepared, state);
    await commit(receipt, text);
    const { trigger, from, to, summaryBy } = receipt;
    emit?.({ type: "compaction", trigger, from, to, summary: summary.text, summaryBy });
    emit?.({ type: "receipt", receipt });
    await notify({ kind: "after-compaction", handoff, receipt });
    return finished;
  }

  /** The result of a compaction that has ended already. */
  async #finishedBefore(state: State, summary: Summary): Promise<Finished> {
    const { session, onFinished } = this.#driver;
    const ended = await findEnded(session, readEpoch(state).number - 1);
    if (!ended)
      throw new HoldfastError(
        "conflict",
        `A compaction's "finish" must follow its "begin". Call "begin" first.`,
      );
    const body = renderSummary(summary, ended.handoff);
    const finished = { ...ended, text: `${body}\n\n${ended.receipt.line}` };
    onFinished?.(finished);
    return finished;
  }

  async #planReceipt(
    { handoff, removed }: Omit<Begun, "instructions">,
    summary: Summary,
    state: State,
  ): Promise<Finished> {
    const { trigger, readWith, contextAfter, countTokens } = this.#driver;
    const body = renderSummary(summary, handoff);
    const after = (await contextAfter?.({ body, summary: summary.text, handoff, state })) ?? {
      text: body,
      tokens: countTokens(body),
    };
    const receipt = planReceipt({
      epoch: { ...readEpoch(state), number: handoff.epoch, ...this.#warning(state) },
      trigger,
      wrote: await this.#hasAnswered(state),
      removed,
      handoff,
      notepad: state.row.notepad ?? "",
      after,
      readWith: removed.messages === 0 ? "" : readWith,
      summaryBy: summary.by,
    });
    return { handoff, receipt, text: `${body}\n\n${receipt.line}` };
  }

  /** Whether the agent has written to its memory since it was warned. */
  async #hasAnswered(state: State): Promise<boolean> {
    if (readEpoch(state).warning !== "given") return false;
    const newest = await this.#driver.session.history({ limit: 1_000 });
    const warned = newest.findIndex(({ operation }) => operation.type === "context.warn");
    return newest
      .slice(0, Math.max(0, warned))
      .some(
        ({ actor, operation }) => actor.kind === "agent" && !/^(?:messages|context)\./.test(operation.type),
      );
  }

  /** Whether the agent was warned in the epoch that ends. One that was not yet recorded as skipped was skipped. */
  #warning(state: State): Pick<Epoch, "warning" | "skipped"> {
    const { warning, skipped } = readEpoch(state);
    return warning === "none" ? { warning: "skipped", skipped: this.#driver.skipped } : { warning, skipped };
  }
}

/** The compaction that has begun in an epoch, from its records. */
export async function findBegun(
  session: SessionHandle,
  epoch: number,
): Promise<Omit<Begun, "instructions"> | undefined> {
  const [handoff] = await session.records("handoff", [String(epoch)]);
  const [removed] = await session.records("removed", [String(epoch)]);
  return handoff && removed && { handoff: handoff.value, removed: removed.value };
}

/** The compaction that ended an epoch, from its records. */
export async function findEnded(
  session: SessionHandle,
  epoch: number,
): Promise<Omit<Finished, "text"> | undefined> {
  const [handoff] = await session.records("handoff", [String(epoch)]);
  const [receipt] = await session.records("receipt", [String(epoch)]);
  return handoff && receipt && { handoff: handoff.value, receipt: receipt.value };
}

/** The event of a session end, with the handoff that a compaction would write now. */
export async function planSessionEnd(
  session: SessionHandle & { readonly setting: { handoff?: boolean } },
  messages: readonly StoredMessage[],
  countTokens: (text: string) => number,
): Promise<LifecycleEvent> {
  const state = await session.state();
  const { number } = readEpoch(state);
  if (session.setting.handoff === false) return { kind: "session-end", handoff: emptyHandoff(number) };
  const handoff = planHandoff({
    epoch: number,
    messages,
    to: messages.at(-1)?.number ?? 0,
    earlier: await lastHandoff(session, state),
    ...openWork(state),
    room: { tokens: handoffTokens() },
    hide: (text) => session.hideSecrets(text),
    countTokens,
  });
  return { kind: "session-end", handoff };
}

const tickedItem = /^[ \t]{0,20}(?:[-*]|\d{1,4}[.)])[ \t]{1,8}\[[xX]\][ \t]{1,8}(\S.*)$/;

const closedTask = /^\[Task: ([\s\S]*)\]$/;

/** The open tasks, and what is done: ticked off in the notepad and in the plan of the scratchpad, and closed tasks. */
function openWork(state: State): { tasks: string[]; ticked: string[] } {
  const text = `${readScratchpad(state).plan}\n${state.row.notepad ?? ""}`;
  return {
    tasks: readTasks(state).map(([, { description }]) => description),
    ticked: [
      ...text.split("\n").flatMap((line) => tickedItem.exec(line)?.[1] ?? []),
      ...readSpans(state).flatMap(([, span]) =>
        span.kind === "task" ? (closedTask.exec(span.text)?.[1] ?? []) : [],
      ),
    ],
  };
}

/** The handoff of the last compaction. */
async function lastHandoff(session: SessionHandle, state: State): Promise<Handoff | undefined> {
  const { number } = readEpoch(state);
  const known = (await session.records("handoff")).map(({ value }) => value);
  return known
    .filter(({ epoch }) => epoch < number)
    .sort((a, b) => a.epoch - b.epoch)
    .at(-1);
}

/** Of a longer conversation only pieces are counted, evenly spaced: the figure is for people. */
const maxCounted = 15_000;
const pieces = 60;

function countConversation(
  messages: readonly StoredMessage[],
  countTokens: (text: string) => number,
): number {
  const texts = messages.map(({ message }) => plainTextOf(message));
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0);
  if (length <= maxCounted) return countTokens(texts.join("\n"));
  const counted = samplesOf(texts, length / pieces).join("\n");
  return Math.round(countTokens(counted) * (length / counted.length));
}

/** A piece of text at every `step` characters. */
function samplesOf(texts: readonly string[], step: number): string[] {
  const samples: string[] = [];
  let end = 0;
  for (const text of texts) {
    const start = end;
    end += text.length + 1;
    for (let at = samples.length * step; at < end; at = samples.length * step)
      samples.push(text.slice(Math.floor(at - start), Math.floor(at - start) + maxCounted / pieces));
  }
  return samples;
}

const maxPreviews = 300;
const previewLength = 100;

function previewsOf(messages: readonly StoredMessage[]): RemovedMessage[] {
  return messages.slice(-maxPreviews).map(({ number, message }) => ({
    number,
    role: message.role,
    // Stores reject NUL and lone surrogates; a cut may make one.
    line: oneLine(
      plainTextOf(message)
        .slice(0, 4 * previewLength)
        .replaceAll("\0", "\ufffd")
        .toWellFormed(),
      previewLength,
    ),
  }));
}
