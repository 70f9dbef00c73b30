import type { Compaction, Finished } from "../../compaction/compaction.ts";
import { warningText } from "../../compaction/notices.ts";
import { readEpoch } from "../../engine/conversation.ts";
import type { Checkpoint } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { dotless, type ToolAnswer } from "../../surfaces/toolbox.ts";
import { notify, notifyEnd } from "../plugin/driver.ts";
import { ShownMemory } from "../plugin/shown-memory.ts";
import type {
  PiAgentMessage,
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
  /** Reports what failed; the agent goes on. */
  report(event: string, error: unknown, context: PiContext): void;
}

/** The compaction that pi was last asked to make. */
interface Asked {
  key: string;
  compaction: Compaction;
  checkpoint: Checkpoint;
  answer: Promise<Finished>;
}

/** pi does not say how large the window is that it compacts; a summary of this one fits in any. */
const assumedWindow = 30_000;

export class PiExtension {
  readonly #parts: ExtensionParts;
  readonly #memory: PiMemory;
  readonly #shown = new ShownMemory();
  #asked: Asked | undefined;
  /** Whether the surfaces know that the session has begun. */
  #isStarted = false;

  constructor(pi: PiExtensionApi, parts: ExtensionParts) {
    this.#parts = parts;
    this.#memory = new PiMemory((type, data) => pi.appendEntry(type, data), parts.openMemory);
  }

  register(pi: PiExtensionApi): void {
    const caught =
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
    pi.on("session_start", caught("session_start", enter));
    pi.on("session_tree", caught("session_tree", enter));
    pi.on(
      "session_shutdown",
      caught("session_shutdown", (_event: unknown, context) => this.#end(context)),
    );
    pi.on(
      "context",
      caught("context", (event: PiContextEvent, context) => this.#place(event, context)),
    );
    pi.on(
      "session_before_compact",
      caught("session_before_compact", (event: PiBeforeCompactEvent, context) =>
        this.#compact(event, context),
      ),
    );
    pi.on(
      "session_compact",
      caught("session_compact", (event: PiCompactEvent) => this.#compacted(event)),
    );
    for (const tool of this.#parts.tools) pi.registerTool(this.#toolOf(tool));
  }

  /** Surfaces that keep something outside the session write their hand-over before pi ends. */
  async #end(context: PiContext): Promise<void> {
    if (this.#isStarted) {
      const session = await this.#memory.session(context);
      const report = (error: unknown) => this.#parts.report("session_shutdown", error, context);
      await notifyEnd(session, messagesOf(context.sessionManager.getBranch()), report);
    }
    this.#isStarted = false;
    await this.#memory.close();
  }

  /** The session, whose surfaces are told once that work on it begins. */
  async #session(context: PiContext): Promise<Session> {
    const session = await this.#memory.session(context);
    if (!this.#isStarted) {
      this.#isStarted = true;
      const report = (error: unknown) => this.#parts.report("session_start", error, context);
      await notify(session, { kind: "session-start" }, report);
    }
    return session;
  }

  #enterBranch(): void {
    this.#memory.leaveBranch();
    this.#shown.forget();
    this.#asked = undefined;
  }

  #toolOf({ name, description, inputSchema }: ExtensionParts["tools"][number]): PiTool {
    return {
      name: dotless(name),
      label: name,
      description,
      parameters: inputSchema,
      executionMode: "sequential",
      execute: async (callId, input, _signal, _onUpdate, context) => {
        const answer = await this.#call(name, input, context);
        // pi marks a call as failed when it throws.
        if (!answer.ok) throw new HoldfastError("invalid_input", answer.text);
        return { content: [{ type: "text", text: answer.text }], details: { callId, ...answer.output } };
      },
    };
  }

