import { Compaction, type Finished, findEnded } from "../../compaction/compaction.ts";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import { isObject, objectIn } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import type { Session } from "../../sessions/session.ts";
import { ShownMemory } from "../../sessions/shown-memory.ts";
import { readWorkspaceConfig, settingValue, type WorkspaceConfig } from "../../workspace/config.ts";
import { explainProblems } from "../../workspace/config-problems.ts";
import { findProject, type Project } from "../../workspace/project.ts";
import { compactionLimit, learnLimit, reserving } from "../compaction-limits.ts";
import { transcriptConversation } from "../past-conversation.ts";
import { notify, notifyEnd, pluginDriver } from "../plugin/driver.ts";
import { ProjectMemories } from "../plugin/project-memories.ts";
import { TurnNudges } from "../plugin/turn-nudges.ts";
import { warn } from "../plugin/warn.ts";
import { listAncestors } from "../processes.ts";
import { linkSession, memoryOf } from "../session-link.ts";
import { countIn } from "../transcript/json-lines.ts";
import { toModelMessage } from "../transcript/model-messages.ts";
import type { OpenClawCompactionEvent, OpenClawContext, OpenClawOutputEvent } from "./api.ts";
import { openclaw } from "./host.ts";

interface Conversation {
  context: OpenClawContext;
  shown: ShownMemory;
  nudges: TurnNudges;
  compaction?: Compaction | undefined;
  /** Whether the surfaces were notified of the session start. */
  isStarted: boolean;
  /** The messages before the newest model call. */
  messages: readonly unknown[];
}

export type Report = (error: unknown) => void;

/** The memories of all conversations of this gateway, shared because OpenClaw registers the plug-in many times. */
export class OpenClawMemory {
  readonly #memories: ProjectMemories;
  readonly #conversations = new Map<string, Conversation>();

  constructor(memories = new ProjectMemories()) {
    this.#memories = memories;
  }

  /** Takes the settings in OpenClaw's own config. */
  configure(settings: Record<string, unknown>): void {
    this.#memories.host = { name: "plugins.entries.holdfast.config", settings };
  }

  /** The project of a conversation, and its settings. */
  workspaceOf({ workspaceDir }: OpenClawContext): { project: Project; config: WorkspaceConfig } {
    const project = findProject(workspaceDir || process.cwd());
    const { host } = this.#memories;
    return { project, config: readWorkspaceConfig(project, host ? { host } : {}) };
  }

  /** Reports settings that cannot be used. */
  async checkConfig(context: OpenClawContext, report: Report): Promise<void> {
    for (const problem of await explainProblems(this.workspaceOf(context).config))
      report(new HoldfastError("invalid_input", problem));
  }

  async call(
    context: OpenClawContext,
    { id, tool, input, isReadOnly }: { id: string; tool: string; input: unknown; isReadOnly: boolean },
  ): Promise<Record<string, unknown> & { text: string }> {
    const { shown, nudges } = this.#conversation(context);
    const session = await this.#session(context);
    const key = await shown.ownEdit(id, tool, input);
    const answer = await session.call(tool, input, { key, conversation: transcriptConversation });
    if (answer.ok && !isReadOnly) nudges.noteWriting();
    if (!answer.ok) throw new HoldfastError("invalid_input", answer.text);
    return { ...answer.output, text: answer.text };
  }

  async texts(
    context: OpenClawContext,
    messages: readonly unknown[],
    report: Report,
  ): Promise<{ head: string; news: string }> {
    const conversation = this.#conversation(context);
    const session = await this.#session(context);
    conversation.messages = messages;
    if (!conversation.isStarted) {
      conversation.isStarted = true;
      await this.checkConfig(context, report);
      await notify(session, { kind: "session-start" }, report);
      conversation.shown.forget(await this.#startNotice(session));
    }
    conversation.shown.beginTurn();
    const { head, news } = await conversation.shown.texts(session);
    const last = storedMessages(messages).findLast(({ message }) => message.role === "assistant");
    const hint = await conversation.nudges.beginTurn(session, last ? plainTextOf(last.message) : "");
    const warning = await this.#warning(session, context, messages);
    return { head, news: [news, hint, warning].filter((text) => text !== "").join("\n\n") };
  }

  /** Keeps the limit that follows from the window. OpenClaw tells it after a call, and asks for the memory before one. */
  noteWindow({ model = "", contextTokenBudget = 0 }: OpenClawOutputEvent): void {
    if (contextTokenBudget === 0) return;
    const tokens = reserving(reserveFloor)(contextTokenBudget);
    learnLimit(openclaw, { tokens, model, window: undefined, isCurrent: true });
  }

  /** OpenClaw lets a plug-in add to a prompt, and to no request within a turn. */
  async #warning(session: Session, context: OpenClawContext, messages: readonly unknown[]): Promise<string> {
    const fill = {
      tokens: tokensIn(messages),
      model: context.modelId ?? "",
      window: undefined,
      isCurrent: true,
    };
    const limit = compactionLimit(openclaw, fill, projectOf(context).cwd);
    return limit === undefined ? "" : warn(session, { tokens: fill.tokens, limit });
  }

