import { Compaction } from "../../compaction/compaction.ts";
import type { AskInPlace, AskSummariser } from "../../compaction/summary.ts";
import { plainTextOf } from "../../context/conversation.ts";
import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import { memoryText, ShownMemory } from "../../sessions/shown-memory.ts";
import { inPlugin } from "../../surfaces/surface.ts";
import { isNothingKept } from "../../surfaces/views.ts";
import { explainProblems } from "../../workspace/config-problems.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { earlierSessions } from "../earlier-sessions.ts";
import { notify, notifyEnd, pluginDriver } from "../plugin/driver.ts";
import { ProjectMemories } from "../plugin/project-memories.ts";
import { TurnNudges } from "../plugin/turn-nudges.ts";
import { sessionIdOf } from "../session-link.ts";
import type { DshAgent, DshCall, DshMessage } from "./api.ts";
import { earlierSummary, storedMessages, textOf } from "./messages.ts";

const host = "dsh";

interface Conversation {
  agent: DshAgent;
  shown: ShownMemory;
  nudges: TurnNudges;
  /** The last notice about changes by others, which is not repeated. */
  told: string;
  isStarted: boolean;
  /** The compaction whose summary the host has not stored yet. */
  compaction?: Compaction | undefined;
}

export type Report = (event: string, error: unknown, cwd: string) => void;

/** How the engine asks a model for a summary. */
export interface SummaryModel {
  ask: AskSummariser;
  askInPlace: AskInPlace;
  contextWindow: number;
  signal: AbortSignal;
}

/** The memories of all conversations of one DeepSeek Harness process. */
export class DshMemory {
  readonly #memories: ProjectMemories;
  readonly #conversations = new Map<string, Conversation>();
  readonly #report: Report;

  constructor(report: Report, memories = new ProjectMemories()) {
    this.#report = report;
    this.#memories = memories;
  }

  /** The memory as the system prompt shows it; the same text until a compaction. */
  async head(agent: DshAgent): Promise<string> {
    const session = await this.#started(agent);
    return (await this.#conversation(agent).shown.texts(session)).head;
  }

  /** What the agent has to be told before a step: changes by others, and at the first step of a turn a hint. */
  async news(agent: DshAgent, step: number): Promise<string> {
    const conversation = this.#conversation(agent);
    const session = await this.#started(agent);
    const { news } = await conversation.shown.texts(session);
    const isNew = news !== conversation.told;
    conversation.told = news;
    const hint = step === 1 ? await conversation.nudges.beginTurn(session, lastAnswer(agent)) : "";
    return [isNew ? news : "", hint].filter((text) => text !== "").join("\n\n");
  }

  async call(agent: DshAgent, { callId, arguments: input }: DshCall, tool: Tool): Promise<string> {
    const { shown, nudges } = this.#conversation(agent);
    const answer = await this.#memories.outbox(folderOf(agent)).call({
      sessionId: sessionIdOf(host, agent.id),
      open: () => this.#session(agent),
      tool: tool.name,
      input,
      key: await shown.ownEdit(callId, tool.name, input),
      isWrite: !tool.readOnly,
    });
    if (!answer.ok) throw new HoldfastError("invalid_input", answer.text);
    if (!tool.readOnly) nudges.noteWriting();
    return answer.text;
  }

  /** The text that replaces the removed messages: summary, checkpoint and receipt. */
  async summarise(agent: DshAgent, removed: readonly DshMessage[], model: SummaryModel): Promise<string> {
    const session = await this.#session(agent);
    const gone = storedMessages(removed);
    const kept = storedMessages(messagesAfter(agent, removed), gone.length + 1);
    const run = new Compaction(
      pluginDriver({
        session,
        cwd: folderOf(agent),
        report: (error) => this.#report("compaction", error, folderOf(agent)),
        // The host keeps its log compressed.
        wayBack: "none",
        async contextAfter({ body }) {
          const shown = [memoryText(await session.context(inPlugin)), body];
          const text = [...shown, ...kept.map(({ message }) => plainTextOf(message))].join("\n");
          return { text, tokens: session.setting.countTokens(text) };
        },
      }),
    );
    await run.begin({ messages: [...gone, ...kept], to: gone.length });
    const { ask, ...rest } = model;
    const [first] = kept;
    const summary = await run.summarise(ask, {
      ...rest,
      earlier: earlierSummary(removed),
      removed: gone,
      kept: first ? plainTextOf(first.message) : "",
    });
    const { text } = await run.account(summary);
    this.#conversation(agent).compaction = run;
    return text;
  }

  /** The host has stored the summary, or has given up. */
  async settle(agent: DshAgent, isStored: boolean): Promise<void> {
    const conversation = this.#conversation(agent);
    const { compaction } = conversation;
    conversation.compaction = undefined;
    if (!isStored) return;
    conversation.shown.forget();
    conversation.told = "";
    conversation.nudges.noteCompaction();
    try {
      await compaction?.close();
    } catch (error) {
      this.#report("compaction", error, folderOf(agent));
    }
  }

  async end(agent: DshAgent): Promise<void> {
    const conversation = this.#conversations.get(agent.id);
    if (!conversation?.isStarted) return;
    this.#conversations.delete(agent.id);
    const report = (error: unknown) => this.#report("session-end", error, folderOf(agent));
    await notifyEnd(await this.#session(agent), storedMessages(agent.session.deriveMessages()), report);
  }

  async close(): Promise<void> {
    for (const { agent } of this.#conversations.values()) await this.end(agent);
    await this.#memories.close();
  }

  #conversation(agent: DshAgent): Conversation {
    const known = this.#conversations.get(agent.id);
    if (known) return known;
    const { config } = findWorkspace({ cwd: folderOf(agent) });
    const nudges = new TurnNudges(config.nudges);
    const conversation = { agent, shown: new ShownMemory(), nudges, told: "", isStarted: false };
    this.#conversations.set(agent.id, conversation);
    return conversation;
  }

  /** The session, whose surfaces know that the conversation has begun. */
  async #started(agent: DshAgent): Promise<Session> {
    const conversation = this.#conversation(agent);
    const session = await this.#session(agent);
    if (conversation.isStarted) return session;
    conversation.isStarted = true;
    const cwd = folderOf(agent);
    const report = (error: unknown) => this.#report("session-start", error, cwd);
    for (const problem of await explainProblems(findWorkspace({ cwd }).config))
      report(new HoldfastError("invalid_input", problem));
    await notify(session, { kind: "session-start" }, report);
    const hint = isNothingKept(await session.state())
      ? await earlierSessions(await this.#memories.memory(cwd), session.id)
      : "";
    if (hint !== "") conversation.shown.forget([hint]);
    return session;
  }

  async #session(agent: DshAgent): Promise<Session> {
    const memory = await this.#memories.memory(folderOf(agent));
    return memory.openSession(sessionIdOf(host, agent.id), { agent: host });
  }
}

interface Tool {
  name: string;
  readOnly: boolean;
}

export function folderOf({ session }: DshAgent): string {
  return session.header.cwd ?? process.cwd();
}

function lastAnswer({ session }: DshAgent): string {
  const last = session.deriveMessages().findLast(({ role }) => role === "assistant");
  return last ? textOf(last.content) : "";
}

/** The messages of the conversation behind the removed ones. */
function messagesAfter({ session }: DshAgent, removed: readonly DshMessage[]): DshMessage[] {
  const messages = session.deriveMessages();
  const last = messages.findIndex(({ id }) => id === removed.at(-1)?.id);
  return last === -1 ? [] : messages.slice(last + 1);
}
