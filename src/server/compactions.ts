import { readEpoch } from "../engine/conversation.ts";
import type { Epoch, Receipt, RemovedMessage } from "../engine/records.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { MessageView, Reply, SessionItem } from "./api.ts";
import { callsOf, memoryText, viewCall } from "./calls.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import type { HostConversation } from "./hosts.ts";
import {
  maxListedCharacters,
  readMessages,
  summaryAlone,
  textOfMessage,
  viewHostMessage,
  viewMessage,
  whereIsTheRest,
} from "./messages.ts";

type Compaction = Reply<"compaction">;
type Facts = NonNullable<SessionItem["last"]>;

/** Journal entries per read while looking for the steps of a compaction. */
const batchSize = 250;
const maxWarningMessages = 20;
const maxCalls = 500;

export function compactionHandlers(context: ServerContext): Pick<Handlers, "compaction" | "messages"> {
  const { memory } = context;
  return {
    async compaction({ params: { id, epoch } }) {
      const session = await memory.resumeSession(id);
      const receipt = await receiptOf(session, epoch);
      const { compact, warning } = await findSteps(session, epoch);
      if (!compact && (await session.historyStart()) === undefined) throw noCompaction(id, epoch);
      const conversation = receipt.trigger === "host" ? await context.hosts.conversation(id) : undefined;
      const { summaryBy, line, verified, mismatch } = receipt;
      return {
        ...factsOf(receipt),
        summaryBy,
        ...(await sizesOf(context, session, receipt)),
        line,
        ...(verified ? { verified } : {}),
        ...(mismatch ? { mismatch } : {}),
        revision: compact?.revision ?? null,
        at: compact?.at ?? null,
        warningTurn: warning ? await warningTurn(session, warning) : null,
        ...(await givenTexts(session, receipt, compact, conversation)),
      };
    },

    async messages({ params: { id }, query }) {
      const session = await memory.resumeSession(id);
      return query.epoch === undefined
        ? readConversation(context, session, query)
        : readRemoved(context, session, await receiptOf(session, query.epoch), query);
    },
  };
}

/** The facts of a receipt: the one source of the page's facts about a compaction. */
export function factsOf(receipt: Receipt): Facts {
  const { epoch, trigger, warning, skipped, wrote, messages, user, notepad, rest, readWith } = receipt;
  const { lines, shown, tail = 0 } = notepad;
  return {
    epoch,
    trigger,
    warning,
    skipped,
    wrote,
    removed: messages,
    user,
    notepad: { lines, shown: shown + tail },
    rest,
    readWith,
  };
}

async function receiptOf(session: Session, epoch: number): Promise<Receipt> {
  const [record] = await session.records("receipt", [String(epoch)]);
  if (!record) throw noCompaction(session.id, epoch);
  return record.value;
}

function noCompaction(id: string, epoch: number): HoldfastError {
  return new HoldfastError("not_found", `Session ${id} has no compaction at the end of epoch ${epoch}.`, {
    data: { epoch },
  });
}

/** The sizes of the calls before and after it, as every other view shows them; else the receipt's estimate. */
async function sizesOf(
  context: ServerContext,
  session: Session,
  { epoch, tokensBefore, tokensAfter }: Receipt,
): Promise<Pick<Compaction, "tokensBefore" | "tokensAfter" | "tokensBy">> {
  for (let to = Number.MAX_SAFE_INTEGER; to > 0; ) {
    const page = await callsOf(session, { limit: maxCalls, to }, context);
    const shown = page.filter(({ purpose }) => purpose !== "summary");
    const before = shown.findLast((call) => call.epoch === epoch);
    const after = shown.find((call) => call.epoch > epoch);
    if (before && after) {
      const isCounted = before.basis === "provider" && after.basis === "provider";
      const tokensBy = isCounted ? ("provider" as const) : ("estimate" as const);
      return { tokensBefore: before.tokens, tokensAfter: after.tokens, tokensBy };
    }
    const oldest = page[0];
    if (!oldest || oldest.epoch < epoch || page.length < maxCalls) break;
    to = oldest.number - 1;
  }
  return { tokensBefore, tokensAfter, tokensBy: "estimate" };
}

