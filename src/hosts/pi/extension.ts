import { handoffTokens } from "../../compaction/handoff.ts";
import { noticeFor } from "../../compaction/receipt.ts";
import { type AskSummariser, renderSummary, type Summary, summarise } from "../../compaction/summary.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { isObject, textIn } from "../../engine/json.ts";
import type { Handoff } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import type { ToolDescription } from "../../surfaces/toolbox.ts";
import { lessReserve } from "../context-fill.ts";
import { type ConversationSettings, PluginConversation, toolFields } from "../plugin/conversation.ts";
import { lastAnswer, toStoredMessages } from "../transcript/messages.ts";
import { transcriptConversation } from "../transcript/past-conversation.ts";
import type {
  PiAgentMessage,
  PiBeforeAgentStartEvent,
  PiBeforeCompactEvent,
  PiCompactEvent,
  PiCompaction,
  PiContext,
  PiContextEvent,
  PiExtensionApi,
  PiModelRequest,
  PiTool,
  PiTreeEntry,
} from "./api.ts";
import { PiMemory } from "./branch-memory.ts";

export interface ExtensionParts extends ConversationSettings {
  openMemory(context: PiContext): Promise<Memory>;
  /** The tools to register, known before a session is open. */
  tools: readonly ToolDescription[];
  /** Reports a failure; the agent continues. */
  report(event: string, error: unknown, context: PiContext): void;
}

/** The compaction that we offered to pi and that pi has not made yet. */
interface PendingCompaction {
  key: string;
  handoff: Handoff;
  answer: Promise<{ summary: Summary; text: string }>;
}

/** For a pi that does not report its context window. */
const assumedWindow = 128_000;
/** pi compacts when fewer tokens than this, its default, are left in the window. */
const reserve = 16_384;

/** Translates pi's events. pi has one conversation at a time, on one branch of its tree. */
export class PiExtension {
  readonly #parts: ExtensionParts;
  readonly #memory: PiMemory;
  readonly #conversation: PluginConversation;
  /** User messages seen so far; one more begins a turn. */
  #userMessages = 0;
  #pending: PendingCompaction | undefined;
  /** Some versions of pi make the next call before the end of a compaction is recorded. */
  #finishing: Promise<void> = Promise.resolve();

  constructor(pi: PiExtensionApi, parts: ExtensionParts) {
    this.#parts = parts;
    this.#conversation = new PluginConversation(parts);
    this.#memory = new PiMemory((type, data) => pi.appendEntry(type, data), parts.openMemory);
  }

