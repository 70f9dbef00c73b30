import type { Compaction } from "../../compaction/compaction.ts";
import type { NudgePolicy } from "../../compaction/nudges.ts";
import { renderSummary, type Summary, summarise } from "../../compaction/summary.ts";
import { plainTextOf } from "../../context/conversation.ts";
import type { Placement } from "../../context/placement.ts";
import type { Handoff } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { ShownMemory } from "../../sessions/shown-memory.ts";
import { dotless, type ToolAnswer } from "../../surfaces/toolbox.ts";
import { reserving } from "../compaction-limits.ts";
import { transcriptConversation } from "../past-conversation.ts";
import { notify, notifyEnd } from "../plugin/driver.ts";
import { TurnNudges } from "../plugin/turn-nudges.ts";
import { warn } from "../plugin/warn.ts";
import { toModelMessage } from "../transcript/model-messages.ts";
import type {
  PiAgentMessage,
  PiBeforeAgentStartEvent,
  PiBeforeCompactEvent,
  PiCompactEvent,
  PiCompaction,
  PiContext,
  PiContextEvent,
  PiExtensionApi,
  PiTool,
} from "./api.ts";
import { branchCompaction, cutBranch, messagesOf } from "./compact-branch.ts";
import { PiMemory } from "./pi-memory.ts";
import { placeMemory } from "./place-memory.ts";
import { askPi } from "./summarise.ts";

export interface ExtensionParts {
  openMemory(context: PiContext): Promise<Memory>;
  /** The tools to register, known before a session is open. */
  tools: ReturnType<Memory["tools"]>;
  /** When to remind the agent of its memory (default: never). */
  nudges?: NudgePolicy;
  /** Where memory goes in the prompt (default: `epoch`). */
  placement?: Placement | undefined;
  /** Reports a failure; the agent continues. */
  report(event: string, error: unknown, context: PiContext): void;
}

/** The compaction that we offered to pi and that pi has not made yet. */
interface PendingCompaction {
  key: string;
  compaction: Compaction;
  handoff: Handoff;
  answer: Promise<{ summary: Summary; text: string }>;
}

/** For a pi that does not report its context window. */
const assumedWindow = 128_000;

export class PiExtension {
  readonly #parts: ExtensionParts;
  readonly #memory: PiMemory;
  readonly #shown: ShownMemory;
  readonly #nudges: TurnNudges;
  /** User messages seen so far; one more begins a turn. */
  #asks = 0;
  #pending: PendingCompaction | undefined;
  /** Some versions of pi make the next call before the end of a compaction is recorded. */
  #finishing: Promise<void> = Promise.resolve();
  /** The session whose surfaces know that work has begun; pi ends with the newest. */
  #started: Session | undefined;

  constructor(pi: PiExtensionApi, parts: ExtensionParts) {
    this.#parts = parts;
    this.#shown = new ShownMemory({ placement: parts.placement });
    this.#nudges = new TurnNudges(parts.nudges);
    this.#memory = new PiMemory((type, data) => pi.appendEntry(type, data), parts.openMemory);
  }

  register(pi: PiExtensionApi): void {
    const reporting =
      <Event, Result>(name: string, handle: (event: Event, context: PiContext) => Promise<Result>) =>
      async (event: Event, context: PiContext): Promise<Result | undefined> => {
        try {
          return await handle(event, context);
        } catch (error) {
          this.#parts.report(name, error, context);
          return undefined;
        }
      };
    const enter = async () => this.#enterBranch();
    const start = async () => {
      this.#started = undefined;
      this.#enterBranch();
    };
    pi.on("session_start", reporting("session_start", start));
    pi.on("session_tree", reporting("session_tree", enter));
    pi.on(
      "session_shutdown",
      reporting("session_shutdown", (_event: unknown, context) => this.#end(context)),
    );
    if (this.#parts.placement === "system")
      pi.on(
        "before_agent_start",
        reporting("before_agent_start", (event: PiBeforeAgentStartEvent, context) =>
          this.#addToSystemPrompt(event, context),
        ),
      );
    pi.on(
      "context",
      reporting("context", (event: PiContextEvent, context) => this.#placeMemory(event, context)),
    );
    pi.on(
      "session_before_compact",
      reporting("session_before_compact", (event: PiBeforeCompactEvent, context) =>
        this.#compact(event, context),
      ),
    );
    pi.on(
      "session_compact",
      reporting("session_compact", (event: PiCompactEvent) => {
        this.#finishing = this.#compacted(event);
        return this.#finishing;
      }),
    );
    for (const tool of this.#parts.tools) pi.registerTool(this.#toolOf(tool));
  }

  /** Lets surfaces that store data outside the session write their hand-over before pi exits. */
  async #end(context: PiContext): Promise<void> {
    const session = this.#started;
    this.#started = undefined;
    const report = (error: unknown) => this.#parts.report("session_shutdown", error, context);
    if (session) await notifyEnd(session, messagesOf(context.sessionManager.getBranch()), report);
    await this.#memory.close();
  }

  /** The session; on first use, notifies its surfaces of the session start. */
  async #session(context: PiContext): Promise<Session> {
    const session = await this.#memory.session(context);
    if (!this.#started) {
      const report = (error: unknown) => this.#parts.report("session_start", error, context);
      await notify(session, { kind: "session-start" }, report);
      const hint = await this.#memory.earlierSessions(session, context);
      if (hint !== "") this.#shown.forget([hint]);
    }
    // Going to another branch goes on with the same work in another session.
    this.#started = session;
    return session;
  }

  #enterBranch(): void {
    this.#memory.leaveBranch();
    this.#shown.forget();
    this.#pending = undefined;
  }

  #toolOf({ name, description, inputSchema, readOnly }: ExtensionParts["tools"][number]): PiTool {
    return {
      name: dotless(name),
      label: name,
      description,
      parameters: inputSchema,
      executionMode: "sequential",
      execute: async (callId, input, _signal, _onUpdate, context) => {
        const answer = await this.#call({ name, readOnly, callId }, input, context);
        // pi marks a call as failed when it throws.
        if (!answer.ok) throw new HoldfastError("invalid_input", answer.text);
        return { content: [{ type: "text", text: answer.text }], details: { callId, ...answer.output } };
      },
    };
  }

