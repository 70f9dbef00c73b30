import type { StoredMessage } from "../../context/conversation.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import { objectIn, objectsIn } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { readScratchpad } from "../../surfaces/scratchpad/operations.ts";
import type { ReadConversation } from "../../surfaces/surface.ts";
import type { ToolAnswer } from "../../surfaces/toolbox.ts";
import { chosenSurfaces, loadSurfaces } from "../../workspace/chosen-surfaces.ts";
import { readWorkspaceConfig, settingValue, type WorkspaceConfig } from "../../workspace/config.ts";
import { explainProblems } from "../../workspace/config-file.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { findProject, type Project } from "../../workspace/project.ts";
import { type FindWorkspaceOptions, findWorkspace } from "../../workspace/workspace.ts";
import { compactionLimit, learnLimit } from "../context-fill.ts";
import { type PluginCall, PluginConversation, type Report } from "../plugin/conversation.ts";
import { type EntryState, listChanges, readState } from "../plugin/scratchpad-entries.ts";
import { ownProcess } from "../processes.ts";
import { linkSession, memoryOf } from "../session-link.ts";
import { countIn } from "../transcript/json-files.ts";
import { lastAnswer, plainText, toStoredMessages } from "../transcript/messages.ts";
import { transcriptConversation } from "../transcript/past-conversation.ts";
import type { OpenClawCompactionEvent, OpenClawContext, OpenClawModelEvent, OpenClawResult } from "./api.ts";
import { openclaw } from "./host.ts";
import { conversationOf, type OpenClawTranscript, sinceReset } from "./transcript.ts";

/** One conversation, by its session key. */
interface Chat {
  /** As of its last event: a compaction or a reset changes the session id. */
  context: OpenClawContext;
  memory: PluginConversation;
  /** The messages before the newest turn. */
  messages: readonly unknown[];
  /** The tokens of its last model call, and of the results since. */
  tokens: number;
  /** The scratchpad in the transcript. Undefined until it was read. */
  recorded?: EntryState | undefined;
  /** The last step of a compaction. OpenClaw does not wait for its hooks. */
  compacting: Promise<void>;
}

/** The memories of all conversations of this gateway, shared because OpenClaw registers the plugin many times. */
export class OpenClawMemory {
  readonly #open: typeof openProjectMemory;
  /** By the root of the project. */
  readonly #memories = new Map<string, Promise<Memory>>();
  /** Our settings in OpenClaw's own config. */
  #host: HostSettings | undefined;
  readonly #chats = new Map<string, Chat>();
  openTranscript: (context: OpenClawContext) => Promise<OpenClawTranscript | undefined> = async () =>
    undefined;

  constructor(open: typeof openProjectMemory = openProjectMemory) {
    this.#open = open;
  }

  /** Takes the settings in OpenClaw's own config. */
  configure(settings: Record<string, unknown>): void {
    this.#host = { name: "plugins.entries.holdfast.config", settings };
  }

  /** The project of a conversation, and its settings. */
  workspaceOf({ workspaceDir }: OpenClawContext): { project: Project; config: WorkspaceConfig } {
    const project = findProject(workspaceDir || process.cwd());
    const host = this.#host;
    return { project, config: readWorkspaceConfig(project, host ? { host } : {}) };
  }

  async call(
    context: OpenClawContext,
    call: Omit<PluginCall, "conversation">,
    report: Report,
  ): Promise<Extract<ToolAnswer, { ok: true }>> {
    const chat = this.#chat(context);
    const session = await this.#session(context);
    const conversation: ReadConversation = async (own) => {
      const entries = await (await this.openTranscript(context))?.entries();
      return entries ? conversationOf(entries) : transcriptConversation(own);
    };
    const answer = await chat.memory.call(session, { ...call, conversation });
    if (!answer.ok) throw new HoldfastError("invalid_input", answer.text);
    if (!call.readOnly) await this.#record(chat, session).catch(report);
    return answer;
  }

  async texts(
    context: OpenClawContext,
    messages: readonly unknown[],
    report: Report,
  ): Promise<{ head: string; news: string }> {
    const chat = this.#chat(context);
    await chat.compacting.catch(() => undefined);
    const session = await this.#session(context);
    Object.assign(chat, { messages, tokens: tokensIn(messages) });
    const hint = async () => {
      for (const problem of await explainProblems(this.workspaceOf(context).config))
        report(new HoldfastError("invalid_input", problem));
      return "";
    };
    await chat.memory.start(session, { report, hint });
    if (!chat.recorded) await this.#load(chat, session).catch(report);
    else await this.#record(chat, session).catch(report);
    const fill = this.#fill(chat);
    return chat.memory.texts(session, { lastAnswer: lastAnswer(objectsIn(messages)), ...fill });
  }

