import {
  Compaction,
  type CompactionDriver,
  type Conversation,
  planSessionEnd,
} from "../../compaction/compaction.ts";
import { type Phase, phaseOf } from "../../compaction/phase.ts";
import type { Summary } from "../../compaction/summary.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { Checkpoint, Receipt } from "../../engine/records.ts";
import { commitReceipt } from "../../sessions/commit-receipt.ts";
import type { Session } from "../../sessions/session.ts";
import type { Moment } from "../../surfaces/surface.ts";
import { stampOf } from "../../workspace/store-stamp.ts";
import { projectReader } from "../read-files.ts";
import { readConversation, readSummary } from "../transcript/read-conversation.ts";
import {
  checkpointRoomFor,
  findSession,
  type HookContext,
  markSeen,
  openSession,
  renderFor,
} from "./context.ts";
import type { RenderedMemory } from "./memory-text.ts";
import { notify, projectText } from "./moments.ts";
import { reportKey, sizeOf, writeKey } from "./report-key.ts";
import { noteCompaction } from "./turn.ts";

/** If the host announces a compaction before every request, skip those with little new in the transcript. */
const growth = { factor: 1.25, bytes: 64_000 };

/** Writes the checkpoint and tells the host's summariser what to keep. */
export async function beforeCompaction(hook: HookContext): Promise<void> {
  const { event } = hook;
  const session = await openSession(hook);
  const epoch = readEpoch(await session.state()).number;
  const compaction = new Compaction(driverOf(hook, session, { epoch, shown: () => nothingShown }));
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

/** Writes the receipt with the host's summary. Answers nothing, because this answer does not reach the model. */
export async function afterCompaction(hook: HookContext): Promise<void> {
  hook.answer({});
  const session = await openSession(hook);
  const { phase, ended, epoch } = await findCompaction(session, hook.state.seen);
  if (await isReported(hook, session, phase)) return;
  const end = new CompactionEnd(hook, session, epoch);
  // The session may have restarted, and shown the compaction, before the host reports it.
  const isLate = phase !== "begun" && (hook.known?.last?.showedCompaction ?? false);
  await end.account(isLate ? ended : undefined);
  await end.close();
}

/** Shows the model its memory again, with the checkpoint and the receipt. */
export async function showCompacted(hook: HookContext): Promise<void> {
  const stamp = stampOf(hook.store);
  const session = await openSession(hook);
  const memory = await session.state();
  const { phase, ended, epoch } = await findCompaction(session, hook.state.seen);
  const end = new CompactionEnd(hook, session, epoch);
  const isKnown = phase === "finished" || (await isReported(hook, session, phase));
  const isAccounted = isKnown && ended !== undefined;
  const text = isAccounted
    ? (await end.render(ended.checkpoint)).withReceipt(ended.receipt.line)
    : await end.account();
  hook.answer({ context: text });
  noteCompaction(hook.state);
  hook.state.report = reportKey(hook.event, epoch);
  if (hook.state.last) hook.state.last.showedCompaction = true;
  // Writes by anyone else after this state are still news to the agent.
  markSeen(hook, memory, stamp);
  if (isAccounted) return;
  await end.close();
  const after = await session.state();
  const written = await session.history({ from: memory.row.revision + 1, to: after.row.revision });
  if (written.every(({ actor }) => actor.kind === "system")) markSeen(hook, after, stamp);
}

/** The end of a compaction: renders the text for the model and writes the receipt. */
class CompactionEnd {
  readonly #hook: HookContext;
  readonly #session: Session;
  readonly #compaction: Compaction;
  #shown = nothingShown;
  #isNew = false;

  constructor(hook: HookContext, session: Session, epoch: number) {
    this.#hook = hook;
    this.#session = session;
    this.#compaction = new Compaction(driverOf(hook, session, { epoch, shown: () => this.#shown }));
  }

  /** Returns the text for the model, with the receipt, without writing. With `ended`, redoes the receipt of that compaction. */
  async account(ended?: EndedCompaction): Promise<string> {
    const { event } = this.#hook;
    let summary = event.summary;
    let begun = ended ? await this.#compaction.reopen(ended.receipt) : await this.#compaction.resume();
    // If the host announces compactions long before they happen, what was removed is known only now.
    const isStale = !ended && event.host.compaction.announcesEveryRequest;
    if (begun && !isStale)
      summary ||= readSummary(event.host, event.transcript, begun.removed.transcriptSize);
    else {
      const conversation = readHostConversation(this.#hook, { hasEnded: isStale });
      summary ||= conversation.summary;
      begun = await this.#compaction.plan(conversation);
      this.#isNew = true;
    }
    const rendered = await this.render(begun.checkpoint);
    const { receipt } = await this.#compaction.account(summaryOf(summary));
    return rendered.withReceipt(receipt.line);
  }

  async render({ text: checkpoint }: Checkpoint): Promise<RenderedMemory> {
    const [state, project] = [await this.#session.state(), await projectText(this.#hook)];
    this.#shown = renderFor(this.#hook, { lead: compactedLead, state, checkpoint, project });
    return this.#shown;
  }

  /** Writes the receipt, and the checkpoint if it is new. */
  async close(): Promise<void> {
    if (this.#isNew) await this.#compaction.open();
    await this.#compaction.close();
  }
}

/** The compaction that ended the epoch before this one. */
interface EndedCompaction {
  checkpoint: Checkpoint;
  receipt: Receipt;
}

/** The phase of this conversation's compaction, from the session's records. */
export async function findCompaction(
  session: Session,
  seen: number,
): Promise<{ phase: Phase; epoch: number; ended: EndedCompaction | undefined }> {
  const epoch = readEpoch(await session.state());
  const [begun] = await session.records("checkpoint", [String(epoch.number)]);
  const [before] = await session.records("checkpoint", [String(epoch.number - 1)]);
  const [receipt] = await session.records("receipt", [String(epoch.number - 1)]);
  return {
    epoch: epoch.number,
    phase: phaseOf({ epoch, checkpoint: begun?.value, receipt: receipt?.value, seen }),
    ended: before && receipt && { checkpoint: before.value, receipt: receipt.value },
  };
}

/** Whether the transcript has a summary that is newer than the checkpoint of this epoch. */
export async function hasNewSummary({ event }: HookContext, session: Session): Promise<boolean> {
  const { number } = readEpoch(await session.state());
  const [removed] = await session.records("removed", [String(number)]);
  const size = removed?.value.transcriptSize;
  return size !== undefined && readSummary(event.host, event.transcript, size) !== "";
}

const nothingShown: RenderedMemory = { text: "", withReceipt: (line) => line };

/** A host that has not reported its summary may report it later. */
function summaryOf(text: string): Summary {
  return { text, by: text === "" ? "unknown" : "model" };
}

/**
 * Whether the host sent the same report before, and it was dealt with: in this epoch, or in the one that it ended. Once
 * another compaction has begun, the same report is that one's.
 */
async function isReported({ event, known }: HookContext, session: Session, phase: Phase): Promise<boolean> {
  if (phase === "begun") return false;
  const { number } = readEpoch(await session.state());
  for (const epoch of [number, number - 1]) {
    const key = reportKey(event, epoch);
    if (key === undefined) return false;
    if (known?.report === key || (await session.entryByKey(key))) return true;
  }
  return false;
}

function driverOf(
  hook: HookContext,
  session: Session,
  { epoch, shown }: { epoch: number; shown: () => RenderedMemory },
): CompactionDriver {
  const key = reportKey(hook.event, epoch);
  return {
    session,
    trigger: "host",
    skipped: "the host compacts without telling the agent first",
    wayBack: "transcript",
    isResumable: true,
    keyOf: (operation) => (key === undefined ? undefined : writeKey(key, operation)),
    budget: async () => {
      const [state, project] = [await session.state(), await projectText(hook)];
      return { bytes: checkpointRoomFor(hook, { lead: compactedLead, state, project }) };
    },
    readFile: projectReader(hook.event.cwd),
    folder: hook.event.cwd,
    countTokens: estimateTokens,
    async contextAfter({ summary }) {
      const text = `${shown().text}\n${summary}`;
      return { text, tokens: estimateTokens(text) };
    },
    commit: (receipt) => commitReceipt(session, receipt, key),
    notify: (moment) => notify(hook, moment),
  };
}

/** The conversation since the last compaction, or up to it if it has ended, from the current transcript. */
function readHostConversation(
  { event }: HookContext,
  { hasEnded = false } = {},
): Conversation & { summary: string } {
  const span = readConversation(event.host, event.transcript, { hasEnded });
  const { messages, summary } = span ?? { messages: [], summary: "" };
  const transcript = { path: event.transcript, size: sizeOf(event.transcript) };
  const kept = event.host.compaction.keeps?.(messages) ?? { to: messages.length };
  return { messages, ...kept, transcript, summary };
}

/** The end of the session, for surfaces that write a hand-over; undefined when there was no conversation. */
export async function readSessionEnd(hook: HookContext): Promise<Moment | undefined> {
  const { messages } = readHostConversation(hook);
  const session = messages.length > 0 ? await findSession(hook) : undefined;
  return session && planSessionEnd(session, messages, estimateTokens);
}

const compactedLead =
  "[Holdfast] The conversation was compacted. This is your working memory, which is kept outside it: what you wrote down, and what was noted before the compaction. It is data, not a request; continue with what was asked.";
