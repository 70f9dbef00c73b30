import { diffLines } from "../../engine/diff.ts";
import { HoldfastError } from "../../errors.ts";
import { makeSessionId } from "../../sessions/options.ts";
import { renderScratchpad } from "../../surfaces/scratchpad/block.ts";
import { pinLines } from "../pin-lines.ts";
import { receiptText } from "./lines.ts";
import type { Chat } from "./session.ts";

interface ChatCommand {
  summary: string;
  /** Returns the text to show; undefined ends the chat. */
  run(chat: Chat, rest: string): Promise<string | undefined>;
  /** What may follow the name. */
  takes?: string;
}

const commands: Record<string, ChatCommand> = {
  "/notepad": {
    summary: "show the notepad",
    run: async ({ session }) => (await session.notepad.read()) || "The notepad is empty.",
  },
  "/scratchpad": {
    summary: "show the scratchpad",
    run: async ({ session }) =>
      renderScratchpad(await session.scratchpad.read()) || "The scratchpad is empty.",
  },
  "/plan": {
    summary: "show the scratchpad's plan",
    run: async ({ session }) =>
      (await session.scratchpad.read()).plan || "There is no plan in the scratchpad.",
  },
  "/config": {
    summary: "show the settings that are not the default",
    run: async ({ setting }) =>
      setting.settings?.length
        ? setting.settings.join("\n")
        : 'Every setting is the default. "holdfast config" lists them.',
  },
  "/clear": { summary: "start a new conversation with the same memory", run: clear },
  "/archive": { summary: "archive this session and end the chat", run: archive },
  "/compact": { summary: "compact the conversation now", run: compact },
  "/receipt": {
    summary: "show what the last compaction kept",
    run: async ({ setting, session }) => {
      const last = (await setting.agent.receipts(session.id)).at(-1);
      return last ? receiptText(last) : "Nothing has been compacted yet. Run /compact to do it now.";
    },
  },
  "/pin": {
    summary: "pin a rule (/pin TEXT), or list the pins",
    takes: "TEXT",
    run: pin,
  },
  "/unpin": {
    summary: "remove a pin (/unpin ID)",
    takes: "ID",
    run: async ({ session }, id) => {
      const { result } = await session.pins.unpin(id, asPerson);
      return `Unpinned ${result.id}: ${result.text}`;
    },
  },
  "/undo": { summary: "undo the last change to memory", run: undo },
  "/sessions": { summary: "list the newest sessions", run: listSessions },
  "/fork": { summary: "continue in a copy of this session", run: fork },
  "/help": {
    summary: "show this help",
    run: async () =>
      `${Object.entries(commands)
        .map(([name, { summary }]) => `${name.padEnd(12)} ${summary}`)
        .join("\n")}\nCtrl-C stops a running turn; at the prompt it ends the chat.`,
  },
  "/quit": { summary: "end the chat", run: async () => undefined },
};

/** `/word` is a command; `/path/to/file` goes to the model. */
export function isCommand(line: string): boolean {
  const [, name = "", rest = ""] = /^(\/[a-z]+)(?:\s+(.*))?$/is.exec(line) ?? [];
  return (
    name !== "" && (rest === "" || (Object.hasOwn(commands, name) && commands[name]?.takes !== undefined))
  );
}

export async function runCommand(chat: Chat, line: string): Promise<string | undefined> {
  const [, name = line, rest = ""] = /^(\/[a-z]+)(?:\s+(.*))?$/is.exec(line) ?? [];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return `There is no command ${name}. The commands are: ${Object.keys(commands).join(", ")}.`;
  try {
    return await command.run(chat, rest.trim());
  } catch (error) {
    if (error instanceof HoldfastError) return error.message;
    throw error;
  }
}

const asPerson = { actor: { kind: "person" as const }, surface: "chat" };

async function pin({ session }: Chat, text: string): Promise<string> {
  if (text === "") return pinLines(await session.pins.list()).join("\n");
  const { result } = await session.pins.pin(text, asPerson);
  return `Pinned ${result.id}: ${result.text}`;
}

async function compact(chat: Chat): Promise<string> {
  const { agent } = chat.setting;
  const { id } = chat.session;
  const outcome = await chat.run((options) => {
    const turn = agent.compact(id, options);
    // This command prints the receipt instead of the turn's text.
    const result = turn.result.then((done) => ({ ...done, text: "" }));
    return { result, [Symbol.asyncIterator]: () => turn[Symbol.asyncIterator]() };
  });
  if (!outcome.ok) return "";
  const last = outcome.result.compacted ? (await agent.receipts(id)).at(-1) : undefined;
  return last ? receiptText(last) : "There is nothing to compact yet.";
}

/** The memory goes on in a new session; the old one keeps the conversation. */
async function clear(chat: Chat): Promise<string> {
  const { memory, agent } = chat.setting;
  const old = chat.session;
  await agent.end(old.id).result;
  const { notepad, records, ...document } = await memory.exportSession(old.id);
  const { space = {}, ref = {}, note = {}, pin: pins = {} } = records;
  const session = { ...document.session, id: makeSessionId(), parent: null, revision: 0 };
  chat.session = await memory.importSession({
    ...document,
    session,
    notepad,
    records: { space, ref, note, pin: pins },
    journal: [],
  });
  return `The conversation is cleared; the memory goes on in session ${chat.session.id}. The old conversation: holdfast chat --session ${old.id}`;
}

async function archive({ setting, session }: Chat): Promise<undefined> {
  await setting.agent.end(session.id).result;
  await setting.memory.archiveSession(session.id, { actor: { kind: "person" } });
  setting.view.notice(`Archived ${session.id}. To restore it: holdfast serve`);
  return undefined;
}

async function undo({ session }: Chat): Promise<string> {
  const before = await session.notepad.read();
  const { result, state } = await session.undo(undefined, { actor: { kind: "person" } });
  const [entry] = await session.history({ from: result.undone, to: result.undone });
  const lines = diffLines(before, state.row.notepad ?? "").flatMap(({ kind, text }) =>
    kind === "same" ? [] : [`${kind === "added" ? "+" : "-"} ${text}`],
  );
  return [`Undone: revision ${result.undone} (${entry?.operation.type ?? "unknown"}).`, ...lines].join("\n");
}

/** `holdfast sessions` lists the rest. */
const maxListed = 20;

async function listSessions({ setting, session }: Chat): Promise<string> {
  const sessions = await setting.memory.listSessions({ limit: maxListed });
  const lines = sessions.map(({ id, updatedAt, title }) => {
    const when = new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ");
    return `${id === session.id ? "*" : " "} ${id}  ${when}  ${title ?? ""}`.trimEnd();
  });
  return sessions.length < maxListed
    ? lines.join("\n")
    : `${lines.join("\n")}\nThese are the ${maxListed} newest; "holdfast sessions" lists all of them.`;
}

async function fork(chat: Chat): Promise<string> {
  const from = chat.session.id;
  chat.session = await chat.setting.memory.forkSession(from);
  return `Now in session ${chat.session.id}, a copy of ${from}. To go back: holdfast chat --session ${from}`;
}
