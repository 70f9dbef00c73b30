import { createInterface } from "node:readline";
import { createAgent } from "../../agent/agent.ts";
import type { AgentOptions } from "../../agent/options.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { requireValid } from "../../workspace/config-problems.ts";
import { openMemoryIn } from "../../workspace/open-memory.ts";
import { chosenSurfaces, loadSurfaces } from "../../workspace/surfaces.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { agentOptionsOf } from "../chat/agent-options.ts";
import { chooseModel } from "../chat/model.ts";
import { Chat, isUnfinished } from "../chat/session.ts";
import { isCommand, runCommand } from "../chat/slash-commands.ts";
import { fileTools } from "../chat/tools.ts";
import { jsonView, textView } from "../chat/view.ts";
import { painterFor } from "../terminal/paint.ts";
import { originText, settingRows } from "./config.ts";

const system = `You are an assistant at the command line. You can read and search the files in the user's working directory with read_file and search_files; you cannot change them. Answer briefly and in plain text.`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    prompt: { type: "string", short: "p" },
    session: { type: "string" },
    model: { type: "string" },
    "base-url": { type: "string" },
    "context-window": { type: "string" },
    surfaces: { type: "string" },
    placement: { type: "string" },
    "compact-at": { type: "string" },
    keep: { type: "string" },
    nudge: { type: "string", multiple: true },
    set: { type: "string", multiple: true },
  });
  const prompt = readPrompt(values.prompt, positionals);
  const workspace = findWorkspace({ flags: values, settings: values });
  const { config } = workspace;
  await requireValid(config);
  const { HOLDFAST_MODEL, HOLDFAST_BASE_URL } = process.env;
  const model = await chooseModel({
    model: values.model ?? HOLDFAST_MODEL,
    baseUrl: values["base-url"] ?? HOLDFAST_BASE_URL,
  });
  const contextWindow = config.values.contextWindow ?? model.contextWindow;
  const options: Omit<AgentOptions, "memory"> = {
    model: model.model,
    contextWindow,
    system,
    tools: fileTools(process.cwd()),
    ...agentOptionsOf(config),
  };
  const surfaces = await loadSurfaces(chosenSurfaces(workspace, "agent"), workspace);
  const memory = await openMemoryIn(workspace, { surfaces });
  try {
    const { session, isNew } = await openSession(memory, values.session);
    const isInteractive = prompt === undefined && process.stdin.isTTY === true;
    const view = values.json ? jsonView() : textView({ streaming: isInteractive });
    const agent = createAgent({ ...options, memory });
    const settings = settingRows(workspace)
      .filter(({ origin }) => origin.source !== "default")
      .map(({ name, shown, origin }) => `${name} = ${shown}  (${originText(origin)})`);
    const chat = new Chat({ memory, agent, view, model, contextWindow, settings }, session);
    view.notice(`${isNew ? "New session" : "Session"} ${session.id} · ${model.label}`);
    const code = prompt === undefined ? await converse(chat, isInteractive) : await ask(chat, prompt);
    // Lets surfaces with data outside the session write their handoff.
    const { status } = (await chat.session.state()).row;
    if (status === "active")
      await agent.end(chat.session.id).result.catch((error: Error) => view.notice(error.message));
    return code;
  } finally {
    await memory.close();
  }
}

/** Sends one prompt and shows the answer. */
async function ask(chat: Chat, prompt: string): Promise<number> {
  if (await isUnfinished(chat.session))
    chat.setting.view.notice("The last turn was not finished; this prompt comes after it.");
  const removeHandler = stopOnInterrupt(chat, () => process.exit(interruptedCode));
  const outcome = await chat.send(prompt);
  removeHandler();
  if (outcome.ok) return outcome.result.end === "done" ? 0 : 1;
  return outcome.aborted ? interruptedCode : 1;
}

/** Reads prompts line by line, typed or piped, until the input ends. */
async function converse(chat: Chat, isInteractive: boolean): Promise<number> {
  const { view } = chat.setting;
  const paint = painterFor(process.stderr);
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
      view.notice("The last turn was not finished; continuing it.");
      failed = !(await chat.run((options) => chat.setting.agent.resume(chat.session.id, options))).ok;
    }
    for (;;) {
      // After Ctrl-D during a turn there is no one left to prompt.
      if (isInteractive && isOpen) {
        process.stderr.write(`\n${paint("dim", await chat.status())}\n`);
        input.prompt();
      }
      const { done, value } = await lines.next();
      if (done) break;
      const outcome = await handleLine(chat, value.trim());
      if (outcome === "quit") break;
      failed ||= outcome === "failed";
    }
  } finally {
    removeHandler();
    input.close();
  }
  return failed && !isInteractive ? 1 : 0;
}

/** Handles one line of input: a prompt, a command, or nothing. */
async function handleLine(chat: Chat, line: string): Promise<"done" | "failed" | "quit"> {
  if (line === "") return "done";
  if (!isCommand(line)) return (await chat.send(line)).ok ? "done" : "failed";
  const text = await runCommand(chat, line);
  if (text === undefined) return "quit";
  chat.setting.view.answer(line, text);
  return "done";
}

/** The exit code that shells expect after Ctrl-C. */
const interruptedCode = 130;

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

async function openSession(
  memory: Memory,
  id: string | undefined,
): Promise<{ session: Session; isNew: boolean }> {
  const known = id === undefined ? undefined : await memory.findSession(id);
  if (known) return { session: known, isNew: false };
  return {
    session: await memory.createSession({ agent: "chat", ...(id === undefined ? {} : { id }) }),
    isNew: true,
  };
}

function readPrompt(prompt: string | undefined, positionals: string[]): string | undefined {
  if (positionals.length > 0) {
    throw new HoldfastError(
      "invalid_input",
      `Unexpected argument ${JSON.stringify(positionals[0])}. To send one prompt and exit: holdfast chat -p PROMPT`,
    );
  }
  if (prompt?.trim() === "")
    throw new HoldfastError("invalid_input", "The prompt is empty. Usage: holdfast chat -p PROMPT");
  return prompt;
}
