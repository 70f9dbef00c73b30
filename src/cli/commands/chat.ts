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
import { isCommand, runCommand } from "../chat/commands.ts";
import { chooseModel } from "../chat/model.ts";
import { Chat, isUnfinished } from "../chat/session.ts";
import { fileTools } from "../chat/tools.ts";
import { jsonView, textView } from "../chat/view.ts";
import { screenOf } from "../terminal/screen.ts";

const system = `You are an assistant at the command line. You can list and read the files in the user's working directory with list_files and read_file; you cannot change them. Answer briefly and in plain text.`;

/** Talks to a model: one prompt with -p, or line by line. */
export async function run(args: string[]): Promise<number> {
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
    const code = prompt === undefined ? await converse(chat, isInteractive) : await ask(chat, prompt);
    await chat.end();
    return code;
  } finally {
    await memory.close();
  }
}

/** Sends one prompt and shows the answer. */
async function ask(chat: Chat, prompt: string): Promise<number> {
  if (await isUnfinished(chat.session))
    chat.options.view.notice("The last turn was not finished. This prompt comes after it.");
  const removeHandler = stopOnInterrupt(chat, () => process.exit(interruptedCode));
  const outcome = await chat.send(prompt);
  removeHandler();
  if (outcome.ok) return outcome.result.end === "done" ? 0 : 1;
  return outcome.aborted ? interruptedCode : 1;
}

/** Reads prompts line by line, typed or piped, until the input ends. */
async function converse(chat: Chat, isInteractive: boolean): Promise<number> {
  const { view } = chat.options;
  const { paint } = screenOf(process.stderr);
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
      failed = !(await chat.run((options) => chat.options.agent.resume(chat.session.id, options))).ok;
    }
    for (;;) {
      // After Ctrl-D during a turn there is no one left to prompt.
      if (isInteractive && isOpen) {
        process.stderr.write(`\n${paint("dim", (await chat.fill()).line)}\n`);
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
  const lines = await runCommand(chat, line);
  if (lines === undefined) return "quit";
  chat.options.view.answer(line, lines);
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
  const session = await memory.createSession({ agent: "chat", ...(id === undefined ? {} : { id }) });
  return { session, isNew: true };
}