  /** Takes the scratchpad from the transcript, if this memory has none yet: of an older plugin, or another store. */
  async #load(chat: Chat, session: Session): Promise<void> {
    const { project, config } = this.workspaceOf(chat.context);
    if (!chosenSurfaces({ project, config }, "host").includes("scratchpad")) return;
    const transcript = await this.openTranscript(chat.context);
    if (!transcript) return;
    const recorded = readState(sinceReset(await transcript.entries()));
    const own = readScratchpad(await session.state());
    const { notes, plan, refs } = recorded.scratchpad;
    const options = { actor: { kind: "system" as const } };
    if (own.notes === "" && own.plan === "" && own.refs.length === 0) {
      if (notes !== "") await session.scratchpad.setNotes(notes, options);
      if (plan !== "") await session.scratchpad.setPlan(plan, options);
      if (refs.length > 0) await session.scratchpad.setRefs(refs, options);
    }
    chat.recorded = recorded;
  }

  /** Appends to the transcript the spaces that differ from what it records. */
  async #record(chat: Chat, session: Session): Promise<void> {
    if (!chat.recorded) return;
    const scratchpad = readScratchpad(await session.state());
    const changes = listChanges(chat.recorded, { scratchpad });
    if (changes.length === 0) return;
    await (await this.openTranscript(chat.context))?.append(changes);
    chat.recorded = { ...chat.recorded, scratchpad };
  }

  /** Keeps the limit that follows from the window. OpenClaw tells it with a call, and asks for the memory before one. */
  noteWindow({ model = "", contextTokenBudget: window = 0 }: OpenClawModelEvent): void {
    if (window === 0) return;
    const tokens = window - Math.min(reserve, window / 4);
    learnLimit(openclaw, { tokens, model, window: undefined, isCurrent: true });
  }

  /** OpenClaw stores a message: an answer comes with the tokens of its call. */
  noteMessage(message: unknown, context: OpenClawContext): void {
    const chat = this.#chats.get(keyOf(context));
    const tokens = tokensIn([message]);
    if (chat && tokens > 0) chat.tokens = tokens;
  }

  /** A tool's result with the warning, if the context is nearly full; undefined otherwise. */
  async warnWithResult(
    result: OpenClawResult,
    context: OpenClawContext,
  ): Promise<OpenClawResult | undefined> {
    const chat = this.#chats.get(keyOf(context));
    if (!chat) return undefined;
    chat.tokens += estimateTokens(plainText(result.content));
    const { fill } = this.#fill(chat);
    const text = fill ? await chat.memory.warning(await this.#session(chat.context), fill) : "";
    return text === "" ? undefined : { ...result, content: [...result.content, { type: "text", text }] };
  }

  #fill({ context, tokens }: Chat): { fill?: { tokens: number; limit: number } } {
    const fill = { tokens, model: context.modelId ?? "", window: undefined, isCurrent: true };
    const limit = compactionLimit(openclaw, fill, projectOf(context).cwd);
    return limit === undefined ? {} : { fill: { tokens, limit } };
  }

  beforeCompaction(event: OpenClawCompactionEvent, context: OpenClawContext, report: Report): Promise<void> {
    const chat = this.#chat(context);
    chat.compacting = this.#beginCompaction(chat, event, report);
    return chat.compacting;
  }

  async #beginCompaction(
    { context, memory }: Chat,
    { messages, sessionFile = "" }: OpenClawCompactionEvent,
    report: Report,
  ): Promise<void> {
    const session = await this.#session(context);
    const removed = messages ? toStoredMessages(objectsIn(messages)) : await this.#messagesInContext(context);
    // OpenClaw passes the whole conversation, and keeps some of the newest messages; how many is the user's setting.
    await memory.beginCompaction({
      session,
      conversation: { messages: removed, to: removed.length, transcript: { path: sessionFile, size: 0 } },
      cwd: projectOf(context).cwd,
      readWith: "recall",
      report,
    });
  }

  /** Before a turn, OpenClaw compacts without passing the messages. They are in its transcript. */
  async #messagesInContext(context: OpenClawContext): Promise<StoredMessage[]> {
    const entries = await (await this.openTranscript(context))?.entries();
    if (!entries) return [];
    const { messages, contextFrom } = conversationOf(sinceReset(entries));
    return messages.slice(contextFrom - 1).map((message, index) => ({ ...message, number: index + 1 }));
  }

  afterCompaction({ compactedCount }: OpenClawCompactionEvent, context: OpenClawContext): Promise<void> {
    const chat = this.#chat(context);
    chat.compacting = chat.compacting
      .catch(() => undefined)
      .then(async () => {
        if (compactedCount === 0) return chat.memory.dropCompaction();
        chat.tokens = 0;
        // OpenClaw does not pass its summary to plugins.
        await chat.memory.finishCompaction({ text: "", by: "unknown" });
      });
    return chat.compacting;
  }

  /** Starts a reset conversation with an empty memory, and archives the old one. */
  async reset(context: OpenClawContext, report: Report): Promise<void> {
    await this.#end(context, report);
    const { directory, cwd } = projectOf(context);
    const hostSession = keyOf(context);
    const old = memoryOf(directory, "openclaw", hostSession);
    const memory = await this.#memoryOf(cwd);
    if (await memory.findSession(old)) {
      const fresh = await memory.createSession({ agent: "openclaw", title: hostSession });
      const link = { directory, cwd, host: "openclaw", hostSession, continues: fresh.id };
      linkSession({ ...link, process: ownProcess() });
      await memory.archiveSession(old, { actor: { kind: "system" } });
    }
    this.#chats.delete(hostSession);
  }

  async close(report: Report): Promise<void> {
    for (const { context } of this.#chats.values()) await this.#end(context, report);
    this.#chats.clear();
    const open = [...this.#memories.values()];
    this.#memories.clear();
    for (const memory of await Promise.allSettled(open))
      if (memory.status === "fulfilled") await memory.value.close();
  }

  /** If opening fails, the next call tries again. */
  #memoryOf(cwd: string): Promise<Memory> {
    const { root } = findProject(cwd);
    const known = this.#memories.get(root);
    if (known) return known;
    const opened = this.#open(cwd, this.#host);
    this.#memories.set(root, opened);
    opened.catch(() => this.#memories.delete(root));
    return opened;
  }

  async #end(context: OpenClawContext, report: Report): Promise<void> {
    const { memory, messages } = this.#chat(context);
    await memory.end(toStoredMessages(objectsIn(messages)), report);
  }

  #chat(context: OpenClawContext): Chat {
    const key = keyOf(context);
    const known = this.#chats.get(key);
    if (known) {
      // Some events come with a field that has no value.
      const given = Object.entries(context).filter(([, value]) => value !== undefined);
      known.context = { ...known.context, ...Object.fromEntries(given) };
      return known;
    }
    const { config } = this.workspaceOf(context);
    const memory = new PluginConversation({
      placement: settingValue(config, "placement"),
      nudges: config.nudges,
    });
    const chat: Chat = { context, memory, messages: [], tokens: 0, compacting: Promise.resolve() };
    this.#chats.set(key, chat);
    return chat;
  }

  async #session(context: OpenClawContext): Promise<Session> {
    const { directory, cwd } = projectOf(context);
    const memory = await this.#memoryOf(cwd);
    const key = keyOf(context);
    // The key has colons, so the session's id is a hash of it: people know the session by its title.
    return memory.openSession(memoryOf(directory, "openclaw", key), { agent: "openclaw", title: key });
  }
}