  register(pi: PiExtensionApi): void {
    const listen = <Event, Result>(
      name: string,
      handle: (event: Event, context: PiContext) => Promise<Result>,
    ) =>
      pi.on(name, async (event: Event, context: PiContext): Promise<Result | undefined> => {
        try {
          return await handle(event, context);
        } catch (error) {
          this.#parts.report(name, error, context);
          return undefined;
        }
      });
    listen("session_start", async () => {
      this.#enterBranch();
      this.#conversation.restart();
    });
    listen("session_tree", async () => this.#enterBranch());
    listen("session_shutdown", (_event, context) => this.#end(context));
    if (this.#parts.placement === "system")
      listen("before_agent_start", (event: PiBeforeAgentStartEvent, context) =>
        this.#addToSystemPrompt(event, context),
      );
    listen("context", (event: PiContextEvent, context) => this.#placeMemory(event, context));
    listen("session_before_compact", (event: PiBeforeCompactEvent, context) => this.#compact(event, context));
    listen("session_compact", (event: PiCompactEvent, context) => {
      this.#finishing = this.#compacted(event, context);
      return this.#finishing;
    });
    for (const tool of this.#parts.tools) pi.registerTool(this.#toolOf(tool));
  }

  /** Lets surfaces that store data outside the session write their handoff before pi exits. */
  async #end(context: PiContext): Promise<void> {
    const messages = messagesOf(context.sessionManager.getBranch());
    await this.#conversation.end(messages, (error) => this.#parts.report("session_shutdown", error, context));
    await this.#memory.close();
  }

  async #session(context: PiContext): Promise<Session> {
    const session = await this.#memory.session(context);
    const report = (error: unknown) => this.#parts.report("session_start", error, context);
    await this.#conversation.start(session, {
      report,
      hint: () => this.#memory.earlierSessions(session, context),
      contains: (text) => lastSummary(context.sessionManager.getBranch()).includes(text),
    });
    return session;
  }

  #enterBranch(): void {
    this.#memory.leaveBranch();
    this.#conversation.forget();
    this.#pending = undefined;
  }

  #toolOf(tool: ToolDescription): PiTool {
    const { name, readOnly } = tool;
    return {
      ...toolFields(tool),
      execute: async (callId, input, _signal, _onUpdate, context) => {
        const report = (error: unknown) => this.#parts.report(`tool ${name}`, error, context);
        const call = { id: callId, name, input, readOnly, conversation: transcriptConversation };
        const answer = await this.#memory
          .session(context)
          .then((session) => this.#conversation.call(session, call))
          .catch((error: unknown) => {
            report(error);
            throw error;
          });
        // pi marks a call as failed when it throws.
        if (!answer.ok) throw new HoldfastError("invalid_input", answer.text);
        // The store already has the edit; if writing to the branch fails, the next call tries again.
        await this.#memory.keep(context).catch(report);
        return { content: [{ type: "text", text: answer.text }], details: { callId, ...answer.output } };
      },
    };
  }

  async #placeMemory(
    { messages }: PiContextEvent,
    context: PiContext,
  ): Promise<{ messages: PiAgentMessage[] }> {
    const session = await this.#session(context);
    await this.#memory.keep(context);
    await this.#finishing.catch(() => undefined);
    const userMessages = messages.filter(({ role }) => role === "user").length;
    const isTurn = userMessages !== this.#userMessages && messages.at(-1)?.role === "user";
    this.#userMessages = userMessages;
    const { tokens = null, contextWindow = 0 } = context.getContextUsage?.() ?? {};
    const { head, news } = await this.#conversation.texts(session, {
      ...(isTurn ? { lastAnswer: lastAnswer(messages) } : {}),
      ...(tokens === null ? {} : { fill: { tokens, limit: lessReserve(contextWindow, reserve) } }),
    });
    return { messages: placeMemory(messages, this.#parts.placement === "system" ? "" : head, news) };
  }

  async #addToSystemPrompt(
    { systemPrompt }: PiBeforeAgentStartEvent,
    context: PiContext,
  ): Promise<{ systemPrompt: string }> {
    const head = await this.#conversation.headOfTurn(await this.#session(context));
    return { systemPrompt: `${systemPrompt}\n\n${head}` };
  }

  async #compact(
    event: PiBeforeCompactEvent,
    context: PiContext,
  ): Promise<{ compaction: PiCompaction } | undefined> {
    const { firstKeptEntryId, tokensBefore } = event.preparation;
    const newest = event.branchEntries.findLast(({ type }) => type === "message")?.id;
    const key = `${firstKeptEntryId} ${newest}`;
    // pi may ask twice for one compaction.
    const pending =
      this.#pending?.key === key ? this.#pending : await this.#startCompaction(key, event, context);
    const finished = await pending?.answer.catch((error: unknown) => {
      if (!event.signal.aborted) throw error;
    });
    if (!pending || !finished) return undefined;
    return { compaction: { summary: finished.text, firstKeptEntryId, tokensBefore, details: {} } };
  }

  /** Undefined if there is nothing to summarize. */
  async #startCompaction(
    key: string,
    { preparation, branchEntries, signal, customInstructions: focus }: PiBeforeCompactEvent,
    context: PiContext,
  ): Promise<PendingCompaction | undefined> {
    const session = await this.#session(context);
    await this.#memory.keep(context);
    const { messagesToSummarize, turnPrefixMessages = [], firstKeptEntryId, tokensBefore } = preparation;
    const removed = toStoredMessages([...messagesToSummarize, ...turnPrefixMessages]);
    if (removed.length === 0) return undefined;
    const kept = toStoredMessages(messagesFrom(branchEntries, firstKeptEntryId), removed.length + 1);
    const path = context.sessionManager.getSessionFile?.() ?? "";
    const contextWindow = context.getContextUsage?.()?.contextWindow ?? assumedWindow;
    const report = (error: unknown) => this.#parts.report("summary", error, context);
    const cut = { messages: [...removed, ...kept], to: removed.length, tokensBefore };
    const { handoff } = await this.#conversation.beginCompaction({
      session,
      conversation: path === "" ? cut : { ...cut, transcript: { path, size: 0 } },
      cwd: context.cwd,
      kept,
      readWith: path === "" ? "" : "recall",
      room: { tokens: handoffTokens(contextWindow) },
      report,
    });
    const answer = summarise(askPi(context, signal), {
      earlier: preparation.previousSummary ?? "",
      removed,
      handoff: handoff.text,
      focus,
      contextWindow,
      countTokens: session.setting.countTokens,
      onProblem: (problem) => report(new Error(problem)),
      signal,
    }).then((summary) => ({ summary, text: renderSummary(summary, handoff) }));
    const pending = { key, handoff, answer };
    this.#pending = pending;
    answer.catch(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    return pending;
  }

  async #compacted(
    { compactionEntry: { summary } }: PiCompactEvent,
    { hasUI, ui }: PiContext,
  ): Promise<void> {
    const pending = this.#pending;
    this.#pending = undefined;
    const own = await pending?.answer.catch(() => undefined);
    const isOwn = own?.text === summary;
    // Another extension may have written the summary, or pi itself.
    const written = pending && (isOwn ? own.summary : { text: summary, by: "model" as const });
    const finished = await this.#conversation.finishCompaction(written, isOwn);
    const notice = finished && noticeFor(finished.receipt);
    if (hasUI && notice) ui?.notify(notice, "info");
  }
}

