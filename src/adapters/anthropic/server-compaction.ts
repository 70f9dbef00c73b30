import { Compaction, findEnded, planSessionEnd } from "../../compaction/compaction.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { readEpoch } from "../../engine/conversation.ts";
import { HoldfastError } from "../../errors.ts";
import { commitReceipt } from "../../sessions/commit-receipt.ts";
import { ownEditsOf } from "../../sessions/own-edits.ts";
import type { Session } from "../../sessions/session.ts";
import { ShownMemory } from "../../sessions/shown-memory.ts";
import type { Moment } from "../../surfaces/surface.ts";
import { failureReporter } from "../caller/options.ts";
import { definitionsOf } from "../session-tools.ts";
import { type AnthropicEvent, type EventStream, JoinedStream } from "./joined-stream.ts";
import { type AnthropicMessage, compactedBlock, sinceCompaction, toModelMessages } from "./messages.ts";

/** The fields of a request to the beta Messages API that we read or change. */
export interface AnthropicRequest {
  messages: readonly AnthropicMessage[];
  system?: string | readonly object[] | undefined;
  betas?: readonly string[] | undefined;
  context_management?: { edits?: readonly ContextEdit[] } | null | undefined;
}

/** The fields of its answer that we read. */
export interface AnthropicAnswer {
  content: readonly { type: string }[];
  stop_reason?: string | null;
}

export interface AnthropicMemoryOptions<Request, Answer, Event, Final> {
  session: Session;
  /** `(params) => client.beta.messages.create(params)` */
  create?: (params: Request) => PromiseLike<Answer>;
  /** `(params) => client.beta.messages.stream(params)`, or `create` with `stream: true` */
  stream?: (params: Request) => EventStream<Event, Final> | PromiseLike<EventStream<Event, Final>>;
  /** Input tokens at which the API compacts (default: the API's, 150,000). A compaction edit of yours goes first. */
  compactAt?: number;
  /** Called with failures of memory, which never stop the agent (default: a warning on the console). */
  onError?: (error: Error) => void;
}

/** Requests that the API may answer with a compaction in one call. */
const maxPauses = 3;

/**
 * Memory for a loop on the Messages API that lets the API compact: each request shows the memory, and when the API
 * pauses after a compaction, the handoff and the receipt are written before the model goes on.
 *
 * @example
 * const memory = anthropicMemory({ session, create: (params: Params) => client.beta.messages.create(params) });
 * const answer = await memory.create({ model, max_tokens, messages, tools: await anthropicTools(session) });
 * messages.push({ role: "assistant", content: answer.content });
 */
export function anthropicMemory<
  Request extends AnthropicRequest,
  Answer extends AnthropicAnswer = never,
  Event extends AnthropicEvent = never,
  Final extends AnthropicAnswer = never,
>(options: AnthropicMemoryOptions<Request, Answer, Event, Final>) {
  const { session, compactAt } = options;
  if (!options.stream) given("create", options.create);
  const memory = new PausedMemory(session, failureReporter(options.onError));
  const prepare = async (params: Request) => withEdits(params, await memory.toolNames(), compactAt);
  const place = (params: Request, compacted: readonly { type: string }[]) =>
    memory.place(
      compacted.length === 0
        ? params
        : { ...params, messages: [...params.messages, { role: "assistant" as const, content: compacted }] },
    );
  return {
    /** Creates a message. Its content begins with the compaction, if there was one: add all of it to your messages. */
    async create(params: Request): Promise<Answer> {
      const create = given("create", options.create);
      const prepared = await prepare(params);
      const compacted: { type: string }[] = [];
      let answer = await create(await place(prepared, compacted));
      for (let pause = 0; answer.stop_reason === "compaction" && pause < maxPauses; pause++) {
        await memory.compact(params.messages, compactedBlock(answer.content));
        compacted.push(...answer.content);
        answer = await create(await place(prepared, compacted));
      }
      return compacted.length === 0 ? answer : { ...answer, content: [...compacted, ...answer.content] };
    },
    /** The same, streamed: the SDK's events of one message, and `finalMessage()`. */
    stream(params: Request): JoinedStream<Event, Final> {
      const stream = given("stream", options.stream);
      return new JoinedStream({
        send: async (compacted) => stream(await place(await prepare(params), compacted)),
        pause: (content) => memory.compact(params.messages, compactedBlock(content)),
        maxPauses,
      });
    },
    /** Ends work on the session for now: surfaces that store data outside it write their handover. */
    end: (messages: Request["messages"]) => memory.end(messages),
  };
}