type HostSettings = NonNullable<FindWorkspaceOptions["host"]>;

async function openProjectMemory(cwd: string, host: HostSettings | undefined): Promise<Memory> {
  const workspace = findWorkspace({ cwd, ...(host ? { host } : {}) });
  const surfaces = await loadSurfaces(chosenSurfaces(workspace, "host"), workspace);
  return openMemoryIn(workspace, { surfaces, isInteractive: true });
}

function keyOf({ sessionKey, sessionId }: OpenClawContext): string {
  return sessionKey || sessionId || "main";
}

function projectOf({ workspaceDir }: OpenClawContext): { directory: string; cwd: string } {
  const cwd = workspaceDir || process.cwd();
  return { directory: findProject(cwd).directory, cwd };
}

/** OpenClaw compacts when fewer tokens than this are left, or a quarter of a small window. */
const reserve = 20_000;

/** The tokens of the last model call; 0 if there was none since the last compaction. */
function tokensIn(messages: readonly unknown[]): number {
  const last = messages
    .map(objectIn)
    .findLast(({ role }) => role === "assistant" || role === "compactionSummary");
  const { input, output, cacheRead, cacheWrite } = objectIn(last?.usage);
  return [input, output, cacheRead, cacheWrite].reduce<number>((sum, count) => sum + countIn(count), 0);
}