/** The journal entries that make up one compaction. */
interface Steps {
  compact?: JournalEntry;
  warning?: JournalEntry;
}

/** Finds a compaction's entries, newest first, in batches, so that a long journal does not block other requests. */
async function findSteps(session: Session, epoch: number): Promise<Steps> {
  const steps: Steps = {};
  for (let to = (await session.state()).row.revision; to >= 1; ) {
    const entries = await session.history({ to, limit: batchSize });
    for (const entry of entries) {
      const { operation } = entry;
      const isEnd = operation.type === "context.compact" || operation.type === "context.receipt";
      const ended = isEnd ? operation.receipt.epoch : undefined;
      if (ended === epoch) steps.compact = entry;
      if (ended !== undefined && ended < epoch) return steps;
      if (steps.compact && operation.type === "context.warn" && epochAfter(entry) === epoch)
        steps.warning ??= entry;
    }
    if (steps.compact && steps.warning) return steps;
    to = (entries.at(-1)?.revision ?? 1) - 1;
    await new Promise(setImmediate);
  }
  return steps;
}

function epochAfter({ changes }: JournalEntry): number | undefined {
  const change = changes.find(
    (each) => each.type === "record" && each.kind === "epoch" && each.key === "current",
  );
  return change?.type === "record" ? (change.after as Epoch | null)?.number : undefined;
}

async function warningTurn(
  session: Session,
  { operation }: JournalEntry,
): Promise<Compaction["warningTurn"]> {
  if (operation.type !== "context.warn") return null;
  const { before, text } = operation;
  const messages = await readMessages(session, before, before + maxWarningMessages - 1);
  const end = messages.findIndex(({ inWarning }) => !inWarning);
  return { text, messages: end === -1 ? messages : messages.slice(0, end) };
}

/** The handoff and the summary as the model got them, byte for byte where the bytes are known. */
async function givenTexts(
  session: Session,
  { epoch, line }: Receipt,
  compact: JournalEntry | undefined,
  conversation: HostConversation | undefined,
): Promise<Pick<Compaction, "handoff" | "summary">> {
  const operation = compact?.operation;
  if (operation?.type === "context.compact")
    return {
      handoff: { text: operation.summary, source: "prompt" },
      summary: summaryAlone(operation.summary),
    };
  // The host may have compacted before Holdfast was there, so count from the end.
  const current = readEpoch(await session.state()).number;
  const compactions = conversation?.compactions ?? [];
  const found = compactions[compactions.length - (current - epoch)];
  // Two compactions may have the same line.
  const injected = conversation?.messages
    .filter(({ isMemory, number }) => isMemory && number > (found?.to ?? 0))
    .map(({ stored }) => memoryText(stored))
    .find((text) => line !== "" && text.includes(line));
  const [written] = await session.records("handoff", [String(epoch)]);
  const recorded = [written?.value.text ?? "", line].filter((text) => text !== "").join("\n\n");
  return {
    handoff:
      injected === undefined
        ? { text: recorded, source: "record" }
        : { text: injected, source: "transcript" },
    summary: found?.summary ?? "",
  };
}

interface MessageQuery {
  before?: number | undefined;
  after?: number | undefined;
  call?: number | undefined;
  q: string;
  limit: number;
  whole: boolean;
}

/** A page of the session's own messages, or of its host's transcript. */
async function readConversation(
  { hosts, past }: ServerContext,
  session: Session,
  { before, after, call, limit, whole }: MessageQuery,
): Promise<Reply<"messages">> {
  const now = await session.state();
  const recorded = call === undefined ? undefined : await session.calls.read(call);
  const then = recorded ? (await past.at(session, viewCall(recorded).revision)).state : now;
  const { lastMessage } = then.row.counters;
  const hosted = now.row.counters.lastMessage === 0 ? await hosts.conversation(session.id) : undefined;
  const conversation = hosted && conversationAt(hosted, call);
  const last = conversation?.messages.length ?? lastMessage;
  const to = after === undefined ? Math.min(last, (before ?? last + 1) - 1) : Math.min(last, after + limit);
  const from = after === undefined ? Math.max(1, to - limit + 1) : after + 1;
  const max = whole ? Number.MAX_SAFE_INTEGER : maxListedCharacters;
  const messages = conversation
    ? await readTranscript(session, conversation, from, to, max)
    : await readMessages(session, from, to, max, then);
  return {
    messages,
    first: messages[0]?.number ?? 0,
    last,
    total: last,
    before: messages.length > 0 && from > 1 ? from : null,
    after: messages.length > 0 && to < last ? to : null,
    isPreview: false,
  };
}

