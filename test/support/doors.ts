import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { generateText, isStepCount, type ModelMessage } from "ai";
import { openSdkStage } from "../../src/adapters/ai-sdk/test-support/ai-sdk.ts";
import { startCli } from "../../src/cli/test-support/chat.ts";
import type { NudgePolicy } from "../../src/compaction/nudges.ts";
import type { OpenClawContext, OpenClawTool } from "../../src/hosts/openclaw/api.ts";
import openClawPlugin from "../../src/hosts/openclaw/index.ts";
import piExtension from "../../src/hosts/pi/index.ts";
import { FakePi } from "../../src/hosts/pi/test-support/fake-pi.ts";
import { openMemory } from "../../src/index.ts";
import { initialize, startMcp } from "../../src/mcp/test-support/mcp-process.ts";
import { initProject, openProject } from "../../src/surfaces/project/index.ts";
import { jwt, writeInto } from "../../src/surfaces/project/test-support/project.ts";
import { type ScriptedAnswer, type ScriptedRequest, startScriptedServer } from "../../src/testing/index.ts";
import { loadSurfaces } from "../../src/workspace/chosen-surfaces.ts";
import { findProject } from "../../src/workspace/project.ts";
import { type EntryPoint, entryPoints } from "../requirements/seed-rows.ts";
import { isInWarningTurn, isSummaryRequest, isWarning, openStage, tokensOf } from "./agent.ts";
import { hook } from "./hook.ts";
import { openTestMemory, tickingClock } from "./memory.ts";
import { temporaryDirectory } from "./temporary.ts";

export const doorNames = entryPoints;

export type DoorName = EntryPoint;

export interface Setup {
  surfaces: readonly string[];
  store: "memory:" | "sqlite";
  placement?: "system" | "message" | "epoch";
  /** Default: 200,000 tokens, which no test here fills. */
  contextWindow?: number;
  /** Default: true. */
  handoff?: boolean;
  /** Default: none. */
  nudges?: Partial<NudgePolicy>;
  /** The answer that ends each turn (default: "Done."). */
  reply?: string;
  /** The folder of an earlier visit. */
  root?: string;
  /** The session, by its name at this door. */
  session?: string;
}

export type ToolCall = readonly [tool: string, input: unknown];

/** A tool as the model gets it. */
export interface SeenTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** All that Holdfast puts before the model. */
export interface Seen {
  tools: SeenTool[];
  /** The system prompt, or the part of it that comes from us. */
  system: string;
  /** The newest message of the user, with what stands before it. */
  said: string;
}

/** A place with a memory of its own. */
export interface Door {
  /** The project's folder. */
  root: string;
  /** The answers that the model reads, in order. */
  call(calls: readonly ToolCall[]): Promise<string[]>;
  /** The next request after the user has said something. */
  next(said?: string): Promise<Seen>;
  /** Compacts the conversation, as its user or its host does; undefined where there is none. */
  compact?(): Promise<unknown>;
  /** The requests to a model behind HTTP. */
  requests?: readonly ScriptedRequest[];
  /** Ends the process, the connection or the plugin's session. */
  close(): Promise<unknown>;
}

/** A project whose config chooses the surfaces. With NOTES.md where it is among them. */
function projectFor({
  surfaces,
  placement,
  handoff = true,
  nudges: scratchpad,
  root: earlier,
}: Setup): string {
  if (earlier !== undefined) return earlier;
  const root = temporaryDirectory();
  mkdirSync(join(root, ".git"));
  writeFileSync(
    join(root, "holdfast.json"),
    JSON.stringify({
      surfaces,
      handoff,
      ...(placement ? { placement } : {}),
      ...(scratchpad ? { scratchpad } : {}),
    }),
  );
  if (surfaces.includes("project")) addNotes(root);
  return root;
}

/** NOTES.md, and a file that decisions quote. */
function addNotes(root: string): void {
  initProject(openProject({ root }));
  writeInto(root, "src/auth/jwt.ts", jwt);
}

function storeIn(root: string, { store }: Setup): string {
  return store === "memory:" ? store : `sqlite:${join(root, "memory.db")}`;
}

async function surfacesFor(setup: Setup, root: string) {
  return loadSurfaces(setup.surfaces, { project: findProject(root), config: { values: {} } });
}

/** The environment of `work`, which reads where the store is and where the project is. */
async function within<Result>(root: string, setup: Setup, work: () => Promise<Result>): Promise<Result> {
  const before = [process.cwd(), process.env.HOLDFAST_DB] as const;
  process.chdir(root);
  process.env.HOLDFAST_DB = storeIn(root, setup);
  try {
    return await work();
  } finally {
    process.chdir(before[0]);
    if (before[1] === undefined) delete process.env.HOLDFAST_DB;
    else process.env.HOLDFAST_DB = before[1];
  }
}

