import { readEpoch } from "../../engine/conversation.ts";
import type { Epoch, Receipt } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";
import type { Reply } from "../api.ts";
import { readMessages } from "../messages.ts";
import { countedByProvider, readRemoved, removedCount } from "../removed-messages.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

type Compaction = Reply<"compaction">;

/** Journal entries per read while looking for the steps of a compaction. */
const batchSize = 250;
const maxWarningMessages = 20;

/** The journal entries that make up one compaction. */
interface Steps {
  compact?: JournalEntry;
  handoff?: JournalEntry;
  warning?: JournalEntry;
}

export function compactionHandlers(
  context: ServerContext,
): Pick<Handlers, "compactions" | "compaction" | "removedMessages"> {
  const { memory } = context;
  return {
    async compactions({ params: { id }, query: { before, limit } }) {
      const session = await memory.resumeSession(id);
      const current = readEpoch(await session.state()).number;
      const found: Receipt[] = [];
      // An epoch that ended with a fold has no receipt, so there may be fewer receipts than epochs.
      let oldest = Math.min(current, before ?? current);
      while (oldest > 1 && found.length < limit) {
        const from = Math.max(1, oldest - limit);
        found.push(...(await receiptsOf(session, from, oldest - 1)));
        oldest = from;
      }
      const page = found.slice(0, limit);
      const isMore = found.length > limit || oldest > 1;
      return {
        compactions: await itemsOf(session, page, context),
        before: isMore ? (page.at(-1)?.epoch ?? null) : null,
      };
    },

    async compaction({ params: { id, epoch } }) {
      const session = await memory.resumeSession(id);
      const [receipt] = await receiptsOf(session, epoch, epoch);
      const steps = receipt ? await findSteps(session, epoch) : {};
      const [item] = receipt ? await itemsOf(session, [receipt], context) : [];
      const isRemoved = steps.compact === undefined && (await session.historyStart()) !== undefined;
      if (!receipt || !item || !(steps.compact || isRemoved)) throw noCompaction(id, epoch);
      return assemble(session, receipt, item, steps);
    },

    async removedMessages({ params: { id, epoch }, query: { limit } }) {
      const session = await memory.resumeSession(id);
      const [receipt] = await receiptsOf(session, epoch, epoch);
      if (!receipt) throw noCompaction(id, epoch);
      return readRemoved(session, receipt, limit, context);
    },
  };
}

/** Newest first. */
async function receiptsOf(session: Session, from: number, to: number): Promise<Receipt[]> {
  const keys = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => String(from + index));
  const records = await session.records("receipt", keys);
  return records.map(({ value }) => value).sort((a, b) => b.epoch - a.epoch);
}

function noCompaction(id: string, epoch: number): HoldfastError {
  return new HoldfastError("not_found", `Session ${id} has no compaction at the end of epoch ${epoch}.`, {
    data: { epoch },
  });
}

type Item = Reply<"compactions">["compactions"][number];

async function itemsOf(
  session: Session,
  receipts: readonly Receipt[],
  { hosts }: ServerContext,
): Promise<Item[]> {
  const isHosted = receipts.some(({ trigger }) => trigger === "host");
  const conversation = isHosted ? await hosts.conversation(session.id) : undefined;
  return Promise.all(
    receipts.map(async (receipt) => {
      const { epoch, trigger, warning, skipped, from, to, summaryBy, line, verified, mismatch } = receipt;
      const { user, notepad, rest, readWith } = receipt;
      const reported = countedByProvider(conversation, epoch);
      const removed = await removedCount(session, receipt);
      const { tokensBefore, tokensAfter } = reported ?? receipt;
      const tokensBy = reported ? ("provider" as const) : ("estimate" as const);
      return {
        epoch,
        trigger,
        warning,
        skipped,
        from,
        to,
        summaryBy,
        tokensBefore,
        tokensAfter,
        tokensBy,
        removed,
        user,
        notepad,
        rest,
        readWith,
        line,
        ...(verified ? { verified } : {}),
        ...(mismatch ? { mismatch } : {}),
      };
    }),
  );
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
      if (!steps.compact) continue;
      if (ended !== undefined && ended < epoch) return steps;
      if (operation.type === "context.handoff") steps.handoff ??= entry;
      if (operation.type === "context.warn" || operation.type === "context.skip_warning") {
        if (epochAfter(entry) === epoch) steps.warning ??= entry;
      }
    }
    const oldest = entries.at(-1)?.revision ?? 1;
    if (steps.compact && steps.handoff && steps.warning) return steps;
    to = oldest - 1;
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

/** Retention may have removed the steps; the receipt and the handoff are kept. */
async function assemble(
  session: Session,
  receipt: Receipt,
  item: Item,
  { compact, handoff, warning }: Steps,
): Promise<Compaction> {
  const [written] = await session.records("handoff", [String(receipt.epoch)]);
  return {
    ...item,
    revision: compact?.revision ?? null,
    at: compact?.at ?? null,
    handoff: written
      ? { text: written.value.text, revision: handoff?.revision ?? null, at: handoff?.at ?? null }
      : null,
    warningTurn: warning ? await warningTurn(session, warning) : null,
    summary: compact?.operation.type === "context.compact" ? compact.operation.summary : "",
  };
}

async function warningTurn(
  session: Session,
  { revision, at, operation }: JournalEntry,
): Promise<Compaction["warningTurn"]> {
  if (operation.type === "context.skip_warning")
    return { revision, at, text: operation.reason, messages: [] };
  if (operation.type !== "context.warn") return null;
  const { before, text } = operation;
  const messages = await readMessages(session, before, before + maxWarningMessages - 1);
  const end = messages.findIndex(({ aside }) => !aside);
  return { revision, at, text, messages: end === -1 ? messages : messages.slice(0, end) };
}
