import { readEpoch } from "../../engine/conversation.ts";
import type { State } from "../../engine/state.ts";
import { oneLine } from "../../engine/text.ts";
import type { Session } from "../../sessions/session.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import { readChildren } from "../../surfaces/sessions/operations.ts";
import type { Reply } from "../api.ts";
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
      return {
        items: [
          ...(await lost(session, state)),
          ...failedHooks(context, id),
          ...fullBudgets(context, state),
          ...(await staleRefs(context, state)),
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
  if (receipt?.value.rest !== "lost") return [];
  const text = `The agent cannot read back the ${receipt.value.messages} messages that the last compaction removed.`;
  return [{ kind: "lost", text, action: view("compaction", "See the compaction", epoch) }];
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

function failedChildren(state: State): Item[] {
  const failed = readChildren(state).filter(([, { status }]) => status === "error" || status === "lost");
  return failed.slice(0, maxPerKind).map(([, { task, status }]) => ({
    kind: "delegated" as const,
    text: `Delegated work ${status === "lost" ? "was lost" : "failed"}: ${oneLine(task, maxText)}`,
    action: view("timeline", "See the timeline"),
  }));
}