  async #call(
    { name, readOnly, callId }: { name: string; readOnly: boolean; callId: string },
    input: unknown,
    context: PiContext,
  ): Promise<ToolAnswer> {
    const report = (error: unknown) => this.#parts.report(`tool ${name}`, error, context);
    try {
      const session = await this.#memory.session(context);
      const key = await this.#shown.ownEdit(callId, name, input);
      const answer = await session.call(name, input, { key, conversation: transcriptConversation });
      if (answer.ok && !readOnly) this.#nudges.noteWriting();
      // The store already has the edit; if writing to the branch fails, the next call tries again. A store that was just
      // found locked is not waited for a second time.
      if (answer.ok) await this.#memory.keep(context).catch(report);
      return answer;
    } catch (error) {
      report(error);
      throw error;
    }
  }

  async #placeMemory(
    { messages }: PiContextEvent,
    context: PiContext,
  ): Promise<{ messages: PiAgentMessage[] }> {
    const session = await this.#session(context);
    await this.#memory.keep(context);
    await this.#finishing.catch(() => undefined);
    const asks = messages.filter(({ role }) => role === "user").length;
    if (asks !== this.#asks && messages.at(-1)?.role === "user") {
      this.#shown.beginTurn();
      await this.#nudges.beginTurn(session, lastAnswer(messages));
    }
    this.#asks = asks;
    const { head, news } = await this.#shown.texts(session);
    const tail = [news, this.#nudges.text, await this.#warning(session, context)];
    return {
      messages: placeMemory(messages, { head: this.#parts.placement === "system" ? "" : head, tail }),
    };
  }

  async #addToSystemPrompt(
    { systemPrompt }: PiBeforeAgentStartEvent,
    context: PiContext,
  ): Promise<{ systemPrompt: string }> {
    const session = await this.#session(context);
    this.#shown.beginTurn();
    const { head } = await this.#shown.texts(session);
    return { systemPrompt: `${systemPrompt}\n\n${head}` };
  }

  /** pi compacts when fewer tokens than its reserve are left in the window. */
  async #warning(session: Session, context: PiContext): Promise<string> {
    const usage = context.getContextUsage?.();
    if (!usage || usage.tokens === null) return "";
    return warn(session, { tokens: usage.tokens, limit: reserving(defaultReserve)(usage.contextWindow) });
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

  /** Undefined if there is nothing to summarise. */
  async #startCompaction(
    key: string,
    event: PiBeforeCompactEvent,
    context: PiContext,
  ): Promise<PendingCompaction | undefined> {
    const session = await this.#session(context);
    await this.#memory.keep(context);
    const cut = cutBranch(event, context);
    if (cut.removed.length === 0) return undefined;
    const report = (error: unknown) => this.#parts.report("summary", error, context);
    const contextWindow = context.getContextUsage?.()?.contextWindow ?? assumedWindow;
    const compaction = branchCompaction(session, cut, {
      readWith: cut.transcript ? "recall" : "",
      contextWindow,
      report,
    });
    const { handoff } = await compaction.begin(cut);
    const { previousSummary: earlier = "" } = event.preparation;
    const { signal, customInstructions: focus } = event;
    const answer = summarise(askPi(context, signal), {
      earlier,
      removed: cut.removed,
      handoff: handoff.text,
      focus,
      contextWindow,
      countTokens: session.setting.countTokens,
      onProblem: (problem) => report(new Error(problem)),
      signal,
    }).then((summary) => ({ summary, text: renderSummary(summary, handoff) }));
    const pending = { key, compaction, handoff, answer };
    this.#pending = pending;
    answer.catch(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    return pending;
  }

  async #compacted({ compactionEntry }: PiCompactEvent): Promise<void> {
    const pending = this.#pending;
    this.#pending = undefined;
    this.#shown.forget();
    this.#nudges.noteCompaction();
    if (!pending) return;
    const { compaction, handoff } = pending;
    const own = await pending.answer.catch(() => undefined);
    const isOwn = own?.text === compactionEntry.summary;
    const { receipt } = await compaction.finish(
      isOwn ? own.summary : { text: compactionEntry.summary, by: "model" },
    );
    // If another extension wrote the summary, the memory shows the handoff.
    this.#shown.forget(isOwn || handoff.text === "" ? [receipt.line] : [handoff.text, receipt.line]);
  }
}

/** The text of the agent's last message. */
function lastAnswer(messages: readonly PiAgentMessage[]): string {
  const last = messages.findLast(({ role }) => role === "assistant");
  const converted = last && toModelMessage(last);
  return converted ? plainTextOf(converted) : "";
}

/** pi's default. */
const defaultReserve = 16_384;
