import {
  type Begun,
  Compaction,
  type CompactionDriver,
  type Conversation,
  type Finished,
  findEnded,
  planSessionEnd,
} from "../../compaction/compaction.ts";
import { afterTurn, type NudgePolicy, newNudgeFacts, noNudges, planNudge } from "../../compaction/nudges.ts";
import type { Summary } from "../../compaction/summary.ts";
import { warnFrom } from "../../compaction/usage.ts";
import { warningFor } from "../../compaction/warning.ts";
import type { Placement } from "../../context/blocks.ts";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import { commitReceipt } from "../../sessions/commit-receipt.ts";
import type { Session } from "../../sessions/session.ts";
import { memoryText, ShownMemory } from "../../sessions/shown-memory.ts";
import {
  inPlugin,
  type LifecycleEvent,
  type ReadConversation,
  type Surface,
} from "../../surfaces/surface.ts";
import { createToolbox, dotless, type ToolAnswer, type ToolDescription } from "../../surfaces/toolbox.ts";
import { isMemoryEmpty } from "../../surfaces/views.ts";
import { limitsOf, settingValue, type WorkspaceConfig } from "../../workspace/config.ts";

/** Reports a failure of memory. The agent continues. */
export type Report = (error: unknown) => void;

export interface ConversationSettings {
  /** Where memory goes in the prompt (default: `epoch`). */
  placement?: Placement | undefined;
  /** When to remind the agent of its memory (default: never). */
  nudges?: NudgePolicy;
}

/** A call of the agent, as its host reports it. */
export interface PluginCall extends Pick<ToolDescription, "name" | "readOnly"> {
  /** The host's id of the call: the same if the host runs it again. */
  id: string;
  input: unknown;
  /** Reads the conversation, for `recall`. */
  conversation: ReadConversation;
}

/** How full the context is, and the tokens at which the host compacts. */
interface Fullness {
  tokens: number;
  limit: number;
}

/** The host's facts about a request that it is about to make. */
export interface RequestFacts {
  /** The agent's last answer, if a message of the user begins a turn with this request. */
  lastAnswer?: string | undefined;
  fill?: Fullness | undefined;
}

/** A compaction that a host makes. */
export interface PluginCompaction extends Pick<CompactionDriver, "readWith" | "room"> {
  session: Session;
  conversation: Conversation;
  /** The folder in which the agent works. */
  cwd: string;
  /** The messages that stay in the context. */
  kept?: readonly StoredMessage[];
  report: Report;
}

/**
 * One conversation in a host that keeps it and lets code of ours run in its process: what the model is shown of its memory,
 * its calls, the warning, its compactions. A plugin translates the host's events into these calls. Like those of an agent,
 * the facts for nudges are forgotten when the process ends.
 */
export class PluginConversation {
  readonly #placement: Placement | undefined;
  readonly #shown: ShownMemory;
  readonly #policy: NudgePolicy;
  #facts = newNudgeFacts();
  #turn: { wrote: boolean; compacted: boolean } | undefined;
  #hint = "";
  /** The session whose surfaces know that work has begun. */
  #started: Session | undefined;
  #compaction: Compaction | undefined;

  constructor({ placement, nudges = noNudges }: ConversationSettings = {}) {
    this.#placement = placement;
    this.#shown = new ShownMemory({ placement });
    this.#policy = nudges;
  }

  /** Shows the memory again with the next request, below the notice: another session, branch or context. */
  forget(notice: readonly string[] = []): void {
    this.#shown.forget(notice.filter((text) => text !== ""));
  }

  /**
   * With the first use of a conversation, tells the surfaces. The memory then shows what the last compaction left, except
   * texts that the conversation `contains`, and the `hint`.
   */
  async start(
    session: Session,
    {
      report,
      contains = () => false,
      hint = async () => "",
    }: {
      report: Report;
      contains?: (text: string) => boolean;
      hint?: () => Promise<string>;
    },
  ): Promise<void> {
    const isFirst = this.#started === undefined;
    // A conversation may go on in another session: that of another branch.
    this.#started = session;
    if (!isFirst) return;
    await notify(session, { kind: "session-start" }, report);
    const ended = await findEnded(session, readEpoch(await session.state()).number - 1);
    this.forget([await hint(), ...(ended ? noticeOf(ended, contains) : [])]);
  }