/**
 * The messages of one model call, with memory. Memory comes first, so that the provider can cache it; changes come last,
 * before the user's message if that is the last one.
 */
function placeMemory(messages: readonly PiAgentMessage[], head: string, news: string): PiAgentMessage[] {
  const last = messages.at(-1)?.role === "user" ? messages.length - 1 : messages.length;
  return [...userMessage(head), ...messages.slice(0, last), ...userMessage(news), ...messages.slice(last)];
}

function userMessage(text: string): PiAgentMessage[] {
  return text === "" ? [] : [{ role: "user", content: [{ type: "text", text }], timestamp: 0 }];
}

function lastSummary(branch: readonly PiTreeEntry[]): string {
  return textIn(branch.findLast(({ type }) => type === "compaction")?.summary);
}

/** The messages of a branch since its last compaction. */
function messagesOf(branch: readonly PiTreeEntry[]): StoredMessage[] {
  const last = branch.findLast(({ type }) => type === "compaction");
  const first = typeof last?.firstKeptEntryId === "string" ? last.firstKeptEntryId : branch[0]?.id;
  return toStoredMessages(first === undefined ? [] : messagesFrom(branch, first));
}

function messagesFrom(branch: readonly PiTreeEntry[], firstKept: string): PiAgentMessage[] {
  const start = branch.findIndex(({ id }) => id === firstKept);
  return branch
    .slice(start === -1 ? branch.length : start)
    .flatMap(({ type, message }) => (type === "message" && isObject(message) ? [message] : []));
}

/** Asks the model of pi's session for a summary. */
function askPi(context: PiContext, signal: AbortSignal): AskSummariser {
  return async ({ instructions, sections, maxTokens }) => {
    const content = [{ type: "text" as const, text: sections.join("\n\n") }];
    const messages = [{ role: "user" as const, content, timestamp: Date.now() }];
    return ask(context, { systemPrompt: instructions, messages }, { maxTokens, signal });
  };
}

async function ask(
  { model, modelRegistry }: PiContext,
  request: PiModelRequest,
  options: { maxTokens: number; signal: AbortSignal },
): Promise<string> {
  if (model === undefined || modelRegistry === undefined) throw noSummary("No model is selected in pi");
  if (!modelRegistry.streamSimple) throw noSummary("This version of pi calls no model for an extension");
  const { content, stopReason, errorMessage } = await modelRegistry
    .streamSimple(model, request, options)
    .result();
  if (stopReason === "error" || stopReason === "aborted") throw noSummary(errorMessage ?? stopReason);
  return content.map(({ type, text }) => (type === "text" ? (text ?? "") : "")).join("");
}

function noSummary(reason: string): HoldfastError {
  return new HoldfastError(
    "not_found",
    `${reason}. Holdfast writes the summary without a model. Update pi, and check the model and its key.`,
  );
}