  /** What a new process shows with the memory: what the last compaction left. */
  async #startNotice(session: Session): Promise<string[]> {
    const state = await session.state();
    const ended = await findEnded(session, readEpoch(state).number - 1);
    return ended ? noticeOf(ended) : [];
  }

  /** OpenClaw does not wait for this hook, but passes the messages before it removes them. */
  async beforeCompaction(
    { messages = [], sessionFile = "" }: OpenClawCompactionEvent,
    context: OpenClawContext,
    report: Report,
  ): Promise<void> {
    const session = await this.#session(context);
    const conversation = this.#conversation(context);
    const removed = storedMessages(messages);
    const run = new Compaction(
      pluginDriver({
        session,
        cwd: projectOf(context).cwd,
        report,
        readWith: "recall",
        async contextAfter({ handoff }) {
          const { head } = await conversation.shown.texts(session);
          const text = `${head}\n${handoff.text}`;
          return { text, tokens: session.setting.countTokens(text) };
        },
      }),
    );
    const transcript = { path: sessionFile, size: 0 };
    // OpenClaw passes the whole conversation, and keeps some of the newest messages; how many is the user's setting.
    await run.begin({ messages: removed, to: removed.length, transcript });
    conversation.compaction = run;
  }

  async afterCompaction(
    { compactedCount }: OpenClawCompactionEvent,
    context: OpenClawContext,
  ): Promise<void> {
    const conversation = this.#conversation(context);
    const { compaction, shown } = conversation;
    if (compactedCount === 0) conversation.compaction = undefined;
    else {
      shown.forget();
      conversation.nudges.noteCompaction();
      if (!compaction) return;
      // OpenClaw does not pass its summary to plug-ins.
      const finished = await compaction.finish({ text: "", by: "unknown" });
      conversation.compaction = undefined;
      shown.forget(noticeOf(finished));
    }
  }

  /** Starts a reset conversation with an empty memory, and archives the old one. */
  async reset(context: OpenClawContext, report: Report): Promise<void> {
    await this.#end(context, report);
    const { directory, cwd } = projectOf(context);
    const hostSession = keyOf(context);
    const old = memoryOf(directory, "openclaw", hostSession);
    const memory = await this.#memories.memory(cwd);
    if (await memory.findSession(old)) {
      const fresh = await memory.createSession({ agent: "openclaw", title: hostSession });
      const [own] = listAncestors(process.pid);
      const host = own && { pid: own.pid, start: own.start };
      linkSession({ directory, cwd, host: "openclaw", hostSession, continues: fresh.id, process: host });
      await memory.archiveSession(old, { actor: { kind: "system" } });
    }
    this.#conversations.delete(hostSession);
  }

  async close(report: Report): Promise<void> {
    for (const { context } of this.#conversations.values()) await this.#end(context, report);
    this.#conversations.clear();
    await this.#memories.close();
  }

  /** Notifies surfaces that store data outside the session, so that they write their hand-over. */
  async #end(context: OpenClawContext, report: Report): Promise<void> {
    const conversation = this.#conversation(context);
    if (!conversation.isStarted) return;
    conversation.isStarted = false;
    const session = await this.#session(context);
    await notifyEnd(session, storedMessages(conversation.messages), report);
  }

  #conversation(context: OpenClawContext): Conversation {
    const key = keyOf(context);
    const known = this.#conversations.get(key);
    if (known) return known;
    const { config } = this.workspaceOf(context);
    const conversation: Conversation = {
      context,
      shown: new ShownMemory({ placement: settingValue(config, "placement") }),
      nudges: new TurnNudges(config.nudges),
      isStarted: false,
      messages: [],
    };
    this.#conversations.set(key, conversation);
    return conversation;
  }

  async #session(context: OpenClawContext): Promise<Session> {
    const { directory, cwd } = projectOf(context);
    const memory = await this.#memories.memory(cwd);
    const key = keyOf(context);
    // The key has colons, so the session's id is a hash of it: people know the session by its title.
    return memory.openSession(memoryOf(directory, "openclaw", key), { agent: "openclaw", title: key });
  }
}

/** What the memory shows of a compaction. */
function noticeOf({ handoff, receipt }: Pick<Finished, "handoff" | "receipt">): string[] {
  return [handoff.text, receipt.line].filter((text) => text !== "");
}

function keyOf({ sessionKey, sessionId }: OpenClawContext): string {
  return sessionKey || sessionId || "main";
}

function projectOf({ workspaceDir }: OpenClawContext): { directory: string; cwd: string } {
  const cwd = workspaceDir || process.cwd();
  return { directory: findProject(cwd).directory, cwd };
}

function storedMessages(messages: readonly unknown[]): StoredMessage[] {
  return messages
    .flatMap((message) => (isObject(message) ? (toModelMessage(message) ?? []) : []))
    .map((message, index) => ({ number: index + 1, message, at: 0 }));
}

/** OpenClaw compacts when fewer tokens than this are left. */
const reserveFloor = 20_000;

/** The tokens of the last model call; 0 if there was none since the last compaction. */
function tokensIn(messages: readonly unknown[]): number {
  const last = messages
    .map(objectIn)
    .findLast(({ role }) => role === "assistant" || role === "compactionSummary");
  const { input, output, cacheRead, cacheWrite } = objectIn(last?.usage);
  return [input, output, cacheRead, cacheWrite].reduce<number>((sum, count) => sum + countIn(count), 0);
}
