import { foreignLines, linesIn } from "../../engine/origins.ts";
import type { State } from "../../engine/state.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { scratchpadWrite } from "../commands/edit.ts";
import { pinLines } from "../commands/pin.ts";
import { memoryLines, renderReceipt } from "../commands/show.ts";
import { bar, count } from "../terminal/quantities.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { screenOf } from "../terminal/screen.ts";
import type { Chat } from "./session.ts";

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
  "/context": { about: "show how full the context is, and what fills it", run: context },
  "/compact": { about: "compact the conversation now", run: compact },
  "/pin": { about: "pin a rule, or list the pins", takes: "TEXT", run: pin },
  "/unpin": {
    about: "remove a pin",
    takes: "ID",
    run: async ({ session }, id) => {
      const { result } = await session.pins.unpin(id, asPerson);
      return [`Unpinned ${result.id}: ${result.text}`];
    },
  },
  "/undo": { about: "undo the last change to memory", run: undo },
  "/clear": { about: "start a new conversation with the same memory", run: clear },
  "/help": { about: "show this help", run: async () => helpLines() },
  "/quit": { about: "end the chat", run: async () => undefined },
};

/** `/word` is a command; `/path/to/file` goes to the model. */
export function isCommand(line: string): boolean {
  const [, name = "", rest = ""] = /^(\/[a-z]+)(?:\s+(.*))?$/is.exec(line) ?? [];
  return (
    name !== "" && (rest === "" || (Object.hasOwn(commands, name) && commands[name]?.takes !== undefined))
  );
}

/** Runs a command; returns the lines to show, or undefined to end the chat. */
export async function runCommand(chat: Chat, line: string): Promise<string[] | undefined> {
  const [, name = line, rest = ""] = /^(\/[a-z]+)(?:\s+(.*))?$/is.exec(line) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    return [`There is no command ${name}. The commands are: ${Object.keys(commands).join(", ")}.`];
  try {
    return await command.run(chat, rest.trim());
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

const asPerson = { actor: { kind: "person" as const }, surface: "chat" };

async function context(chat: Chat): Promise<string[]> {
  const { usage, line } = await chat.fill();
  const { total, ...parts } = usage;
  const { contextWindow } = chat.options;
  const last = (await chat.options.agent.receipts(chat.session.id)).at(-1);
  return [
    `${bar(total / contextWindow, 20)} ${line}`,
    ...Object.entries(parts).map(([name, tokens]) => `  ${name.padEnd(10)}${count(tokens).padStart(9)}`),
    ...(last ? ["", ...renderReceipt(last, screenOf())] : ["", "Nothing has been compacted yet."]),
  ];
}

async function pin({ session }: Chat, text: string): Promise<string[]> {
  if (text === "") return pinLines(await session.pins.list());
  const { result } = await (await session.project()).pins.pin(text, asPerson);
  return [`Pinned ${result.id}: ${result.text}`];
}

/** The events of the compaction show what it does. */
async function compact(chat: Chat): Promise<string[]> {
  await chat.run((options) => chat.options.agent.compact(chat.session.id, options));
  return [];
}

async function undo({ session }: Chat): Promise<string[]> {
  const { result, revision } = await session.undo(undefined, asPerson);
  const diff = await session.diff(revision - 1, revision);
  return [`Undid revision ${result.undone}.`, ...renderDiff(diff, screenOf())];
}

/** The memory goes on in a new session; the old one keeps the conversation. */
async function clear(chat: Chat): Promise<string[]> {
  const old = chat.session;
  await chat.end();
  chat.session = await carryOver(chat.options.memory, old);
  return [
    `The conversation is cleared; the memory goes on in session ${chat.session.id}.`,
    `The old conversation: holdfast chat --session ${old.id}`,
  ];
}

/** Holdfast copies for the agent, so the text counts as the agent's own. */
const asAgent = { actor: { kind: "system" as const } };

/** A new session with the memory of another one, without its conversation. Each text keeps its author. */
async function carryOver(memory: Memory, from: Session): Promise<Session> {
  const state = await from.state();
  const { title, agent } = state.row;
  const to = await memory.createSession({ agent, ...(title === null ? {} : { title }) });
  if (state.row.notepad !== null) await copyNotepad(state, to);
  const { notes, plan, refs } = await from.scratchpad.read();
  if (plan !== "") await to.scratchpad.setPlan(plan, asAgent);
  if (notes !== "") await to.apply(scratchpadWrite("notes", notes, memory.setting), asAgent);
  for (const ref of refs) await to.scratchpad.addRef(ref, asAgent);
  for (const { content, tags, by } of (await from.notes.all()).toReversed())
    await to.notes.add(content, tags, by === undefined ? asAgent : { actor: { kind: by } });
  for (const { text, by } of await from.pins.list()) await to.pins.pin(text, { actor: { kind: by } });
  return to;
}

/** Writes the agent's lines first, and then each stretch of another author's as that author. */
async function copyNotepad(state: State, to: Session): Promise<void> {
  const lines = linesIn(state, "notepad");
  const foreign = foreignLines(state, "notepad");
  const withFirst = (count: number) =>
    lines
      .filter((_line, index) =>
        foreign.slice(count).every(({ from, to: last }) => index + 1 < from || index + 1 > last),
      )
      .join("\n");
  await to.notepad.write(withFirst(0), asAgent);
  for (const [index, { by }] of foreign.entries())
    await to.notepad.write(withFirst(index + 1), { actor: { kind: by } });
}
