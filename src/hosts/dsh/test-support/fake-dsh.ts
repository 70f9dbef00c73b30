import type { ModelMessage } from "ai";
import { plainTextOf, toolCallsOf, toolResultsOf } from "../../../context/conversation.ts";
import type {
  DshAgent,
  DshContext,
  DshEngine,
  DshEngineClass,
  DshMessage,
  DshModelRequest,
  DshSummary,
  DshSummaryInput,
  DshTool,
} from "../api.ts";
import { textOf } from "../messages.ts";

interface FakeOptions {
  cwd: string;
  id: string;
  /** The model's answer. */
  answer(request: DshModelRequest): string;
}

/** One agent of DeepSeek Harness, with the parts of its API that the plug-in uses. */
export class FakeDsh {
  messages: DshMessage[] = [];
  readonly tools = new Map<string, DshTool>();
  readonly agent: DshAgent;
  readonly context: DshContext;
  /** Removes all messages but the last; the host's own summary is "the host's summary". */
  readonly engine: DshEngineClass;
  readonly #listeners = new Map<string, (...values: unknown[]) => unknown>();

  constructor({ cwd, id, answer }: FakeOptions) {
    this.context = {
      baseUrl: "file:///",
      llm: {
        async *stream(request: DshModelRequest) {
          yield { type: "text-delta", text: answer(request) };
          yield { type: "finish", reason: { kind: "stop" } };
        },
        resolveModelInfo: async () => ({ context: { contextWindow: 200_000 } }),
      },
      get: () => ({ register: (tool) => this.tools.set(tool.name, tool) }),
      on: (event, listener) => this.#listeners.set(event, listener as (...values: unknown[]) => unknown),
      plugin: () => undefined,
      effect: (run) => run(),
    };
    this.agent = {
      id,
      session: {
        id,
        header: { cwd },
        deriveMessages: () => [...this.messages],
        requestHeader: () => ({ config: { provider: "deepseek", model: "fake" } }),
      },
      options: {},
      ctx: this.context,
    };
    this.engine = engineOf(this);
  }

  get text(): string {
    return this.messages.map(({ content }) => textOf(content)).join("\n");
  }

  emit(event: string, ...values: unknown[]): unknown {
    return this.#listeners.get(event)?.(...values);
  }
}

function engineOf(host: FakeDsh): DshEngineClass {
  return class BasicEngine implements DshEngine {
    ctx = host.context;
    config = { summarizationProvider: "", summarizationModel: "", maxTokens: 4_000 };

    async summarize(_input: DshSummaryInput, _agent: DshAgent): Promise<DshSummary> {
      return { summary: [{ type: "text", text: "the host's summary" }], provider: "p", model: "m" };
    }

    async compactRegion(_start: number, _end: number, agent: DshAgent): Promise<object> {
      const removed = host.messages.slice(0, -1);
      const { summary } = await this.summarize({ messages: removed }, agent);
      const frame = (text: string) => ({ type: "text", text });
      const content = [frame("<compacted-summary>"), ...summary, frame("</compacted-summary>")];
      const source = { kind: "plugin", plugin: "compact" };
      host.messages = [
        { id: crypto.randomUUID(), role: "user", content, source },
        ...host.messages.slice(removed.length),
      ];
      return {};
    }

    async compactNow(agent: DshAgent): Promise<object | null> {
      return host.messages.length < 2 ? null : this.compactRegion(0, 0, agent);
    }
  };
}

/** A message in the host's format. */
export function dshForm(message: ModelMessage): DshMessage {
  const id = crypto.randomUUID();
  const stored = { number: 1, message, at: 1 };
  const [result] = toolResultsOf(stored);
  if (result) {
    const { id: toolCallId, text, isError } = result;
    const block = { type: "tool-result", toolCallId, content: [{ type: "text", text }], isError };
    return { id, role: "user", content: [block], source: { kind: "tool" } };
  }
  const calls = toolCallsOf(stored).map((call) => ({
    type: "tool-call",
    id: call.id,
    name: call.tool,
    arguments: JSON.stringify(call.input),
  }));
  const isUser = message.role === "user";
  const content = calls.length > 0 ? calls : [{ type: "text", text: plainTextOf(message) }];
  return { id, role: isUser ? "user" : "assistant", content, source: { kind: isUser ? "user" : "model" } };
}