  async #call(name: string, input: unknown, context: PiContext): Promise<ToolAnswer> {
    const report = (error: unknown) => this.#parts.report(`tool ${name}`, error, context);
    try {
      const session = await this.#memory.session(context);
      const answer = await session.call(name, input, { key: this.#shown.ownEdit() });
      // What is stored is stored; the branch is told again at the next call.
      await this.#memory.keep(context).catch(report);
      return answer;
    } catch (error) {
      report(error);
      throw error;
    }
  }

  async #place({ messages }: PiContextEvent, context: PiContext): Promise<{ messages: PiAgentMessage[] }> {
    const session = await this.#session(context);
    await this.#memory.keep(context);
    const { head, news } = await this.#shown.texts(session);
    return { messages: placeMemory(messages, { head, tail: [news, await this.#warning(session, context)] }) };
  }

  /** Once in each epoch, while there is still room to write something down. */
  async #warning(session: Session, context: PiContext): Promise<string> {
    const usage = context.getContextUsage?.();
    if (!usage || usage.tokens === null || usage.tokens < warnFrom(usage.contextWindow)) return "";
    const state = await session.state();
    if (readEpoch(state).warning !== "none") return "";
    const before = state.row.counters.lastMessage + 1;
    const warning = { type: "context.warn" as const, trigger: "host" as const, before, text: warningText };
    await session.apply(warning, { actor: { kind: "system" } });
    return warningText;
  }

  async #compact(
    event: PiBeforeCompactEvent,
    context: PiContext,
  ): Promise<{ compaction: PiCompaction } | undefined> {
    const { firstKeptEntryId, tokensBefore } = event.preparation;
    const newest = event.branchEntries.findLast(({ type }) => type === "message")?.id;
    const key = `${firstKeptEntryId} ${newest}`;
    // pi may ask twice for one compaction.
    const asked = this.#asked?.key === key ? this.#asked : await this.#ask(key, event, context);
    const finished = await asked?.answer.catch((error: unknown) => {
      if (!event.signal.aborted) throw error;
    });
    if (!asked || !finished) return undefined;
    const { filesRead: readFiles, filesWritten: modifiedFiles } = asked.checkpoint;
    const details = { readFiles, modifiedFiles, receipt: finished.receipt };
    return { compaction: { summary: finished.text, firstKeptEntryId, tokensBefore, details } };
  }

  /** Undefined when there is nothing to sum up. */
  async #ask(key: string, event: PiBeforeCompactEvent, context: PiContext): Promise<Asked | undefined> {
    const session = await this.#session(context);
    await this.#memory.keep(context);
    const cut = cutBranch(event);
    if (cut.removed.length === 0) return undefined;
    const report = (error: unknown) => this.#parts.report("summary", error, context);
    const compaction = await branchCompaction(session, cut, report);
    const { checkpoint } = await compaction.begin(cut);
    const { previousSummary: earlier = "" } = event.preparation;
    const { signal, customInstructions: focus } = event;
    const answer = compaction
      .summarise(askPi(context, signal), {
        earlier,
        removed: cut.removed,
        focus,
        contextWindow: assumedWindow,
        signal,
      })
      .then((summary) => compaction.account(summary));
    const asked = { key, compaction, checkpoint, answer };
    this.#asked = asked;
    answer.catch(() => {
      if (this.#asked === asked) this.#asked = undefined;
    });
    return asked;
  }

  async #compacted({ compactionEntry }: PiCompactEvent): Promise<void> {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#shown.forget();
    if (!asked) return;
    const { compaction, checkpoint } = asked;
    const own = await asked.answer.catch(() => undefined);
    if (own?.text !== compactionEntry.summary) {
      // Another extension wrote the summary, so checkpoint and receipt go with the memory.
      const { receipt } = await compaction.account({ text: compactionEntry.summary, by: "model" });
      this.#shown.forget([checkpoint.text, receipt.line]);
    }
    await compaction.close();
  }
}

/** pi compacts when only this much of the window is left, unless it is told otherwise. */
const usualReserve = 16_384;

function warnFrom(contextWindow: number): number {
  return 0.85 * (contextWindow - Math.min(usualReserve, contextWindow / 2));
}
