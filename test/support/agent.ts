import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  createAgent,
  type Turn,
  type TurnResult,
} from "../../src/agent/index.ts";
import { summaryInstructions } from "../../src/compaction/summary.ts";
import { warningText } from "../../src/compaction/warning.ts";
import { estimateTokens, type Memory, openMemory, type Session } from "../../src/index.ts";
import {
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from "../../src/testing/index.ts";
import { tickingClock } from "./memory.ts";
import { assertValidPrompt } from "./prompt.ts";

export type Script = (request: ScriptedRequest, number: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

export interface Stage {
  memory: Memory;
  agent: Agent;
  server: ScriptedServer;
  /** Another agent on the same store and server, as in a new process. */
  another(options?: Partial<AgentOptions>): Agent;
  session(): Promise<Session>;
  /** Sends and waits; returns the result and all events. */
  say(text: string): Promise<TurnResult & { events: AgentEvent[] }>;
  /** Closes early; throws the first failure of the script. */
  close(): Promise<void>;
  /** All requests except those for summaries. */
  turns(): ScriptedRequest[];
}

export interface StageOptions extends Partial<Omit<AgentOptions, "model">> {
  script: Script;
  /** The model writes summaries in requests of their own. */
  hasSummaryRequests?: boolean;
}

/** An agent that talks to a scripted model over HTTP. Validates every request; failures surface when the test ends. */
export async function openStage(
  t: TestContext,
  { script, hasSummaryRequests = false, ...options }: StageOptions,
): Promise<Stage> {
  const failures: unknown[] = [];
  const server = await startScriptedServer(async (request, number) => {
    try {
      assertValidPrompt(request);
      return withUsage(await script(request, number), request);
    } catch (error) {
      failures.push(error);
      // Agents do not retry after a 401.
      return { status: 401, error: (error as Error).message };
    }
  });
  const memory = options.memory ?? (await openMemory({ store: "memory:", clock: tickingClock() }));
  let open = true;
  const close = async () => {
    if (open) await Promise.all([server.close(), memory.close()]);
    open = false;
    if (failures.length > 0) throw failures[0];
  };
  t.after(close);
  const defaults: AgentOptions = {
    memory,
    model: modelAt(server.url),
    ...(hasSummaryRequests ? { summaryModel: modelAt(server.url) } : {}),
    contextWindow: 32_000,
    system: "You are a careful analyst.",
  };
  const agent = createAgent({ ...defaults, ...options });
  return {
    memory,
    agent,
    server,
    another: (more = {}) => createAgent({ ...defaults, ...options, ...more }),
    close,
    session: () => memory.openSession("s"),
    say: (text) => finish(agent.send("s", text)),
    turns: () => server.requests.filter((request) => !isSummaryRequest(request)),
  };
}

function withUsage(answer: ScriptedAnswer, request: ScriptedRequest): ScriptedAnswer {
  if ("hangUp" in answer || "status" in answer || answer.usage !== undefined) return answer;
  return { ...answer, usage: { input: tokensOf(request), output: 20 } };
}

/** The usage that a provider with our token count would report. */
export function tokensOf({ messages, tools = [] }: ScriptedRequest): number {
  const counted = messages.map(
    ({ content, tool_calls }) =>
      countOnce(`${content ?? ""}${tool_calls ? JSON.stringify(tool_calls) : ""}`) + 4,
  );
  return counted.reduce((sum, tokens) => sum + tokens, countOnce(JSON.stringify(tools)));
}

/** Each request repeats the messages of the one before it. */
const counts = new Map<string, number>();

function countOnce(text: string): number {
  const known = counts.get(text);
  if (known !== undefined) return known;
  if (counts.size > 5_000) counts.clear();
  const tokens = estimateTokens(text);
  counts.set(text, tokens);
  return tokens;
}

export function modelAt(url: string) {
  return createOpenAICompatible({ name: "scripted", baseURL: url, includeUsage: true })("scripted-model");
}

/** Waits for a turn and returns its result with all events. */
export async function finish(turn: Turn): Promise<TurnResult & { events: AgentEvent[] }> {
  const events: AgentEvent[] = [];
  for await (const event of turn) events.push(event);
  return { ...(await turn.result), events };
}

export function ofType<T extends AgentEvent["type"]>(
  events: readonly AgentEvent[],
  type: T,
): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

export function isSummaryRequest({ messages }: ScriptedRequest): boolean {
  return (
    messages[0]?.content === summaryInstructions ||
    String(messages.at(-1)?.content).includes(summaryInstructions)
  );
}

/** Whether this request delivers the warning, as its newest message. */
export function isWarning({ messages }: ScriptedRequest): boolean {
  return String(messages.at(-1)?.content).endsWith(warningText);
}

/** All messages of a request, as one text. */
export function textsOf(request: ScriptedRequest | undefined): string {
  return (request?.messages ?? []).map(({ content }) => String(content ?? "")).join("\n");
}

/** Whether this request belongs to a warning turn; the compaction removes the warning from the prompt. */
export function isInWarningTurn({ messages }: ScriptedRequest): boolean {
  return messages.some(({ role, content }) => role === "user" && String(content).includes(warningText));
}

/** Answers turns from a list in order, and summaries and warnings with defaults. */
export function inOrder(
  answers: readonly ScriptedAnswer[],
  others: { summary?: Script; warning?: Script } = {},
): Script {
  let next = 0;
  return (request, number) => {
    if (isSummaryRequest(request))
      return others.summary?.(request, number) ?? { text: plainSummary(request) };
    if (isWarning(request)) return others.warning?.(request, number) ?? { text: "Notepad is up to date." };
    if (isInWarningTurn(request)) return { text: "Saved." };
    return answers[next++] ?? { text: "Done." };
  };
}

/** A summary that passes the check: it repeats the user's requests. */
export function plainSummary({ messages }: ScriptedRequest): string {
  const requests = [...String(messages.at(-1)?.content).matchAll(/^(?:user: |Open request: )(.*)$/gm)].map(
    ([, text]) => text,
  );
  return `The user asked: ${requests.join(" / ")}. Work went on.`;
}

export function call(
  name: string,
  input: unknown,
  id?: string,
): { name: string; input: unknown; id?: string } {
  return { name, input, ...(id === undefined ? {} : { id }) };
}

export const append = (content: string) => call("update_notepad", { operation: "append", content });

/** Meaningless text of about that many tokens. */
export function filler(tokens: number, word = "lorem"): string {
  return Array.from({ length: tokens }, (_, index) => (index % 200 === 199 ? `${word}\n` : word)).join(" ");
}

export function notepadIn(request: ScriptedRequest): string {
  const system = String(request.messages[0]?.content);
  const at = system.lastIndexOf("## Session Notepad\n");
  assert.notEqual(at, -1, "no notepad in the system prompt");
  return system.slice(at + "## Session Notepad\n".length);
}
