import { readEpoch } from "../../engine/conversation.ts";
import type { Checkpoint, Epoch, Receipt } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";
import type { Reply } from "../api.ts";
import { readMessages } from "../messages.ts";
import type { Handlers, ServerContext } from "./handlers.ts";

type Compaction = Reply<"compaction">;

/** Journal entries per read while looking for the steps of a compaction. */
const batchSize = 250;
const maxWarningMessages = 20;

/** The journal entries that make up one compaction. */
interface Steps {
  compact?: JournalEntry;
  checkpoint?: JournalEntry;
  warning?: JournalEntry;
}

export function compactionHandlers({ memory }: ServerContext): Pick<Handlers, "compactions" | "compaction"> {
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
        compactions: page.map(itemOf),
        before: isMore ? (page.at(-1)?.epoch ?? null) : null,
      };
    },

    async compaction({ params: { id, epoch } }) {
      const session = await memory.resumeSession(id);
      const [receipt] = await receiptsOf(session, epoch, epoch);
      const steps = receipt ? await findSteps(session, epoch) : {};
      if (receipt && steps.compact) return assemble(session, receipt, steps.compact, steps);
      throw new HoldfastError("not_found", `Session ${id} has no compaction at the end of epoch ${epoch}.`, {
        data: { epoch },
      });
    },
  };
}

/** Newest first. */
async function receiptsOf(session: Session, from: number, to: number): Promise<Receipt[]> {
  const keys = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => String(from + index));
  const records = await session.records("receipt", keys);
  return records.map(({ value }) => value).sort((a, b) => b.epoch - a.epoch);
}

function itemOf(receipt: Receipt): Reply<"compactions">["compactions"][number] {
  const { epoch, trigger, warning, from, to, summaryBy, tokensBefore, tokensAfter, counts, line } = receipt;
  const { verified, mismatch } = receipt;
  return {
    epoch,
    trigger,
    warning,
    from,
    to,
    summaryBy,
    tokensBefore,
    tokensAfter,
    counts,
    line,
    ...(verified ? { verified } : {}),
    ...(mismatch ? { mismatch } : {}),
  };
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
      if (operation.type === "context.checkpoint") steps.checkpoint ??= entry;
      if (operation.type === "context.warn" || operation.type === "context.skip_warning") {
        if (epochAfter(entry) === epoch) steps.warning ??= entry;
      }
    }
    const oldest = entries.at(-1)?.revision ?? 1;
    if (steps.compact && steps.checkpoint && steps.warning) return steps;
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

async function assemble(
  session: Session,
  receipt: Receipt,
  compact: JournalEntry,
  { checkpoint, warning }: Steps,
): Promise<Compaction> {
  const { kept, recallable, missing, putBack } = receipt;
  const written =
    checkpoint?.operation.type === "context.checkpoint" ? checkpoint.operation.checkpoint : undefined;
  return {
    ...itemOf(receipt),
    revision: compact.revision,
    at: compact.at,
    receipt: { kept, recallable, missing, putBack },
    checkpoint:
      checkpoint && written
        ? { ...checkpointOf(written), revision: checkpoint.revision, at: checkpoint.at }
        : null,
    warningTurn: warning ? await warningTurn(session, warning) : null,
    summary: compact.operation.type === "context.compact" ? compact.operation.summary : "",
  };
}

function checkpointOf(
  checkpoint: Checkpoint,
): Omit<NonNullable<Compaction["checkpoint"]>, "revision" | "at"> {
  return { ...checkpoint };
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