function given<T>(name: "create" | "stream", option: T | undefined): T {
  if (typeof option === "function") return option;
  throw new HoldfastError(
    "invalid_input",
    `anthropicMemory needs "${name}": pass (params) => client.beta.messages.${name}(params).`,
  );
}

/** The memory of a conversation that the API compacts. */
class PausedMemory {
  readonly #session: Session;
  readonly #report: (error: unknown) => void;
  readonly #shown: ShownMemory;
  readonly #news = new PlacedNews();
  #isStarted = false;

  constructor(session: Session, report: (error: unknown) => void) {
    this.#session = session;
    this.#report = report;
    // The model's calls are run by `handleToolUse`, which knows only the session.
    this.#shown = new ShownMemory({ ownEdits: ownEditsOf(session) });
  }

  /** Empty if memory fails, which never stops the agent. */
  async toolNames(): Promise<string[]> {
    try {
      return (await definitionsOf(this.#session)).map(({ name }) => name);
    } catch (error) {
      this.#report(error);
      return [];
    }
  }

  /** Adds the memory to the system prompt, and what others have changed since to the message that is the newest then. */
  async place<Request extends AnthropicRequest>(params: Request): Promise<Request> {
    try {
      if (!this.#isStarted) {
        this.#isStarted = true;
        await this.#notify({ kind: "session-start" });
        // After a restart the caller's messages contain the compaction, but not what was noted about it.
        if (params.messages.some(({ content }) => compactedBlock(content))) await this.#showCompacted();
      }
      const head = await this.#show(params.messages);
      const { system = [] } = params;
      const own = typeof system === "string" ? [{ type: "text", text: system }] : system;
      const messages = this.#news.into(params.messages);
      return { ...params, system: [...own, { type: "text", text: head }], messages };
    } catch (error) {
      this.#report(error);
      return params;
    }
  }

  /** The text for the system prompt. News without a message that the model sees waits for the next request. */
  async #show(messages: readonly AnthropicMessage[]): Promise<string> {
    const at = placeForNews(messages);
    if (at === -1) return (await this.#shown.texts(this.#session)).head;
    const { head, news } = await this.#shown.textsOnce(this.#session);
    this.#news.add(at, news);
    return head;
  }

  /** A block without content is a compaction that failed: nothing was removed. */
  async compact(
    messages: readonly AnthropicMessage[],
    block: { content?: unknown } | undefined,
  ): Promise<void> {
    if (typeof block?.content !== "string") return;
    try {
      const removed = await this.#numbered(messages);
      const compaction = new Compaction(this.#driver());
      await compaction.begin({ messages: removed, to: removed.at(-1)?.number ?? 0 });
      await compaction.finish({ text: block.content, by: "model" });
      await this.#showCompacted();
    } catch (error) {
      this.#report(error);
    }
  }

  async end(messages: readonly AnthropicMessage[]): Promise<void> {
    this.#isStarted = false;
    const { countTokens } = this.#session.setting;
    await this.#notify(await planSessionEnd(this.#session, await this.#numbered(messages), countTokens));
  }

  /** What the model still sees, numbered on from the last compaction. */
  async #numbered(messages: readonly AnthropicMessage[]): Promise<StoredMessage[]> {
    const before = (await this.#session.receipts()).at(-1)?.to ?? 0;
    const converted = toModelMessages(sinceCompaction(messages));
    return converted.map((message, index) => ({ number: before + index + 1, message, at: 0 }));
  }

  #driver(): ConstructorParameters<typeof Compaction>[0] {
    const [session, shown] = [this.#session, this.#shown];
    const { countTokens } = session.setting;
    return {
      session,
      trigger: "host",
      skipped: "the API compacts without telling the agent first",
      // The caller has the messages; the agent cannot read them.
      readWith: "",
      handoff: session.setting.handoff,
      countTokens,
      async contextAfter({ body }) {
        shown.forget();
        const text = `${(await shown.texts(session)).head}\n${body}`;
        return { text, tokens: countTokens(text) };
      },
      commit: (receipt) => commitReceipt(session, receipt),
      notify: (moment) => this.#notify(moment),
    };
  }

  /** The next system prompt shows the memory as it is now, with the handoff and the receipt of the last compaction. */
  async #showCompacted(): Promise<void> {
    const ended = await findEnded(this.#session, readEpoch(await this.#session.state()).number - 1);
    this.#news.clear();
    const notice = ended ? [ended.handoff.text, ended.receipt.line] : [];
    this.#shown.forget(notice.filter((text) => text !== ""));
  }

  async #notify(moment: Moment): Promise<void> {
    const { toolbox } = this.#session.setting;
    for (const warning of await toolbox.notify(this.#session, moment)) this.#report(new Error(warning));
  }
}

/**
 * What someone else has changed, in the requests only: the caller's messages stay as they are. Each text keeps its place
 * in all later requests, so that what comes before the newest message stays in the provider's cache.
 */
class PlacedNews {
  #texts: { at: number; text: string }[] = [];

  clear(): void {
    this.#texts = [];
  }

  add(at: number, text: string): void {
    if (text !== "") this.#texts.push({ at, text });
  }

  into(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
    if (this.#texts.length === 0) return messages;
    const newest = placeForNews(messages);
    // The caller may have shortened its list.
    const placeOf = (at: number) => (messages[at]?.role === "user" ? at : newest);
    return messages.map((message, index) => {
      const texts = this.#texts.filter(({ at }) => placeOf(at) === index);
      return texts.reduce((changed, { text }) => withText(changed, text), message);
    });
  }
}

/** The newest user message that the model sees, which is not one before a compaction; -1 if there is none. */
function placeForNews(messages: readonly AnthropicMessage[]): number {
  const compacted = messages.findLastIndex(({ content }) => compactedBlock(content));
  const newest = messages.findLastIndex(({ role }) => role === "user");
  return newest > compacted ? newest : -1;
}

function withText(message: AnthropicMessage, text: string): AnthropicMessage {
  const { content = [] } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return { ...message, content: [...blocks, { type: "text", text }] };
}

/** An edit of the API's context management. */
export interface ContextEdit {
  type: string;
  exclude_tools?: readonly string[] | null;
  pause_after_compaction?: boolean;
  trigger?: unknown;
}

const compactionBeta = "compact-2026-01-12";
const clearingBeta = "context-management-2025-06-27";

/**
 * Has the API pause after a compaction. If it clears tool results, which is then the only clearing there is, it leaves
 * memory's own results alone: the agent sees in them what it has written down.
 */
function withEdits<Request extends AnthropicRequest>(
  params: Request,
  memoryTools: readonly string[],
  compactAt: number | undefined,
): Request {
  const { edits = [] } = params.context_management ?? {};
  const trigger = compactAt === undefined ? {} : { trigger: { type: "input_tokens", value: compactAt } };
  const compacting: ContextEdit[] = edits.some(isCompaction)
    ? []
    : [{ type: "compact_20260112", ...trigger }];
  const all = [...edits, ...compacting].map((edit): ContextEdit => {
    if (isCompaction(edit)) return { ...edit, pause_after_compaction: true };
    if (!isClearing(edit)) return edit;
    return {
      ...edit,
      exclude_tools: [...new Set([...(edit.exclude_tools ?? []), ...memoryTools, "memory"])],
    };
  });
  const needed = [compactionBeta, ...(all.some(isClearing) ? [clearingBeta] : [])];
  return {
    ...params,
    betas: [...new Set([...(params.betas ?? []), ...needed])],
    context_management: { ...params.context_management, edits: all },
  };
}

function isCompaction({ type }: ContextEdit): boolean {
  return type.startsWith("compact_");
}

function isClearing({ type }: ContextEdit): boolean {
  return type.startsWith("clear_tool_uses_");
}