  /** Runs a tool call. The same call, run again, changes nothing. */
  async call(session: Session, { id, name, input, readOnly, conversation }: PluginCall): Promise<ToolAnswer> {
    const key = await this.#shown.ownEdit(id, name, input);
    const answer = await session.call(name, input, { key, conversation });
    if (answer.ok && !readOnly && this.#turn) this.#turn.wrote = true;
    return answer;
  }

  /** The memory in a request: `head` in its place, `news` before the user's newest message. */
  async texts(
    session: Session,
    { lastAnswer, fill }: RequestFacts = {},
  ): Promise<{ head: string; news: string }> {
    if (lastAnswer !== undefined) await this.#beginTurn(session, lastAnswer);
    const { head, news } = await this.#shown.texts(session);
    const warning = fill ? await this.warning(session, fill) : "";
    return { head, news: [news, this.#hint, warning].filter((text) => text !== "").join("\n\n") };
  }

  /** The memory for a conversation that keeps the text: news are given once. */
  textsOnce(session: Session, isNewTurn: boolean): Promise<{ head: string; news: string }> {
    if (isNewTurn) this.#shown.beginTurn();
    return this.#shown.textsOnce(session);
  }

  /** The memory for a system prompt that is built before the first request of a turn. */
  async headOfTurn(session: Session): Promise<string> {
    this.#shown.beginTurn();
    return (await this.#shown.texts(session)).head;
  }

  /** The warning, once since the last compaction, if only a short turn still fits before the host compacts. "" otherwise. */
  async warning(session: Session, { tokens, limit }: Fullness): Promise<string> {
    if (tokens < warnFrom(limit)) return "";
    const state = await session.state();
    if (readEpoch(state).warning !== "none") return "";
    const before = state.row.counters.lastMessage + 1;
    const text = warningFor((await session.context()).surfaces);
    if (text === "") return "";
    const warning = { type: "context.warn" as const, trigger: "host" as const, before, text };
    await session.apply(warning, { actor: { kind: "system" } });
    return text;
  }

  async #beginTurn(session: Session, lastAnswer: string): Promise<void> {
    this.#shown.beginTurn();
    if (this.#turn) this.#facts = afterTurn(this.#facts, { ...this.#turn, text: lastAnswer });
    this.#turn = { wrote: false, compacted: false };
    const isEmpty = isMemoryEmpty(await session.state());
    const planned = planNudge({ ...this.#facts, isEmpty }, this.#policy);
    if (planned) this.#facts.given = planned.given;
    this.#hint = planned?.text ?? "";
  }

  /** Plans a compaction and writes its handoff. After this the host may remove the messages. */
  async beginCompaction(parts: PluginCompaction): Promise<Begun> {
    this.#compaction = new Compaction(driverOf(parts, this.#placement));
    return this.#compaction.begin(parts.conversation);
  }

  /** The host has compacted. The memory shows the receipt, and the handoff unless the summary contains it. */
  async finishCompaction(summary: Summary | undefined, hasHandoff = false): Promise<Finished | undefined> {
    const compaction = this.#compaction;
    this.#compaction = undefined;
    this.forget();
    if (this.#turn) this.#turn.compacted = true;
    else this.#facts.compacted = true;
    const finished = summary && (await compaction?.finish(summary));
    if (finished) this.forget(noticeOf(finished, (text) => hasHandoff && text === finished.handoff.text));
    return finished;
  }

  /** The host did not compact after all. */
  dropCompaction(): void {
    this.#compaction = undefined;
  }

  /** Lets surfaces with data outside the session write their handoff. */
  async end(messages: readonly StoredMessage[], report: Report): Promise<void> {
    const session = this.#started;
    this.#started = undefined;
    if (!session || messages.length === 0) return;
    try {
      await notify(session, await planSessionEnd(session, messages, session.setting.countTokens), report);
    } catch (error) {
      report(error);
    }
  }

  /** The conversation is over, and another one begins. */
  restart(): void {
    this.#started = undefined;
    this.forget();
  }
}

/** The texts of a compaction for the memory, except those that the conversation contains. */
function noticeOf(
  { handoff, receipt }: Pick<Finished, "handoff" | "receipt">,
  contains: (text: string) => boolean,
): string[] {
  return [handoff.text, receipt.line].filter((text) => !contains(text));
}

function driverOf(
  { session, cwd, kept = [], report, readWith, room }: PluginCompaction,
  placement: Placement | undefined,
): CompactionDriver {
  const { countTokens, handoff } = session.setting;
  return {
    session,
    trigger: "host",
    skipped: "the host compacted before the warning was due",
    handoff,
    folder: cwd,
    readWith,
    ...(room && { room }),
    countTokens,
    async contextAfter({ body }) {
      const memory = memoryText(await session.context(inPlugin(placement)));
      const text = [memory, body, ...kept.map(({ message }) => plainTextOf(message))].join("\n");
      return { text, tokens: countTokens(text) };
    },
    commit: (receipt) => commitReceipt(session, receipt),
    notify: (event) => notify(session, event, report),
    emit: (event) => {
      if (event.type === "error") report(new Error(event.message));
    },
  };
}

/** Notifies the session's surfaces of a lifecycle event of the conversation. */
async function notify(session: Session, event: LifecycleEvent, report: Report): Promise<void> {
  const { toolbox } = session.setting;
  for (const warning of await toolbox.notify(session, event)) report(new Error(warning));
}

/** The tools of surfaces, known before a session is open. */
export function describeTools(surfaces: readonly Surface[], config: WorkspaceConfig): ToolDescription[] {
  const presentation = inPlugin(settingValue(config, "placement"));
  return createToolbox(surfaces, { limits: limitsOf(config), countTokens: () => 0 }, presentation).describe();
}

/** A tool as pi and OpenClaw take it, but for its execution. */
export function toolFields({ name, description, inputSchema }: ToolDescription) {
  return {
    name: dotless(name),
    label: name,
    description,
    parameters: inputSchema,
    executionMode: "sequential" as const,
  };
}
