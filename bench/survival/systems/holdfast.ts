import { join } from "node:path";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, tool } from "ai";
import { createAgent } from "../../../src/agent/index.ts";
import { summaryInstructions } from "../../../src/compaction/summary.ts";
import { warningText } from "../../../src/compaction/warning.ts";
import { openMemory } from "../../../src/index.ts";
import type { ScriptedRequest } from "../../../src/testing/index.ts";
import { textOf } from "../request-text.ts";
import type { RequestKind, Setting, SpeedSubject, System } from "../system.ts";

/** Holdfast's agent, as `holdfast` and `holdfast/agent` export it, with its defaults. */
export const holdfast: System = {
  name: "Holdfast",
  configuration: "createAgent with its defaults",
  durability: "SQLite, WAL, synchronous = FULL: every message and edit is on disk before the call returns",
  isDurable: true,
  kindOf,
  note: (line) => ({ name: "update_notepad", input: { operation: "append", content: line } }),
  lookUp: (subject) => ({ name: "recall", input: { query: subject } }),
  open,
  openStore,
};

async function openStore(directory: string): Promise<SpeedSubject> {
  const memory = await openMemory({ store: join(directory, "memory.db") });
  const opened = await memory.openSession(session);
  return {
    durability: "SQLite, WAL, synchronous = FULL",
    edit: (number) => opened.notepad.write(`- note ${number}`),
    read: () => opened.context(),
    reopen: () => openStore(directory),
    close: () => memory.close(),
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

async function open({ url, window, tools, instructions, directory, durable }: Setting) {
  const memory = await openMemory({ store: durable ? join(directory, "memory.db") : "memory:" });
  // The costs are those of a provider that caches prompts, so the agent is configured with one.
  const model = createOpenAICompatible({ name: "openai", baseURL: url, includeUsage: true })("scripted");
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
    close: () => memory.close(),
  };
}
