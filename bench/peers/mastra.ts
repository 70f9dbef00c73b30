import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { Memory } from "@mastra/memory";
import { jsonSchema } from "ai";
import type { SpeedSubject, System } from "../survival/system.ts";

/**
 * Milliseconds. Mastra orders messages by the millisecond of their creation and may date an answer some ahead; a message
 * that follows sooner than any person's would be put before it.
 */
const betweenTurns = 10;

const ids = { thread: "story", resource: "user" };

/**
 * Observational memory, which Mastra's documentation recommends for long conversations, with working memory for what the
 * agent writes down and the recall tool for what was observed. The scripted summarizer is the observer.
 */
export const system: System = {
  name: "Mastra memory",
  package: "@mastra/memory",
  configuration:
    "observationalMemory (observe at 25 % of the window, about what its default of 30,000 tokens is of 128,000: from 30 % on, the observer's own requests, with a prompt of about 4,700 tokens, do not all fit the window of 8,000; retrieval on), workingMemory with its default template, LibSQL",
  durability: "LibSQL (SQLite) file with its defaults",
  isDurable: true,
  note: (_line, all) => ({ name: "updateWorkingMemory", input: { memory: all.join("\n") } }),
  formatSummary: (text) =>
    `<observations>\n${text
      .split("\n")
      .map((line) => `* ${line}`)
      .join("\n")}\n</observations>`,
  // The observer has no tools. A request to the agent may end with a reminder of Mastra's, once the user's message was observed.
  kindOf: ({ tools = [] }) => (tools.length === 0 ? "summary" : "turn"),
  // The observations name the range of messages that they come from.
  lookUp(_subject, context) {
    const [, cursor] = /_range: `([\w-]+):/.exec(context) ?? [];
    return cursor === undefined ? undefined : { name: "recall", input: { mode: "messages", cursor } };
  },
  async open({ url, window, tools, instructions, directory, durable, earlierStarts }) {
    const model = createOpenAICompatible({ name: "scripted", baseURL: url })("scripted");
    const storage = new LibSQLStore({
      id: "story",
      url: durable ? `file:${join(directory, "mastra.db")}` : ":memory:",
    });
    const memory = new Memory({
      storage,
      options: {
        workingMemory: { enabled: true },
        observationalMemory: {
          model,
          observation: { messageTokens: Math.floor(window * 0.25), bufferTokens: false },
          reflection: { observationTokens: Math.floor(window * 0.25) },
          retrieval: true,
        },
      },
    });
    const agent = new Agent({
      id: "story",
      name: "story",
      instructions,
      model,
      memory,
      tools: Object.fromEntries(
        tools.map(({ name, description, parameters, execute }) => [
          name,
          createTool({
            id: name,
            description,
            inputSchema: jsonSchema(parameters),
            execute: async (input) => execute(input as Record<string, string>),
          }),
        ]),
      ),
    });
    // The cut of `recall` depends on the tokens of the messages' ids, so they are the same in every run. A process that
    // goes on after another one must not use its ids again.
    new Mastra({ agents: { story: agent }, idGenerator: makeIds(earlierStarts), logger: false });
    return {
      async send(text) {
        await delay(betweenTurns);
        await agent.generate(text, { memory: ids, maxSteps: 500 });
      },
      close: async () => {},
    };
  },
  openStore,
};

/** A process makes fewer. */
const maxIds = 1_000_000;

/** Ids that look like random ones. */
function makeIds(earlierStarts: number): () => string {
  let made = earlierStarts * maxIds;
  return () => {
    const hex = createHash("sha256").update(String(++made)).digest("hex");
    return [8, 12, 16, 20, 32].map((end, part) => hex.slice([0, 8, 12, 16, 20][part], end)).join("-");
  };
}

async function openStore(directory: string): Promise<SpeedSubject> {
  const storage = new LibSQLStore({ id: "speed", url: `file:${join(directory, "mastra.db")}` });
  const memory = new Memory({ storage, options: { workingMemory: { enabled: true } } });
  const { thread: threadId, resource: resourceId } = ids;
  if (!(await memory.getThreadById({ threadId }))) await memory.createThread({ threadId, resourceId });
  return {
    durability: "LibSQL file with its defaults",
    edit: (number) => memory.updateWorkingMemory({ threadId, resourceId, workingMemory: `- note ${number}` }),
    read: async () => [
      await memory.getWorkingMemory({ threadId, resourceId }),
      await memory.recall({ threadId, resourceId }),
    ],
    reopen: () => openStore(directory),
    close: async () => {},
  };
}
