import { createInterface } from "node:readline";
import { createAgent } from "../../agent/agent.ts";
import { agentDefaults } from "../../engine/agent-defaults.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { chosenSurfaces, loadSurfaces } from "../../workspace/chosen-surfaces.ts";
import { requireValid } from "../../workspace/config-file.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { asPerson, Chat, isUnfinished } from "../chat/chat.ts";
import { chooseModel } from "../chat/model.ts";
import { fileTools } from "../chat/tools.ts";
import { jsonView, textView } from "../chat/view.ts";
import { bar, count } from "../terminal/quantities.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { screenOf } from "../terminal/screen.ts";
import { pinLines } from "./pin.ts";
import { memoryLines, renderReceipt } from "./show.ts";

const system = `You are an assistant at the command line. You can list and read the files in the user's working directory with list_files and read_file; you cannot change them. Answer briefly and in plain text.`;

/** Talks to a model: one prompt with -p, or line by line. */
export async function chat(args: string[]): Promise<number> {
  const { values } = readArguments("chat", args);
  const { prompt } = values;
  if (prompt?.trim() === "")
    throw new HoldfastError("invalid_input", "The prompt is empty. Usage: holdfast chat -p PROMPT");
  const workspace = findWorkspace({ flags: values, settings: values });
  await requireValid(workspace.config);
  const { HOLDFAST_MODEL, HOLDFAST_BASE_URL } = process.env;
  const model = await chooseModel({
    model: values.model ?? HOLDFAST_MODEL,
    baseUrl: values["base-url"] ?? HOLDFAST_BASE_URL,
  });
  const { nudges, values: settings } = workspace.config;
  const contextWindow = settings.contextWindow ?? model.contextWindow;
  const compactAt = settings.compactAt ?? agentDefaults.compactAt;
  const surfaces = await loadSurfaces(chosenSurfaces(workspace, "agent"), workspace);
  const memory = await openMemoryIn(workspace, { surfaces });
  try {
    const { session, isNew } = await openSession(memory, values.session);
    const isInteractive = prompt === undefined && process.stdin.isTTY === true;
    const view = values.json ? jsonView() : textView({ streaming: isInteractive });
    const agent = createAgent({
      memory,
      model: model.model,
      contextWindow,
      compactAt,
      system,
      tools: fileTools(process.cwd()),
      nudges,
      keep: settings.keep ?? agentDefaults.keep,
      ...(settings.placement === undefined ? {} : { placement: settings.placement }),
      ...(settings.clearing === false ? { clearing: false } : {}),
      compactAfterTasks: settings["project.compactAfterTasks"] ?? 0,
    });
    const chat = new Chat({ memory, agent, view, model, contextWindow, compactAt }, session);
    view.notice(`${isNew ? "New session" : "Session"} ${session.id} · ${model.label}`);
    const code = prompt === undefined ? await converse(chat, isInteractive) : await askOnce(chat, prompt);
    await chat.end();
    return code;
  } finally {
    await memory.close();
  }
}

async function openSession(
  memory: Memory,
  id: string | undefined,
): Promise<{ session: Session; isNew: boolean }> {
  const known = id === undefined ? undefined : await memory.findSession(id);
  if (known) return { session: known, isNew: false };
  const session = await memory.createSession({ agent: "chat", ...(id === undefined ? {} : { id }) });
  return { session, isNew: true };
}

/** The exit code that shells expect after Ctrl-C. */
const interruptedCode = 130;

/** Sends one prompt and shows the answer. */
async function askOnce(chat: Chat, prompt: string): Promise<number> {
  const removeHandler = stopOnInterrupt(chat, () => process.exit(interruptedCode));
  const outcome = await chat.send(prompt);
  removeHandler();
  if (outcome.ok) return 0;
  return outcome.aborted ? interruptedCode : 1;
}

/** Reads prompts line by line, typed or piped, until the input ends. */
async function converse(chat: Chat, isInteractive: boolean): Promise<number> {
  const { view, agent } = chat.options;
  const output = process.stdout.isTTY ? process.stdout : process.stderr;
  const input = createInterface(
    isInteractive ? { input: process.stdin, output, prompt: "› " } : { input: process.stdin },
  );
  // Created before the first await, because lines that arrive earlier would be lost.
  const lines = input[Symbol.asyncIterator]();
  const removeHandler = stopOnInterrupt(chat, () => {
    if (isInteractive) output.write("\n");
    input.close();
  });
  input.on("SIGINT", () => process.emit("SIGINT"));
  let failed = false;
  let isOpen = true;
  input.on("close", () => {
    isOpen = false;
  });
  try {
    if (isInteractive) view.notice("/help lists the commands; Ctrl-C stops a turn, or ends the chat.");
    if (await isUnfinished(chat.session)) {
      view.notice("The last turn was not finished. It continues now.");
      failed = !(await chat.run((options) => agent.resume(chat.session.id, options))).ok;
    }
    for (;;) {
      // After Ctrl-D during a turn there is no one left to prompt.
      if (isInteractive && isOpen) {
        view.notice(`\n${(await chat.fill()).line}`);
        input.prompt();
      }
      const { done, value = "" } = await lines.next();
      const line = value.trim();
      if (done) break;
      if (line === "") continue;
      if (!isCommand(line)) failed = !(await chat.send(line)).ok || failed;
      else {
        const answer = await runCommand(chat, line);
        if (answer === undefined) break;
        view.answer(line, answer);
      }
    }
  } finally {
    removeHandler();
    input.close();
  }
  return failed && !isInteractive ? 1 : 0;
}

