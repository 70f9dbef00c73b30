import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, tool } from "ai";
import { createAgent } from "../../../src/agent/index.ts";
import { warningText } from "../../../src/compaction/notices.ts";
import { summaryInstructions } from "../../../src/compaction/summary.ts";
import { type Memory, openMemory } from "../../../src/index.ts";
import type { ScriptedRequest } from "../../../src/testing/index.ts";
import { textOf } from "../request-text.ts";
import type { RequestKind, Setting, System } from "../system.ts";

/** Holdfast's agent, as `holdfast` and `holdfast/agent` export it, with its defaults. */
export const holdfast: System = holdfastOn("memory");

export function holdfastOn(
  store: "sqlite" | "memory",
  change: (memory: Memory) => Memory = (memory) => memory,
): System {
  return {
    name: "Holdfast",
    configuration: "createAgent with its defaults; memory opened without options",
    durability:
      store === "sqlite"
        ? "SQLite, WAL, synchronous = FULL: every message and edit before the call returns"
        : "none",
    isDurable: store === "sqlite",
    kindOf,
    note: (text, old) => ({
      name: "update_notepad",
      input: old
        ? { operation: "find_replace", find: old, replace: text }
        : { operation: "append", content: text },
    }),
    lookUp: ({ subject }) => ({ name: "recall", input: { query: subject } }),
    // Reads the message that the search found; after a call, the message with its result.
    lookFurther(_question, result) {
      const [, message, by] = /"message":\s*(\d+),\s*"excerpt":\s*"(\w+)/.exec(result) ?? [];
      if (message === undefined) return undefined;
      return { name: "recall", input: { message: Number(message) + (by === "assistant" ? 1 : 0) } };
    },
    open: (setting) => open(setting, store, change),
  };
}

function kindOf({ messages }: ScriptedRequest): RequestKind {
  const [first] = messages;
  const last = messages.at(-1);
  const includes = (message: typeof last, text: string) =>
    message !== undefined && textOf(message).includes(text);
  if (includes(first, summaryInstructions) || includes(last, summaryInstructions)) return "summary";
  return last?.role === "user" && includes(last, warningText) ? "other" : "turn";
}

const session = "story";

async function open(setting: Setting, store: "sqlite" | "memory", change: (memory: Memory) => Memory) {
  const { url, window, tools, instructions, directory } = setting;
  const memory = change(
    await openMemory({ store: store === "memory" ? "memory:" : join(directory, "memory.db") }),
  );
  const model = createOpenAICompatible({ name: "scripted", baseURL: url, includeUsage: true })("scripted");
  const agent = createAgent({
    memory,
    model,
    contextWindow: window,
    system: instructions,
    maxRetries: 0,
    tools: Object.fromEntries(
      tools.map(({ name, description, parameters, execute }) => [
        name,
        tool({
          description,
          inputSchema: jsonSchema<Record<string, string>>(parameters),
          execute: async (input) => execute(input),
        }),
      ]),
    ),
  });
  await agent.resume(session).result;
  return {
    send: async (text: string) => void (await agent.send(session, text).result),
    async edit(text: string) {
      const opened = await memory.openSession(session);
      await opened.notepad.append(text);
    },
    close: () => memory.close(),
  };
}
