import { refreshedText } from "../compaction/warning.ts";
import { messageOfCall } from "../context/conversation.ts";
import { chooseEnds, renderEnds } from "../context/excerpt.ts";
import { blocksOf, changesSince, shownIn, showsOldHint } from "../context/shown-memory.ts";
import { agentDefaults } from "../engine/agent-defaults.ts";
import { readEpoch, readShownChanges, readSnapshot } from "../engine/conversation.ts";
import type { ShownBlock } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { Session } from "../sessions/session.ts";
import type { JournalEntry } from "../surfaces/operations.ts";
import type { AgentConfig } from "./options.ts";
import { asSystem, type TurnRun } from "./run.ts";

/** The writes that the agent cannot see in its own tool calls, each read from the journal once. */
export class UnseenWrites {
  readonly #session: Session;
  /** The revision up to which the journal has been read. */
  #read = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Skips a revision that the agent loop itself stored, unless another write came in between. */
  skipOwnWrite(state: State, revision: number): void {
    if (Math.max(readEpoch(state).shownAt, this.#read) === revision - 1) this.#read = revision;
  }

  /** The writes since the model was last shown its memory, or since they were last read. */
  async next(state: State): Promise<JournalEntry[]> {
    const from = Math.max(readEpoch(state).shownAt, this.#read) + 1;
    const { revision } = state.row;
    this.#read = revision;
    const entries = from > revision ? [] : await this.#session.history({ from, to: revision });
    return entries.filter(isUnseen);
  }
}

/** Writes by others or by a program in the agent's name, and the end of a task, which hides the calls in it. */
function isUnseen({ actor, operation: { type }, key }: JournalEntry): boolean {
  if (actor.kind === "system" || type.startsWith("messages.")) return false;
  return (
    actor.kind !== "agent" ||
    messageOfCall(key) === undefined ||
    type === "tasks.end" ||
    type === "tasks.cancel"
  );
}

/** At the start of a turn: shows each block of memory that has changed, whole, before the next message. */
export async function showChanges(run: TurnRun): Promise<void> {
  if (run.config.placement !== "epoch") return;
  const state = await run.agent.session.state();
  await show(run, state, await run.agent.unseen.next(state));
}

/**
 * Within a turn: shows what the agent cannot see in its own tool calls at once, and once per turn the notepad that it has
 * edited.
 */
export async function showNews(run: TurnRun): Promise<void> {
  const { agent, config } = run;
  if (config.placement !== "epoch") return;
  const state = await agent.session.state();
  const unseen = await agent.unseen.next(state);
  const changed = changesSince(shownIn(state), config.toolbox.context(state)).map(({ surface }) => surface);
  // A file or the agent's knowledge may have changed outside the session.
  const isOutside = changed.some((surface) => config.toolbox.changeable.has(surface));
  if (unseen.length > 0 || isOutside || (changed.includes("notepad") && (await isFirstEdit(run, state))))
    await show(run, state, unseen);
}

/** Whether this turn has not shown the notepad yet. */
async function isFirstEdit({ agent }: TurnRun, state: State): Promise<boolean> {
  const messages = await agent.messages(state);
  const turn = messages.findLast(({ message }) => message.role === "user")?.number ?? 0;
  return !readShownChanges(state).some(({ surface, before }) => surface === "notepad" && before > turn);
}

function isNotepadWrite({ changes }: JournalEntry): boolean {
  return changes.some((change) => change.type === "text" && change.target === "notepad");
}

async function show(run: TurnRun, state: State, unseen: readonly JournalEntry[]): Promise<void> {
  const { agent, config } = run;
  const context = config.toolbox.context(state);
  if (showsOldHint(readSnapshot(state), context)) return refreshSnapshot(run, state);
  // A person may have undone an edit that the model sees in its own calls.
  const again = unseen.some(isNotepadWrite) ? ["notepad"] : [];
  const changes = changesSince(shownIn(state), context, again);
  if (changes.length === 0) return;
  const cut = cutTo(config, context.guidance);
  await agent.session.apply(
    {
      type: "context.show",
      before: state.row.counters.lastMessage + 1,
      shownAt: state.row.revision,
      blocks: changes.map(cut),
    },
    asSystem,
  );
}

/** Cuts a block that would take more than half of memory's share of the window. Pins are never cut. */
function cutTo({ memoryRoom, countTokens }: AgentConfig, guidance: string) {
  const room = memoryRoom(guidance) / 2;
  return (block: ShownBlock): ShownBlock => {
    // A token has at least one character in most texts, so a short text need not be counted.
    if (block.surface === "pins" || block.text.length <= room) return block;
    const ends = chooseEnds(block.text, room, countTokens);
    return ends ? { ...block, text: renderEnds(block.text, ends, cutNote), cutFrom: block.text } : block;
  };
}

const cutNote =
  "[Not shown here: the middle, because it is too long for the context window. Read it with your memory tools.]";

/** Minutes that providers keep a prompt in their cache. */
const cacheMinutes = 5;

/**
 * Once the provider's cache has expired, keeping the prompt's bytes unchanged saves nothing, so a new snapshot of the
 * memory replaces the changes. See docs/decisions.md, 4.
 */
export async function refreshWhenCold(run: TurnRun): Promise<void> {
  const { agent, config } = run;
  if (config.placement !== "epoch") return;
  const state = await agent.session.state();
  // Notices belong to no block, and the line about a new snapshot to all of them.
  if (readShownChanges(state).every(({ surface }) => surface === "" || surface === "memory")) return;
  const messages = await agent.messages(state);
  const last = messages.findLast(({ message }) => message.role === "assistant");
  if (last && config.clock() - last.at > cacheMinutes * 60_000) await refreshSnapshot(run, state);
}

/** Memory may exceed its share by this factor before the snapshot is refreshed, which rewrites the prompt. */
const slack = 1.1;

/** A new snapshot replaces the changes once the copies of memory in the prompt exceed its share of the window. */
export async function refreshWhenLarge(run: TurnRun): Promise<void> {
  const { agent, config } = run;
  const { usage, state, context } = await agent.prompt(run);
  const { contextWindow } = config.policy;
  const limit = contextWindow * (config.options.memoryShare ?? agentDefaults.memoryShare) * slack;
  if (config.placement !== "epoch" || usage.memory <= limit) return;
  const texts = [context.guidance, ...context.blocks.map(({ text }) => text)];
  const fresh = texts.reduce((sum, text) => sum + config.tokenizer.count(text), 0);
  if (fresh * slack < usage.memory) await refreshSnapshot(run, state);
}

/** The system prompt shows the memory as it is now, and a line in the conversation tells it. */
async function refreshSnapshot({ agent }: TurnRun, state: State): Promise<void> {
  const messages = await agent.messages(state);
  const end = state.row.counters.lastMessage;
  const before = messages.at(-1)?.message.role === "user" ? end : end + 1;
  await agent.session.change(
    (now) => ({
      type: "context.refresh" as const,
      blocks: blocksOf(agent.context(now)),
      before,
      notice: refreshedText,
    }),
    () => false,
    asSystem,
  );
}