/** Ctrl-C stops the turn; if there is none, or it is already stopping, it ends the chat. */
function stopOnInterrupt(chat: Chat, end: () => void): () => void {
  const interrupt = () => {
    if (chat.stop()) return;
    // Every acknowledged write is on disk, so a turn that does not stop can be abandoned.
    if (chat.isRunning) process.exit(interruptedCode);
    end();
  };
  process.on("SIGINT", interrupt);
  return () => process.off("SIGINT", interrupt);
}

interface ChatCommand {
  about: string;
  /** The argument after the name. */
  takes?: string;
  /** Returns the lines to show; undefined ends the chat. */
  run(chat: Chat, rest: string): Promise<string[] | undefined>;
}

const commands: Record<string, ChatCommand> = {
  "/memory": {
    about: "show the notepad, the plan, the notes and the pins",
    run: ({ session, options }) => memoryLines(session, options.memory, screenOf()),
  },
  "/context": { about: "show how full the context is, and what fills it", run: contextLines },
  "/compact": {
    about: "compact the conversation now",
    async run(chat) {
      await chat.run((options) => chat.options.agent.compact(chat.session.id, options));
      // The events have shown what it did.
      return [];
    },
  },
  "/pin": {
    about: "pin a rule, or list the pins",
    takes: "TEXT",
    async run({ session }, text) {
      if (text === "") return pinLines(await session.pins.list());
      const { result } = await (await session.project()).pins.pin(text, asPerson);
      return [`Pinned ${result.id}: ${result.text}`];
    },
  },
  "/unpin": {
    about: "remove a pin",
    takes: "ID",
    async run({ session }, id) {
      const { result } = await session.pins.unpin(id, asPerson);
      return [`Unpinned ${result.id}: ${result.text}`];
    },
  },
  "/undo": {
    about: "undo the last change to memory",
    async run({ session }) {
      const { result, revision } = await session.undo(undefined, asPerson);
      const diff = await session.diff(revision - 1, revision);
      return [`Undid revision ${result.undone}.`, ...renderDiff(diff, screenOf())];
    },
  },
  "/clear": {
    about: "start a new conversation with the same memory",
    async run(chat) {
      const old = await chat.clear();
      return [
        `The conversation is cleared; the memory goes on in session ${chat.session.id}.`,
        `The old conversation: holdfast chat --session ${old.id}`,
      ];
    },
  },
  "/help": { about: "show this help", run: async () => helpLines() },
  "/quit": { about: "end the chat", run: async () => undefined },
};

function parseCommand(line: string): { name: string; rest: string; command?: ChatCommand | undefined } {
  const [, name = "", rest = ""] = /^(\/[a-z]+)(?:\s+(.*))?$/is.exec(line) ?? [];
  return { name, rest: rest.trim(), command: Object.hasOwn(commands, name) ? commands[name] : undefined };
}

/** `/word` is a command; `/path/to/file` goes to the model. */
function isCommand(line: string): boolean {
  const { name, rest, command } = parseCommand(line);
  return name !== "" && (rest === "" || command?.takes !== undefined);
}

async function runCommand(chat: Chat, line: string): Promise<string[] | undefined> {
  const { name, rest, command } = parseCommand(line);
  if (!command)
    return [`There is no command ${name}. The commands are: ${Object.keys(commands).join(", ")}.`];
  try {
    return await command.run(chat, rest);
  } catch (error) {
    if (error instanceof HoldfastError) return [error.message];
    throw error;
  }
}

function helpLines(): string[] {
  const rows = Object.entries(commands).map(([name, { about, takes = "" }]) => [`${name} ${takes}`, about]);
  return [
    ...rows.map(([name = "", about]) => `${name.padEnd(12)} ${about}`),
    "Ctrl-C stops a running turn; at the prompt it ends the chat.",
  ];
}

async function contextLines(chat: Chat): Promise<string[]> {
  const { usage, line } = await chat.fill();
  const { total, ...parts } = usage;
  const { contextWindow, agent } = chat.options;
  const last = (await agent.receipts(chat.session.id)).at(-1);
  return [
    `${bar(total / contextWindow, 20)} ${line}`,
    ...Object.entries(parts).map(([name, tokens]) => `  ${name.padEnd(10)}${count(tokens).padStart(9)}`),
    "",
    ...(last ? renderReceipt(last, screenOf()) : ["Nothing has been compacted yet."]),
  ];
}
