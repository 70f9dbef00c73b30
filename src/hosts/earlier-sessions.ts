import { fenceLine } from "../context/fence.ts";
import type { State } from "../engine/state.ts";
import { appendText } from "../engine/text.ts";
import type { Memory } from "../sessions/memory.ts";
import type { Session } from "../sessions/session.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { readTasks } from "../surfaces/tasks/operations.ts";
import { agentCommand } from "./install/launcher.ts";

/** How many of the newest sessions to look at: most were written to. */
const newest = 20;

/** Open items that a new conversation is offered, and the characters of each. */
const maxItems = 5;
const itemLength = 120;

/** A new conversation starts empty, so it is offered the open items of the last one; "" if none left anything. */
export async function earlierSessions(
  memory: Pick<Memory, "listSessions" | "findSession"> | undefined,
  own: string,
): Promise<string> {
  const session = await findEarlier(memory, own);
  if (!session) return "";
  const state = await session.state();
  const line = (text: string) => fenceLine(session.hideSecrets(text), itemLength);
  const items = openItems(state);
  const { title, updatedAt } = state.row;
  const when = `${new Date(updatedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const which = title ? `"${line(title)}", ${when}` : when;
  const command = `${agentCommand()} continue ${session.id}`;
  return [
    items.length === 0
      ? `The last conversation in this project (${which}) left notes and no open items.`
      : `${countOf(items)} of the last conversation in this project (${which}):`,
    ...items.slice(0, maxItems).map((item) => `- [ ] ${line(item)}`),
    `If the user wants to go on with that work, run: ${command}\nIt appends the notes of that conversation to yours and prints them.`,
  ].join("\n");
}

function countOf({ length }: readonly string[]): string {
  return length > maxItems ? `${maxItems} of ${length} open items` : "Open items";
}

/** For a session with nothing in it: the one that its conversation could continue. */
export async function earlierSession(memory: Memory, own: string): Promise<Session | undefined> {
  const mine = await memory.findSession(own);
  const isEmpty = !mine || notesToContinue(await mine.state()) === "";
  return isEmpty ? findEarlier(memory, own) : undefined;
}

/** For an agent that reads a memory with nothing in it, such as after a restart of a server without hooks. */
export function earlierHint({ id }: Session): string {
  return `Nothing has been saved in this conversation yet. If the user goes on with earlier work, run "${agentCommand()} show ${id}": it prints what the last conversation in this project saved.`;
}

/** The session, other than this one, that was written to last and has something to go on with. */
export async function findEarlier(
  memory: Pick<Memory, "listSessions" | "findSession"> | undefined,
  own: string,
): Promise<Session | undefined> {
  for (const { id, origin } of (await memory?.listSessions({ limit: newest })) ?? []) {
    // The parent has what its child session reported.
    if (id === own || origin === "spawned") continue;
    const session = await memory?.findSession(id);
    if (session && notesToContinue(await session.state()) !== "") return session;
  }
  return undefined;
}

/** The notepad and the scratchpad's notes, and below them the open items that they do not have: steps of the plan, and tasks. */
export function notesToContinue(state: State): string {
  const notes = appendText(state.row.notepad ?? "", readScratchpad(state).notes);
  const others = openItems(state).filter((item) => !notes.includes(item));
  return appendText(notes, others.map((item) => `- [ ] ${item}`).join("\n"));
}

/** The unticked lines of the notepad, the steps of the plan that are not done, and the open tasks. */
function openItems(state: State): string[] {
  const notepad = itemsIn(state.row.notepad ?? "").flatMap((item) => uncheckedIn(item) ?? []);
  const plan = itemsIn(readScratchpad(state).plan)
    .filter((step) => !isDone.test(step))
    .map((step) => uncheckedIn(step) ?? step);
  const tasks = readTasks(state).map(([, { description }]) => description);
  return [...new Set([...notepad, ...plan, ...tasks])];
}

const isDone = /^\[[xX]\]|^~~|[✓✔✅☑]|\bDONE\b|\(done\)/;

/** The texts of a text's bullets and numbered lines. */
function itemsIn(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const [, item] = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(\S.*)/.exec(line) ?? [];
    return item === undefined ? [] : [item.trimEnd()];
  });
}

function uncheckedIn(item: string): string | undefined {
  return /^\[ \]\s+(\S.*)/.exec(item)?.[1];
}
