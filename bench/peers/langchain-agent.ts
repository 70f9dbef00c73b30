import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { emptyCheckpoint, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { type AgentMiddleware, createAgent, tool } from "langchain";
import type { RunningSystem, Setting, SpeedSubject } from "../survival/system.ts";

/** A chat model that reports the size of its window, as LangChain's own model profiles do. */
export function chatModel({ url, window }: Setting): ChatOpenAI {
  const model = new ChatOpenAI({
    model: "scripted",
    apiKey: "none",
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL: url },
  });
  Object.defineProperty(model, "profile", { value: { maxInputTokens: window } });
  return model;
}

export function langchainTools({ tools }: Setting) {
  return tools.map(({ name, description, parameters, execute }) =>
    tool(async (input: Record<string, string>) => execute(input), { name, description, schema: parameters }),
  );
}

/** In memory, or for kills in SQLite: LangGraph commits a checkpoint after every step. */
export async function checkpointerFor({ durable, directory }: Pick<Setting, "durable" | "directory">) {
  if (!durable) return new MemorySaver();
  const { SqliteSaver } = await import("@langchain/langgraph-checkpoint-sqlite");
  const database = openSqlite(join(directory, "checkpoints.db"));
  // Its constructor takes an open database, as its documentation shows.
  return new SqliteSaver(database as unknown as ConstructorParameters<typeof SqliteSaver>[0]);
}

/**
 * Node's own SQLite with the methods of better-sqlite3 that SqliteSaver calls: that package has no binary for every
 * Node, and building one needs a compiler. Its default in WAL mode is synchronous = NORMAL, so that is set here too.
 */
function openSqlite(path: string) {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = NORMAL");
  return {
    exec: (sql: string) => database.exec(sql),
    pragma: (text: string) => database.prepare(`PRAGMA ${text}`).all(),
    prepare(sql: string) {
      const statement = database.prepare(sql);
      return {
        get: (...values: Bound[]) => statement.get(...bindable(values)),
        all: (...values: Bound[]) => statement.all(...bindable(values)),
        run: (...values: Bound[]) => statement.run(...bindable(values)),
      };
    },
    transaction:
      <Args extends unknown[]>(work: (...args: Args) => unknown) =>
      (...args: Args) => {
        database.exec("BEGIN");
        try {
          const result = work(...args);
          database.exec("COMMIT");
          return result;
        } catch (error) {
          database.exec("ROLLBACK");
          throw error;
        }
      },
    close: () => database.close(),
  };
}

type Bound = SQLInputValue | undefined;

/** better-sqlite3 stores NULL for undefined. */
function bindable(values: readonly Bound[]): SQLInputValue[] {
  return values.map((value) => value ?? null);
}

/** The parts of a LangGraph agent that the benchmark uses. */
interface Invocable {
  invoke(input: { messages: { role: string; content: string }[] } | null, config: object): Promise<unknown>;
}

export const thread = { configurable: { thread_id: "story" }, recursionLimit: 1_000 };

export function runningAgent(agent: Invocable, { durable }: Setting): RunningSystem {
  // A checkpoint that no other process reads is written at the end of a turn: after every step, each with the whole
  // conversation, it would take a third of the time.
  const config = durable ? thread : { ...thread, durability: "exit" };
  return {
    send: async (text) => void (await agent.invoke({ messages: [{ role: "user", content: text }] }, config)),
    close: async () => {},
  };
}

export async function openLangchain(setting: Setting, middleware: AgentMiddleware[]): Promise<RunningSystem> {
  return runningAgent(
    createAgent({
      model: chatModel(setting),
      tools: langchainTools(setting),
      systemPrompt: setting.instructions,
      middleware,
      checkpointer: await checkpointerFor(setting),
    }),
    setting,
  );
}

export const langchainDurability =
  "SqliteSaver over node:sqlite, WAL, synchronous = NORMAL as with better-sqlite3: a checkpoint after every step";

/** A checkpoint with one message more, as LangGraph writes it after every step. */
export async function openCheckpoints(directory: string): Promise<SpeedSubject> {
  const saver = await checkpointerFor({ durable: true, directory });
  const messages: { role: string; content: string }[] = [];
  const config = { configurable: { thread_id: "speed", checkpoint_ns: "" } };
  return {
    durability: "SqliteSaver, WAL, synchronous = NORMAL",
    async edit(number) {
      messages.push({ role: "user", content: `- note ${number}` });
      const checkpoint = { ...emptyCheckpoint(), channel_values: { messages: [...messages] } };
      return saver.put(config, checkpoint, { source: "loop", step: number, parents: {} });
    },
    read: () => saver.getTuple(config),
    reopen: () => openCheckpoints(directory),
    close: async () => {},
  };
}
