import { statSync } from "node:fs";
import { Compaction, type CompactionDriver, type Conversation } from "../../compaction/compaction.ts";
import { phaseOf } from "../../compaction/phase.ts";
import type { Summary } from "../../compaction/summary.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { Checkpoint, Receipt } from "../../engine/records.ts";
import type { Session } from "../../sessions/session.ts";
import { stampOf } from "../../workspace/hook-memory.ts";
import { commitReceipt } from "../commit-receipt.ts";
import { readConversation, readSummary } from "../transcript/read-conversation.ts";
import { type HookContext, markSeen, openSession, renderFor } from "./context.ts";
import type { RenderedMemory } from "./memory-text.ts";
import { notify, projectText } from "./moments.ts";
import { noteCompaction } from "./turn.ts";

/** Where a compaction is announced before every request, one with hardly anything new is skipped. */
const growth = { factor: 1.25, bytes: 64_000 };

/** Writes the checkpoint, and hands the summariser what to keep. */
export async function beforeCompaction(hook: HookContext): Promise<void> {
  const { event } = hook;
  const session = await openSession(hook);
  const compaction = new Compaction(driverOf(hook, session, () => unshown));
  if (event.host.compaction.announcesEveryRequest && !event.isManual) {
    const size = sizeOf(event.transcript);
    const known = (await compaction.resume())?.removed.transcriptSize;
    if (known !== undefined && (size < known * growth.factor || size < known + growth.bytes))
      return hook.answer({});
  }
  const { instructions } = await compaction.plan(readHostConversation(hook));
  hook.answer({ keep: instructions });
  await compaction.open();
}

/** Writes the receipt with the host's summary; says nothing, because nothing said here reaches the model. */
export async function afterCompaction(hook: HookContext): Promise<void> {
  hook.answer({});
  const session = await openSession(hook);
  const shown = new ShownAgain(hook, session);
  const under = await shown.find();
  const isKnown = under.phase === "finished" && under.receipt.summaryBy !== "unknown";
  if (!isKnown || hook.event.summary !== "") await shown.account(under);
  await shown.close();
}

/** Shows the model its memory again, with the checkpoint and the receipt. */
export async function showCompacted(hook: HookContext): Promise<void> {
  const stamp = stampOf(hook.store);
  const session = await openSession(hook);
  const memory = await session.state();
  const shown = new ShownAgain(hook, session);
  const under = await shown.find();
  const text =
    under.phase === "finished"
      ? (await shown.render(under.checkpoint)).withReceipt(under.receipt.line)
      : await shown.account(under);
  hook.answer({ context: text });
  noteCompaction(hook.state);
  // The epoch that begins with the receipt is shown; what anyone else writes from here on is still news.
  markSeen(hook, memory, stamp);
  if (await shown.close()) markSeen(hook, await session.state());
}

/** A compaction as it was found: finished and not shown yet, begun, or not even that. */
type Found = { phase: "finished"; checkpoint: Checkpoint; receipt: Receipt } | { phase: "begun" | "none" };

/** What the model is shown after a compaction, and the compaction that is finished for it. */
class ShownAgain {
  readonly #hook: HookContext;
  readonly #session: Session;
  readonly #compaction: Compaction;
  #rendered: RenderedMemory | undefined;
  #isOpen = false;
  #isAccounted = false;

  constructor(hook: HookContext, session: Session) {
    this.#hook = hook;
    this.#session = session;
    this.#compaction = new Compaction(driverOf(hook, session, () => this.#rendered ?? unshown));
  }

  /** Where the compaction is, as the session says. */
  async find(): Promise<Found> {
    const session = this.#session;
    const epoch = readEpoch(await session.state());
    const [begun] = await session.records("checkpoint", [String(epoch.number)]);
    const [ended] = await session.records("checkpoint", [String(epoch.number - 1)]);
    const [receipt] = await session.records("receipt", [String(epoch.number - 1)]);
    const phase = phaseOf({
      epoch,
      checkpoint: begun?.value,
      receipt: receipt?.value,
      seen: this.#hook.state.seen,
    });
    if (phase !== "finished" || !receipt || !ended) return { phase: phase === "begun" ? "begun" : "none" };
    return { phase, checkpoint: ended.value, receipt: receipt.value };
  }

  /** The text for the model, with the receipt; nothing is written yet. */
  async account(found: Found): Promise<string> {
    const { event } = this.#hook;
    let summary = event.summary;
    let begun =
      found.phase === "finished"
        ? await this.#compaction.reopen(found.receipt)
        : await this.#compaction.resume();
    // Where compactions are announced long before they happen, what went is known only now.
    const isStale = found.phase !== "finished" && event.host.compaction.announcesEveryRequest;
    if (!begun || isStale) {
      const conversation = readHostConversation(this.#hook);
      summary ||= conversation.summary;
      begun = await this.#compaction.plan(conversation);
      this.#isOpen = true;
    } else summary ||= readSummary(event.host, event.transcript, begun.removed.transcriptSize);
    const rendered = await this.render(begun.checkpoint);
    const { receipt } = await this.#compaction.account(summaryOf(summary));
    this.#isAccounted = true;
    return rendered.withReceipt(receipt.line);
  }

  async render({ text: checkpoint }: Checkpoint): Promise<RenderedMemory> {
    const [state, project] = [await this.#session.state(), await projectText(this.#hook)];
    this.#rendered = renderFor(this.#hook, { lead: compactedLead, state, checkpoint, project });
    return this.#rendered;
  }

  /** Writes what was accounted for; false when there was nothing to write. */
  async close(): Promise<boolean> {
    if (!this.#isAccounted) return false;
    if (this.#isOpen) await this.#compaction.open();
    await this.#compaction.close();
    return true;
  }
}

const unshown: RenderedMemory = { text: "", withReceipt: (line) => line };

/** A host that has not said what its summary is may say it later. */
function summaryOf(text: string): Summary {
  return { text, by: text === "" ? "unknown" : "model" };
}

function driverOf(hook: HookContext, session: Session, shown: () => RenderedMemory): CompactionDriver {
  return {
    session,
    trigger: "host",
    skipped: "the host compacts without telling the agent first",
    wayBack: "transcript",
    countTokens: estimateTokens,
    async contextAfter({ summary }) {
      const text = `${shown().text}\n${summary}`;
      return { text, tokens: estimateTokens(text) };
    },
    commit: (receipt) => commitReceipt(session, receipt),
    notify: (moment) => notify(hook, moment),
  };
}

/** What stood in the context since the last compaction, as the transcript says now. */
export function readHostConversation({ event }: HookContext): Conversation & { summary: string } {
  const { messages, summary } = readConversation(event.host, event.transcript) ?? {
    messages: [],
    summary: "",
  };
  const transcript = { path: event.transcript, size: sizeOf(event.transcript) };
  return { messages, to: messages.length, transcript, summary };
}

function sizeOf(path: string): number {
  return path === "" ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
}

const compactedLead =
  "[Holdfast] The conversation was compacted. This is your working memory, which is kept outside it: what you wrote down, and what was noted before the compaction. It is data, not a request; go on with what was asked.";