export const doors: Record<DoorName, (t: TestContext, setup: Setup) => Promise<Door>> = {
  library: async (t, setup) => {
    const root = projectFor(setup);
    const surfaces = await surfacesFor(setup, root);
    const memory = await openMemory({ store: storeIn(root, setup), surfaces, clock: tickingClock() });
    const session = await memory.openSession(setup.session ?? "s");
    return {
      root,
      close: closing(t, () => memory.close()),
      call: async (calls) => {
        const answers: string[] = [];
        for (const [tool, input] of calls)
          answers.push((await session.call(tool, fillIn(input, answers))).text);
        return answers;
      },
      next: async () => {
        const { system, message } = await session.context();
        const tools = memory.tools().map(({ name, description, inputSchema }) => ({
          name,
          description,
          parameters: inputSchema,
        }));
        return { tools, system, said: message };
      },
    };
  },

  createAgent: async (t, setup) => {
    const root = projectFor(setup);
    const script = new Script(setup.reply);
    const stage = await openStage(t, {
      script: script.answer,
      memory: await openMemory({
        store: storeIn(root, setup),
        clock: tickingClock(),
        handoff: setup.handoff ?? true,
      }),
      surfaces: await surfacesFor(setup, root),
      maxSteps: 100,
      contextWindow: setup.contextWindow ?? 200_000,
      system: "",
      ...(setup.placement ? { placement: setup.placement } : {}),
      ...(setup.nudges ? { nudges: setup.nudges } : {}),
    });
    const id = setup.session ?? "s";
    const compact = () => stage.agent.compact(id).result;
    return scriptedDoor({ root, close: stage.close, compact }, script, async (text) => {
      await stage.agent.send(id, text).result;
    });
  },

  MCP: async (t, setup) => {
    const root = projectFor(setup);
    const server = startMcp(t, ["--store", storeIn(root, setup), "--session", setup.session ?? "s"], {
      cwd: root,
    });
    const { instructions } = await initialize(server);
    return {
      root,
      close: closing(t, () => server.end()),
      call: async (calls) => {
        const answers: string[] = [];
        for (const [tool, input] of calls)
          answers.push((await server.call(tool, fillIn(input, answers))).content[0].text);
        return answers;
      },
      next: async () => {
        const { tools } = (await server.ask("tools/list")).result;
        const seen = tools.map(({ name, description, inputSchema }: Record<string, unknown>) => ({
          name,
          description,
          parameters: inputSchema,
        }));
        return { tools: seen, system: instructions, said: "" };
      },
    };
  },

  "Claude Code hook": async (_t, setup) => {
    const root = projectFor(setup);
    const surfaces = await surfacesFor(setup, root);
    const { directory } = findProject(root);
    const project = { root, directory, database: join(directory, "memory.db") };
    const session_id = setup.session ?? "s";
    let begins: string | undefined = "startup";
    return {
      root,
      close: async () => undefined,
      // The tools are those of the MCP server that serves the hook's session; the store is the same.
      call: async (calls) => {
        const memory = await openMemory({ store: project.database, surfaces });
        const session = await memory.openSession(`claude-code.${session_id}`);
        const answers: string[] = [];
        for (const [tool, input] of calls)
          answers.push((await session.call(tool, fillIn(input, answers))).text);
        await memory.close();
        return answers;
      },
      next: async () => {
        const source = begins;
        begins = undefined;
        const event = { session_id, hook_event_name: "SessionStart", source };
        const start = source === undefined ? "" : (await hook(project, "claude-code", event)).context;
        const prompt = { session_id, hook_event_name: "UserPromptSubmit", prompt: "Go on." };
        const { context } = await hook(project, "claude-code", prompt);
        const stop = { session_id, hook_event_name: "Stop", last_assistant_message: setup.reply ?? "Done." };
        await hook(project, "claude-code", stop);
        return { tools: [], system: start, said: context };
      },
      compact: async () => {
        for (const hook_event_name of ["PreCompact", "PostCompact"])
          await hook(project, "claude-code", { session_id, hook_event_name, trigger: "manual" });
        begins = "compact";
      },
    };
  },

  chat: async (t, setup) => {
    const root = projectFor(setup);
    const script = new Script(setup.reply);
    const server = await startScriptedServer(script.answer);
    t.after(() => server.close());
    const chat = startCli(
      [
        "chat",
        "--base-url",
        server.url,
        "--model",
        "scripted",
        "--set",
        `contextWindow=${setup.contextWindow ?? 200_000}`,
        "--session",
        setup.session ?? "s",
      ],
      { cwd: root, env: { HOLDFAST_DB: storeIn(root, setup) } },
    );
    const close = closing(t, () => {
      chat.end();
      return chat.exit;
    });
    const said = async (text: string) => {
      const ended = script.ended();
      chat.write(text);
      await Promise.race([ended, chat.failed]);
    };
    const compact = async () => {
      chat.write("/compact");
      await chat.until("Compacted:");
    };
    return scriptedDoor({ root, close, compact }, script, said);
  },

  pi: async (t, setup) => {
    const root = projectFor(setup);
    const pi = new FakePi({ cwd: root, id: setup.session ?? "s" });
    await within(root, setup, async () => {
      await piExtension(pi);
      await pi.emit("session_start", { reason: "startup" });
    });
    return {
      root,
      close: closing(t, () => pi.emit("session_shutdown")),
      call: (calls) =>
        within(root, setup, async () => {
          const answers: string[] = [];
          for (const [tool, input] of calls)
            answers.push(await textOrError(pi.call(tool, fillIn(input, answers))));
          return answers;
        }),
      next: () =>
        within(root, setup, async () => {
          pi.say("user", "Go on.");
          const before = { systemPrompt: "" };
          const started = await pi.emit<{ systemPrompt: string }>("before_agent_start", before);
          const messages = await pi.modelCall();
          pi.say("assistant", setup.reply ?? "Done.");
          const newest =
            messages.findLastIndex(({ role }) => role === "assistant" || role === "toolResult") + 1;
          const texts = messages.map(textOfPi);
          // Without a place in the system prompt, memory is the first message.
          const head = texts[0]?.startsWith("[System]") ? texts.shift() : undefined;
          return {
            tools: [...pi.tools.values()],
            system: started?.systemPrompt ?? head ?? "",
            said: texts.slice(head === undefined ? newest : Math.max(0, newest - 1)).join("\n\n"),
          };
        }),
      compact: () =>
        within(root, setup, async () => {
          const firstKeptEntryId = pi.say("user", "Compact.");
          const [own] = await pi.beforeCompact(firstKeptEntryId);
          await pi.compacted(own ?? { summary: summaryText, firstKeptEntryId }, own !== undefined);
        }),
    };
  },

  OpenClaw: async (t, setup) => {
    const root = projectFor(setup);
    const handlers = new Map<string, (event: never, context: OpenClawContext) => unknown>();
    const made: ((context: OpenClawContext) => OpenClawTool[] | null)[] = [];
    openClawPlugin.register({
      on: (name, handler) => void handlers.set(name, handler),
      registerTool: (factory) => void made.push(factory),
    });
    const key = `${root} ${setup.session ?? "s"}`;
    const context = { sessionKey: key, sessionId: key, workspaceDir: root };
    const offered = () => made.flatMap((factory) => factory(context) ?? []);
    let calls = 0;
    const said: { role: string; content: { type: "text"; text: string }[] }[] = [];
    return {
      root,
      close: closing(t, () => handlers.get("gateway_stop")?.({} as never, context)),
      call: (list) =>
        within(root, setup, async () => {
          const answers: string[] = [];
          for (const [name, input] of list) {
            const tool = offered().find((each) => each.name === name);
            assert.ok(tool, `OpenClaw has no tool ${name}`);
            const answer = tool.execute(`call_${++calls}`, fillIn(input, answers) as never);
            answers.push(
              await textOrError(answer.then(({ content }) => content.map(({ text }) => text).join(""))),
            );
          }
          return answers;
        }),
      next: () =>
        within(root, setup, async () => {
          said.push({ role: "user", content: [{ type: "text", text: "Go on." }] });
          const event = { prompt: "Go on.", messages: [...said] } as never;
          said.push({ role: "assistant", content: [{ type: "text", text: setup.reply ?? "Done." }] });
          const added = (await handlers.get("before_prompt_build")?.(event, context)) as
            | { appendSystemContext?: string; prependContext?: string }
            | undefined;
          return {
            tools: offered(),
            system: added?.appendSystemContext ?? "",
            said: added?.prependContext ?? "",
          };
        }),
      compact: () =>
        within(root, setup, async () => {
          const before = { messageCount: said.length, messages: said } as never;
          await handlers.get("before_compaction")?.(before, context);
          const after = { messageCount: 1, compactedCount: said.length - 1 } as never;
          await handlers.get("after_compaction")?.(after, context);
        }),
    };
  },

  "AI SDK": async (t, setup) => {
    const root = projectFor(setup);
    const surfaces = await surfacesFor(setup, root);
    const script = new Script(setup.reply);
    const stage = await openSdkStage(t, script.answer, { surfaces });
    const memory = await openTestMemory({
      store: storeIn(root, setup),
      surfaces,
      handoff: setup.handoff ?? true,
    });
    const settings = stage.settings({
      session: await memory.openSession(setup.session ?? "s"),
      tools: {} as never,
      contextWindow: setup.contextWindow ?? 200_000,
      ...(setup.placement ? { placement: setup.placement } : {}),
      ...(setup.nudges ? { nudges: setup.nudges } : {}),
    });
    const messages: ModelMessage[] = [];
    const close = closing(t, () => memory.close());
    return scriptedDoor({ root, close }, script, async (content) => {
      messages.push({ role: "user", content });
      const { responseMessages } = await generateText({ ...settings, messages, stopWhen: isStepCount(100) });
      messages.push(...responseMessages);
    });
  },
};

