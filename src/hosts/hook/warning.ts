import { setTimeout } from "node:timers/promises";
import { warnFrom } from "../../compaction/usage.ts";
import { nowhereToSave, warningFor } from "../../compaction/warning.ts";
import { offers } from "../../workspace/config.ts";
import { surfaceChoices } from "../../workspace/settings.ts";
import { compactionLimit, type Fill, learnLimit, readFill } from "../context-fill.ts";
import { findHookSession, type HookContext, openHookSession } from "./session.ts";

/** The warning before a compaction, if one is near and the agent was not warned of it yet; "" otherwise. */
export async function dueWarning(hook: HookContext): Promise<string> {
  const text = warningText(hook);
  if (text === "" || hook.state.warned || !(await isNear(hook))) return "";
  hook.state.warned = { revision: hook.state.seen };
  return text;
}

/** The same at the end of a turn, once, also for an agent that was warned and has written nothing since. */
export async function dueWarningAtEnd(hook: HookContext): Promise<string> {
  const { state, event } = hook;
  const text = warningText(hook);
  if (!event.host.compaction.warnsAtTurnEnd || event.isContinued || state.warned?.isRepeated) return "";
  if (text === "" || !(await isNear(hook)) || (await hasAnswered(hook))) return "";
  state.warned = { revision: state.seen, ...state.warned, isRepeated: true };
  return text;
}

/** Records that the agent was warned. */
export async function recordWarning(hook: HookContext, text: string): Promise<void> {
  const session = await openHookSession(hook);
  const before = (await session.state()).row.counters.lastMessage + 1;
  const warning = { type: "context.warn" as const, trigger: "host" as const, before, text };
  const { revision } = await session.apply(warning, { actor: { kind: "system" } });
  if (hook.state.warned) hook.state.warned.revision = revision;
}

/**
 * Whether an automatic compaction waits for one more request: the agent was warned, it has not answered, and the request
 * still fits. Also records the fill at which this host compacts.
 */
export async function putsOffCompaction(hook: HookContext): Promise<boolean> {
  const { state, event, project } = hook;
  const { limit, putOffRoom } = event.host.compaction;
  if (event.isManual || state.warned?.isPutOff) return false;
  const fill = readFill(event.host, event.transcript);
  if (!fill) return false;
  const usual = limit?.(fill, project.root);
  learn(hook, fill, usual);
  if (putOffRoom === undefined || usual === undefined || fill.tokens > usual + putOffRoom) return false;
  if (!state.warned || (await hasAnswered(hook))) return false;
  state.warned.isPutOff = true;
  return true;
}

/** A host may also compact an idle conversation, which tells nothing of its limit. */
function learn({ event, fail }: HookContext, fill: Fill, usual: number | undefined): void {
  if (usual !== undefined && fill.tokens < usual / 2) return;
  try {
    learnLimit(event.host, fill);
  } catch (error) {
    fail(error);
  }
}

/** Why the agent was not warned of the compaction that begins now. */
export function whyNotWarned(hook: HookContext): string {
  const { event } = hook;
  if (event.isManual) return "the user asked for the compaction";
  if (warningText(hook) === "") return nowhereToSave;
  if (!event.host.transcript?.readUsage) return "the agent does not report how full its context is";
  if (!event.host.compaction.limit) return "the size at which the agent compacts was not known";
  return "the context grew past the limit in one step";
}

/**
 * How long to wait for a host that writes the usage of a call to its transcript a moment after the call, in milliseconds.
 * An estimate of the call would miss what only the provider counts.
 */
const [lag, interval] = [300, 20];

/** Whether a compaction is near. Waits only above a quarter of the limit, and at the end of a turn without any usage yet. */
async function isNear({ event, project, state }: HookContext): Promise<boolean> {
  if (event.fill) return event.fill.tokens >= warnFrom(event.fill.limit);
  const lastText = event.kind === "turn-end" ? event.lastText : "";
  for (let waited = 0; ; waited += interval) {
    const fill = readFill(event.host, event.transcript || (state.transcript ?? ""), {
      results: event.results,
      lastText,
      since: state.compactedAt,
    });
    const limit = fill && compactionLimit(event.host, fill, project.root);
    if (fill && limit !== undefined && fill.tokens >= warnFrom(limit)) return true;
    const mayBeMore = fill
      ? !fill.isCurrent && limit !== undefined && fill.tokens >= limit / 4
      : lastText !== "";
    if (!mayBeMore || waited >= lag) return false;
    await setTimeout(interval);
  }
}

/** Whether the agent has written to its memory since it was warned. */
async function hasAnswered(hook: HookContext): Promise<boolean> {
  const { warned } = hook.state;
  if (!warned) return false;
  const session = await findHookSession(hook);
  const since = await session?.history({ from: warned.revision + 1, limit: 1_000 });
  return since?.some(({ actor }) => actor.kind === "agent") ?? false;
}

function warningText({ config }: HookContext): string {
  return warningFor(surfaceChoices.filter((surface) => offers(config, surface)));
}