/** The conversation as its call was sent it. */
function conversationAt(conversation: HostConversation, number: number | undefined): HostConversation {
  const call = number === undefined ? undefined : conversation.calls[number - 1];
  if (!call) return conversation;
  return {
    ...conversation,
    messages: conversation.messages.slice(0, call.to),
    compactions: conversation.compactions.slice(0, call.compactions),
    earlier: Math.min(conversation.earlier, call.from - 1),
  };
}

export async function readTranscript(
  session: Session,
  { messages, compactions, earlier }: HostConversation,
  from: number,
  to: number,
  max: number,
): Promise<MessageView[]> {
  const removed = compactions.at(-1)?.to ?? earlier;
  const rest = await whereIsTheRest(session);
  return messages
    .slice(Math.max(0, from - 1), to)
    .map((message) => viewHostMessage(message, message.number <= removed ? rest : "in context", max));
}

/** The messages that a compaction removed: the session's own, its host's, or the lines kept of them. */
async function readRemoved(
  { hosts }: ServerContext,
  session: Session,
  receipt: Receipt,
  { q, limit, before, after, whole }: MessageQuery,
): Promise<Reply<"messages">> {
  const { epoch, from, to, rest } = receipt;
  const max = whole ? Number.MAX_SAFE_INTEGER : maxListedCharacters;
  const full = Number.MAX_SAFE_INTEGER;
  const [removed] = await session.records("removed", [String(epoch)]);
  const own = receipt.trigger === "host" ? [] : await readOwn(session, epoch, Math.max(1, from), to);
  const { transcript = "", transcriptSize = 0, previews = [], messages: total = 0 } = removed?.value ?? {};
  const read = own.length > 0 ? [] : hosts.removed(session.id, transcript, transcriptSize);
  // A transcript that was rewritten since has other messages under these numbers.
  const hosted = read.length === total ? read.map((message) => viewHostMessage(message, rest, full)) : [];
  const readable = own.length > 0 ? own : hosted;
  const isPreview = readable.length === 0 && previews.length > 0;
  const all = isPreview ? previews.map((line) => viewPreview(line, rest)) : readable;
  const wanted = q.trim().toLowerCase();
  const found = all.filter(
    (message) =>
      (wanted === "" || textOfMessage(message).toLowerCase().includes(wanted)) &&
      message.number > (after ?? 0) &&
      message.number < (before ?? Number.MAX_SAFE_INTEGER),
  );
  const page = found.slice(-limit);
  return {
    messages: page.map((message) => shorten(message, max)),
    first: page[0]?.number ?? 0,
    last: page.at(-1)?.number ?? 0,
    total: Math.max(receipt.messages, all.length),
    before: found.length > page.length ? (page[0]?.number ?? null) : null,
    after: null,
    isPreview,
  };
}

/** The session's own messages that a compaction removed. The turns of earlier warnings left with their compactions. */
async function readOwn(session: Session, epoch: number, from: number, to: number): Promise<MessageView[]> {
  const messages = await readMessages(session, from, to, Number.MAX_SAFE_INTEGER);
  if (!messages.some(({ inWarning }) => inWarning)) return messages;
  const { warning } = await findSteps(session, epoch);
  const warned = warning?.operation.type === "context.warn" ? warning.operation.before : to + 1;
  return messages.filter(({ inWarning, number }) => !inWarning || number >= warned);
}

function shorten(message: MessageView, max: number): MessageView {
  const parts = message.parts.map((part) =>
    part.text.length > max ? { ...part, text: part.text.slice(0, max).toWellFormed(), cut: true } : part,
  );
  return { ...message, parts };
}

function viewPreview({ number, role, line }: RemovedMessage, rest: Receipt["rest"]): MessageView {
  return viewMessage(number, { message: { role, content: line } }, rest, maxListedCharacters);
}
