import type {
  PiAgentMessage,
  PiCompaction,
  PiContext,
  PiExtensionApi,
  PiModelAnswer,
  PiModelRequest,
  PiTool,
  PiTreeEntry,
} from "../api.ts";

type Handler = (event: never, context: PiContext) => unknown;

export interface FakePiOptions {
  cwd: string;
  id?: string;
  /** Entries that the file already has. */
  entries?: PiTreeEntry[];
  /** The model's answer to a summary request (default: the call fails). */
  summarise?: (request: PiModelRequest) => string;
}

/** pi as an extension sees it: a tree of entries with a leaf, tools, and events that are awaited in order. */
export class FakePi implements PiExtensionApi {
  readonly tools = new Map<string, PiTool>();
  /** The warnings that the user is shown. */
  readonly notices: string[] = [];
  /** The other lines that the user is shown. */
  readonly news: string[] = [];
  readonly summaryRequests: PiModelRequest[] = [];
  readonly context: PiContext;
  entries: PiTreeEntry[];
  usage: { tokens: number | null; contextWindow: number } | undefined;
  #leaf: string | null;
  readonly #handlers = new Map<string, Handler[]>();

  constructor({ cwd, id = "01a1e2ae-c228-71be-8486-c0cb21c7e3e0", entries = [], summarise }: FakePiOptions) {
    this.entries = [...entries];
    this.#leaf = this.entries.at(-1)?.id ?? null;
    this.context = {
      cwd,
      hasUI: true,
      ui: { notify: (message, kind) => void (kind === "info" ? this.news : this.notices).push(message) },
      sessionManager: {
        getSessionId: () => id,
        getBranch: () => this.branch(),
        getEntries: () => [...this.entries],
      },
      model: { id: "scripted" },
      modelRegistry: {
        streamSimple: (_model, request) => ({
          result: async (): Promise<PiModelAnswer> => {
            this.summaryRequests.push(request);
            if (!summarise) return { content: [], stopReason: "error", errorMessage: "no model" };
            return { content: [{ type: "text", text: summarise(request) }], stopReason: "stop" };
          },
        }),
      },
      getContextUsage: () => this.usage,
    };
  }

  on(event: string, handler: Handler): void {
    this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), handler]);
  }

  registerTool(tool: PiTool): void {
    this.tools.set(tool.name, tool);
  }

  appendEntry(customType: string, data: unknown): void {
    this.#add({ type: "custom", customType, data });
  }

  async emit<Result>(event: string, payload: object = {}): Promise<Result | undefined> {
    let result: unknown;
    for (const handler of this.#handlers.get(event) ?? []) {
      result = (await handler({ type: event, ...payload } as never, this.context)) ?? result;
    }
    return result as Result | undefined;
  }

  branch(): PiTreeEntry[] {
    const byId = new Map(this.entries.map((entry) => [entry.id, entry]));
    const branch: PiTreeEntry[] = [];
    for (let at = this.#leaf; at !== null; at = byId.get(at)?.parentId ?? null)
      branch.unshift(byId.get(at) as PiTreeEntry);
    return branch;
  }

  get leaf(): string {
    return this.#leaf ?? "";
  }

  /** The messages of a model call at this point. */
  messages(): PiAgentMessage[] {
    const branch = this.branch();
    const compaction = branch.findLast(({ type }) => type === "compaction");
    const start = compaction ? branch.findIndex(({ id }) => id === compaction.firstKeptEntryId) : 0;
    const summary = compaction
      ? [{ role: "compactionSummary", summary: compaction.summary, timestamp: 0 }]
      : [];
    const said = branch.slice(start).filter(({ type }) => type === "message");
    return structuredClone([...summary, ...said.map(({ message }) => message as PiAgentMessage)]);
  }

  /** The input of the model after all extensions have run. */
  async modelCall(): Promise<PiAgentMessage[]> {
    const messages = this.messages();
    return (await this.emit<{ messages: PiAgentMessage[] }>("context", { messages }))?.messages ?? messages;
  }

  /** Adds a message as it is. */
  keep(message: PiAgentMessage): string {
    return this.#add({ type: "message", message });
  }

  say(role: "user" | "assistant", text: string): string {
    return this.#add({ type: "message", message: { role, content: [{ type: "text", text }], timestamp: 1 } });
  }

  async call(tool: string, input: unknown): Promise<string> {
    const id = `call_${this.entries.length}`;
    const content = [{ type: "toolCall", id, name: tool, arguments: input }];
    this.#add({ type: "message", message: { role: "assistant", content, timestamp: 1 } });
    const found = this.tools.get(tool);
    if (!found) throw new Error(`pi has no tool ${tool}`);
    const result = await found.execute(id, input, undefined, undefined, this.context);
    const text = result.content.map((part) => part.text).join("");
    const answer = {
      role: "toolResult",
      toolCallId: id,
      toolName: tool,
      content: result.content,
      timestamp: 1,
    };
    this.#add({ type: "message", message: { ...answer, isError: false } });
    return text;
  }

  /** Moves in the tree, as `/tree` does. */
  async goTo(id: string): Promise<void> {
    this.#leaf = id;
    await this.emit("session_tree", { newLeafId: id });
  }

  /** Asks the extension as pi does, `asks` times. */
  async beforeCompact(
    firstKept: string,
    asks = 1,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<(PiCompaction | undefined)[]> {
    const branch = this.branch();
    const earlier = branch.findLast(({ type }) => type === "compaction");
    const from = earlier ? branch.findIndex(({ id }) => id === earlier.firstKeptEntryId) : 0;
    const to = branch.findIndex(({ id }) => id === firstKept);
    const messages = branch.slice(from, to).filter(({ type }) => type === "message");
    const event = {
      preparation: {
        messagesToSummarize: messages.map(({ message }) => message),
        turnPrefixMessages: [],
        firstKeptEntryId: firstKept,
        tokensBefore: 5_000,
        ...(earlier ? { previousSummary: earlier.summary } : {}),
      },
      branchEntries: branch,
      signal,
    };
    const answers: (PiCompaction | undefined)[] = [];
    for (let count = 0; count < asks; count++)
      answers.push(
        (await this.emit<{ compaction: PiCompaction }>("session_before_compact", event))?.compaction,
      );
    return answers;
  }

  /** Saves a compaction, the extension's or pi's own. */
  async compacted(
    compaction: Pick<PiCompaction, "summary" | "firstKeptEntryId">,
    fromExtension: boolean,
  ): Promise<void> {
    this.#add({ type: "compaction", ...compaction });
    await this.emit("session_compact", { compactionEntry: compaction, fromExtension });
  }

  #add(fields: { type: string; [name: string]: unknown }): string {
    const id = (0x10000000 + this.entries.length).toString(16);
    this.entries.push({ ...fields, id, parentId: this.#leaf });
    this.#leaf = id;
    return id;
  }
}

/** Everything the model sees in a call, as one text. */
export function shownIn(messages: readonly PiAgentMessage[]): string {
  return messages
    .map((message) => JSON.stringify(message.content ?? message.summary ?? ""))
    .join("\n")
    .replaceAll("\\n", "\n");
}
