import { isFinalAnswer, toStored } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { Checkpoint } from "../../engine/records.ts";
import type { State } from "../../engine/state.ts";
import { oneLine } from "../../engine/text.ts";
import type { Session } from "../../sessions/session.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { readChildren } from "../../surfaces/sessions/operations.ts";
import type { Reply } from "../api.ts";
import { findSteps } from "./compactions.ts";
import type { Handlers, ServerContext } from "./handlers.ts";
import { budgetsOf } from "./memory.ts";

type Item = Reply<"attention">["items"][number];
type Action = Item["action"];

/** A budget this full needs a person's eye. */
const nearlyFull = 0.9;
/** Older failures of hooks are history (milliseconds). */
const recentFailure = 24 * 3_600_000;
const maxPerKind = 3;
const maxText = 160;

/** What a person should look at, the most urgent first. */
export function attentionHandlers(context: ServerContext): Pick<Handlers, "attention"> {
  return {
    async attention({ params: { id } }) {
      const session = await context.memory.resumeSession(id);
      const state = await session.state();
      const checkpoint = await lastCheckpoint(session, state);
      return {
        items: [
          ...(await lost(session, state)),
          ...failedHooks(context, id),
          ...fullBudgets(context, state),
          ...(await openAsks(session, state, checkpoint)),
          ...(await staleRefs(context, state)),
          ...(await changedFiles(context, checkpoint)),
          ...failedChildren(state),
        ],
      };
    },
  };
}

function view(tab: NonNullable<Action["tab"]>, label: string, item: number | null = null): Action {
  return { label, tab, item, command: null };
}

async function lost(session: Session, state: State): Promise<Item[]> {
  const epoch = readEpoch(state).number - 1;
  const [receipt] = epoch < 1 ? [] : await session.records("receipt", [String(epoch)]);
  const missing = receipt?.value.counts.missing ?? 0;
  if (missing === 0) return [];
  const text = `The last compaction lost ${missing} ${missing === 1 ? "thing" : "things"}.`;
  return [{ kind: "lost", text, action: view("compaction", "See which", epoch) }];
}

function failedHooks({ hosts, clock }: ServerContext, id: string): Item[] {
  const host = hosts.about(id)?.host;
  if (host === undefined) return [];
  const recent = hosts.failures().filter((each) => each.host === host && clock() - each.at < recentFailure);
  const [newest] = recent;
  if (!newest) return [];
  const times = recent.length === 1 ? "A hook failed" : `${recent.length} hooks failed`;
  return [
    {
      kind: "hook",
      text: oneLine(`${times} in the last day: ${newest.message}`, maxText),
      action: { label: "Check", tab: null, item: null, command: "holdfast doctor" },
    },
  ];
}

function fullBudgets({ memory }: ServerContext, state: State): Item[] {
  return budgetsOf(state, memory.setting.limits).flatMap(({ label, used, limit, atLimit }): Item[] => {
    if (limit === 0 || used / limit < nearlyFull) return [];
    const text = `${label}: ${Math.floor((100 * used) / limit)} % full. When full: ${atLimit}`;
    return [{ kind: "budget", text, action: view("memory", "Shorten it") }];
  });
}

/** The asks that were open at the last compaction, unless the agent has answered since. */
async function openAsks(session: Session, state: State, checkpoint: Checkpoint | undefined): Promise<Item[]> {
  if (!checkpoint || (await hasAnswered(session, state))) return [];
  return checkpoint.openAsks.slice(0, maxPerKind).map((ask) => ({
    kind: "ask" as const,
    text: `Open ask: ${oneLine(ask, maxText)}`,
    action:
      checkpoint.askedIn === undefined
        ? view("compaction", "See the checkpoint", checkpoint.epoch)
        : view("conversation", "Read it", checkpoint.askedIn),
  }));
}

async function hasAnswered(session: Session, state: State): Promise<boolean> {
  const last = state.row.counters.lastMessage;
  const [message] = last === 0 ? [] : await session.messages(last, last);
  return message !== undefined && isFinalAnswer(toStored(last, message));
}

async function staleRefs({ checkRef }: ServerContext, state: State): Promise<Item[]> {
  const { refs } = readScratchpad(state);
  const states = await Promise.all(refs.map(checkRef));
  const stale = refs.filter((_, index) => states[index] === "stale");
  return stale.slice(0, maxPerKind).map((ref) => ({
    kind: "reference" as const,
    text: `${oneLine(ref, maxText)} no longer exists, but memory refers to it.`,
    action: view("memory", "See the references"),
  }));
}

/** Files that the agent read before the last compaction and that have changed since: it may rely on what they said. */
async function changedFiles(
  { changedAt }: ServerContext,
  checkpoint: (Checkpoint & { at: number }) | undefined,
): Promise<Item[]> {
  if (!checkpoint) return [];
  const changed: string[] = [];
  for (const path of checkpoint.filesRead) {
    if (changed.length >= maxPerKind) break;
    const at = await changedAt(path);
    if (at !== undefined && at > checkpoint.at && !checkpoint.filesWritten.includes(path)) changed.push(path);
  }
  return changed.map((path) => ({
    kind: "file" as const,
    text: `${oneLine(path, maxText)} changed since the agent read it.`,
    action: view("compaction", "See the checkpoint", checkpoint.epoch),
  }));
}

function failedChildren(state: State): Item[] {
  const failed = readChildren(state).filter(([, { status }]) => status === "error" || status === "lost");
  return failed.slice(0, maxPerKind).map(([, { task, status }]) => ({
    kind: "delegated" as const,
    text: `Delegated work ${status === "lost" ? "was lost" : "failed"}: ${oneLine(task, maxText)}`,
    action: view("timeline", "See the timeline"),
  }));
}

/** The checkpoint of the last compaction, with its time. */
async function lastCheckpoint(
  session: Session,
  state: State,
): Promise<(Checkpoint & { at: number }) | undefined> {
  const epoch = readEpoch(state).number - 1;
  const [checkpoint] = epoch < 1 ? [] : await session.records("checkpoint", [String(epoch)]);
  if (!checkpoint) return undefined;
  const { compact } = await findSteps(session, epoch);
  return { ...checkpoint.value, at: compact?.at ?? state.row.updatedAt };
}