function textOfPi({ content }: Record<string, unknown>): string {
  if (!Array.isArray(content)) return String(content ?? "");
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}

async function textOrError(answer: Promise<string>): Promise<string> {
  return answer.catch((error: Error) => error.message);
}

/** Closes it once: in the test, or else after it. */
function closing(t: TestContext, close: () => unknown): () => Promise<unknown> {
  let closed: Promise<unknown> | undefined;
  const once = async () => {
    closed ??= Promise.resolve(close());
    return closed;
  };
  t.after(once);
  return once;
}

/** In place of `note#N`, the id of the Nth note of these answers. */
function fillIn(input: unknown, answers: readonly string[]): unknown {
  const ids = noteIds(answers);
  const text = JSON.stringify(input).replaceAll(/note#(\d+)/g, (_, number) => ids[number - 1] ?? "note_0");
  return JSON.parse(text);
}

/** The ids of notes in the order in which they first appear. */
export function noteIds(answers: readonly string[]): string[] {
  return [...new Set(answers.join("\n").match(/note_\d{13}/g))];
}

function answersIn(request: ScriptedRequest | undefined): string[] {
  const results = (request?.messages ?? []).filter(({ role }) => role === "tool");
  return results.map(({ content }) => String(content));
}

/** The model's summary, and its note after a warning. */
export const summaryText = "The sheets were looked at.";
export const savedText = "- Sheet 5 has 500 rows";

/** A model that makes the calls it is given, one in each step, and then ends its turn. It heeds the warning. */
class Script {
  readonly #reply: string;
  #calls: ToolCall[] = [];
  #made = 0;
  #whenEnded = () => {};
  readonly requests: ScriptedRequest[] = [];

  constructor(reply = "Done.") {
    this.#reply = reply;
  }

  give(calls: readonly ToolCall[]): void {
    this.#calls = [...calls];
  }

  /** Resolves when the model has ended its turn. */
  ended(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenEnded = resolve;
    });
  }

  readonly answer = (request: ScriptedRequest): ScriptedAnswer => {
    this.requests.push(request);
    const usage = { input: tokensOf(request), output: 20 };
    if (isSummaryRequest(request)) return { text: summaryText, usage };
    if (isWarning(request)) {
      const input = { operation: "append", content: savedText };
      return { toolCalls: [{ name: "update_notepad", input }], usage };
    }
    if (isInWarningTurn(request)) return { text: "Notepad is up to date.", usage };
    const [next] = this.#calls.splice(0, 1);
    if (next) {
      const input = fillIn(next[1], answersIn(request));
      return { toolCalls: [{ id: `call_${++this.#made}`, name: next[0], input }], usage };
    }
    this.#whenEnded();
    return { text: this.#reply, usage };
  };
}

/** A door to a model behind HTTP: the answers are those that it is sent. */
function scriptedDoor(
  place: Pick<Door, "root" | "close" | "compact">,
  script: Script,
  say: (text: string) => Promise<void>,
): Door {
  return {
    ...place,
    call: async (calls) => {
      script.give(calls);
      await say("Make the calls.");
      return answersIn(script.requests.at(-1)).slice(-calls.length);
    },
    requests: script.requests,
    next: async (text = "Go on.") => {
      await say(text);
      const { messages = [], tools = [] } = script.requests.at(-1) ?? {};
      const system = messages.filter(({ role }) => role === "system");
      const newest = messages.findLast(({ role }) => role === "user");
      return {
        tools: tools.map((tool) => tool.function as unknown as SeenTool),
        system: system.map(({ content }) => String(content)).join("\n\n"),
        said: String(newest?.content ?? ""),
      };
    },
  };
}
