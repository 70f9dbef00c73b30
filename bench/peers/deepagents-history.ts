import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { createSummarizationMiddleware, FilesystemBackend } from "deepagents";
import type { Step } from "../resume/story.ts";

/**
 * deepagents' summarization with its defaults for a model without a profile: the newest six messages stay, and what is
 * removed goes to a file that the agent can grep. Reads its options from stdin, and prints context and matches as JSON.
 */
const { summaries, queries, spans } = JSON.parse(readFileSync(0, "utf8")) as {
  summaries: string[];
  queries: string[];
  spans: Step[][];
};

let calls = 0;
const directory = mkdtempSync(join(tmpdir(), "holdfast-deepagents-"));
try {
  const backend = new FilesystemBackend({ rootDir: directory, virtualMode: true });
  const messages: BaseMessage[] = [];
  let shown: BaseMessage[] = [];
  let state: Record<string, unknown> = {};
  for (const [index, span] of spans.entries()) {
    messages.push(...span.flatMap(messagesOf));
    const model = new FakeListChatModel({ responses: [summaries[index] ?? ""] });
    const middleware = createSummarizationMiddleware({
      model,
      backend,
      trigger: { type: "messages", value: 2 },
      keep: { type: "messages", value: 6 },
    });
    const wrap = middleware.wrapModelCall as unknown as (
      request: object,
      handler: (request: { messages: BaseMessage[] }) => Promise<AIMessage>,
    ) => Promise<{ update?: Record<string, unknown> }>;
    const request = { messages, state: { ...state, messages }, tools: [], model, runtime: {} };
    const result = await wrap(request, async (given) => {
      shown = given.messages;
      return new AIMessage("ok");
    });
    state = { ...state, ...result.update };
  }
  const found: string[] = [];
  for (const query of queries) {
    const { matches = [] } = await backend.grep(query, "/");
    found.push(
      matches.map(({ path, line, text }) => `${path}:${line}: ${text}`).join("\n") || "No matches found",
    );
  }
  // The file has a random name.
  const named = (text: string) =>
    text.replaceAll(/conversation_history\/\w+/g, "conversation_history/session");
  const context = named(shown.map(printed).join("\n"));
  process.stdout.write(`${JSON.stringify({ context, found: found.map(named) })}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function printed(message: BaseMessage): string {
  const label = { human: "USER", ai: "AGENT", tool: "RESULT" }[message.type as string] ?? message.type;
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const texts = [message.text, ...calls.map(({ name, args }) => `CALL ${name} ${JSON.stringify(args)}`)];
  return `${label}: ${texts.filter((text) => text !== "").join("\n")}`;
}

function messagesOf(step: Step): BaseMessage[] {
  if (step.kind === "user") return [new HumanMessage(step.text)];
  if (step.kind === "agent") return [new AIMessage(step.text)];
  const id = `call-${++calls}`;
  return [
    new AIMessage({
      content: "",
      tool_calls: [{ id, name: step.tool, args: step.input, type: "tool_call" }],
    }),
    new ToolMessage({ content: step.result, tool_call_id: id }),
  ];
}
