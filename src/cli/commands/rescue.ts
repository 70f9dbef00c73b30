import { resolve } from "node:path";
import { HoldfastError } from "../../errors.ts";
import type { Host } from "../../hosts/host.ts";
import { ownCommand } from "../../hosts/install/launcher.ts";
import { sessionIdOf } from "../../hosts/session-link.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { isConnected } from "../found-agents.ts";
import { withMemory } from "../memory.ts";
import { currentSession, pickSession } from "../pick-session.ts";
import {
  type Conversation,
  findConversations,
  openConversation,
  readConversationSpans,
} from "../rescue/find-conversations.ts";
import { rescuedHandoff } from "../rescue/rescued-handoff.ts";
import { ask, isAtTerminal } from "../terminal/ask.ts";
import { ageOf, counted } from "../terminal/quantities.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { visibleText } from "../terminal/visible-text.ts";

const asPerson = { actor: { kind: "person" as const }, surface: "cli" };
/** Conversations that are shown. */
const newest = 3;

/** A conversation, how often it was compacted, and its handoff from before the last compaction. */
interface Found {
  number: number;
  conversation: Conversation;
  compactions: number;
  handoff: string;
}

/** Shows the handoffs of conversations from before their last compaction, and appends one to the notepad on request. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("rescue", args);
  const found = await search(positionals[0], values.all);
  if (!values.json) printLines(found.flatMap((each) => describe(each, screenOf())));
  const answer = values.take ?? (isAtTerminal() && !values.json ? await ask(question) : undefined);
  const taken = answer?.trim() ? choose(answer, found) : undefined;
  if (!taken) {
    if (values.json) printJson({ conversations: found.map(report) });
    else printLines(["", ...(await whatNext(found))]);
    return 0;
  }
  return withMemory("create", values, async (memory) => {
    const session = await chooseSession(memory, values.session, taken.conversation);
    await session.notepad.append(`## Rescued from before a compaction\n${taken.handoff}`, asPerson);
    if (values.json)
      printJson({ conversations: found.map(report), session: session.id, taken: taken.number });
    else
      printLines([
        "",
        `Appended to the notepad of ${session.id}: ${ownCommand()} show ${session.id}`,
        ...(await whoGetsIt(taken.conversation.host)),
        `"${ownCommand()} undo" removes it.`,
      ]);
    return 0;
  });
}

/** Anyone can paste it; a connected agent also gets what is appended. */
async function whatNext(found: readonly Found[]): Promise<string[]> {
  const command = ownCommand();
  const paste = "Nothing was changed. Paste it into a conversation with any agent.";
  const host = found[0]?.conversation.host;
  if (host && (await isConnected(host, findProject(process.cwd()).root)))
    return [
      `${paste} Or let ${host.title} have it: "${command} rescue --take 1" appends the first to the notepad.`,
    ];
  return [`${paste} To have it kept from now on: ${command} init`];
}

async function whoGetsIt(host: Host): Promise<string[]> {
  if (await isConnected(host, findProject(process.cwd()).root))
    return ["The agent has it from the next start of that conversation on."];
  const { resume } = await host.setup();
  const then = resume === undefined ? "" : `, then continue the conversation: ${resume}`;
  return [
    `${host.title} is not connected yet, so the agent does not get it. Run "${ownCommand()} init"${then}.`,
  ];
}

const question = "\nAppend to the notepad (the number of a conversation; Enter for nothing): ";

async function search(file: string | undefined, isEverywhere: boolean): Promise<Found[]> {
  const { root } = findProject(process.cwd());
  const conversations =
    file === undefined
      ? await findConversations(isEverywhere ? undefined : root, newest)
      : [await openConversation(resolve(file))];
  const found: Found[] = [];
  for (const conversation of conversations) {
    const spans = await readConversationSpans(conversation);
    const handoff = rescuedHandoff(spans);
    if (handoff !== "")
      found.push({ number: found.length + 1, conversation, compactions: spans.length - 1, handoff });
  }
  if (found.length > 0) return found;
  throw new HoldfastError(
    "not_found",
    isEverywhere
      ? "No recorded conversation was found on this machine. Pass a transcript: holdfast rescue FILE."
      : `No recorded conversation was found for ${root}. "holdfast rescue --all" looks at all projects; or pass a transcript: holdfast rescue FILE.`,
  );
}

function describe({ number, conversation, compactions, handoff }: Found, { paint }: Screen): string[] {
  const { host, at, id } = conversation;
  const what =
    compactions === 0 ? "not compacted" : `before the last of ${counted(compactions, "compaction")}`;
  return [
    ...(number === 1 ? [] : [""]),
    `${paint("bold", `${number}  ${host.title}`)} ${id}, ${ageOf(at)}, ${what}`,
    ...visibleText(handoff)
      .split("\n")
      .map((line) => `   ${line}`),
  ];
}

function report({ number, conversation: { host, file, at, id }, compactions, handoff }: Found) {
  return { number, host: host.name, id, file, at, compactions, handoff };
}

function choose(answer: string, found: readonly Found[]): Found {
  const chosen = found.find(({ number }) => number === Number(answer));
  if (chosen) return chosen;
  throw new HoldfastError(
    "invalid_input",
    `There is no conversation ${JSON.stringify(answer)}. The numbers are 1 to ${found.length}.`,
    { data: { given: answer, count: found.length } },
  );
}

/** The named session, or else the conversation here, or else the conversation that is rescued. */
async function chooseSession(
  memory: Memory,
  idOrPrefix: string | undefined,
  { host, id }: Conversation,
): Promise<Session> {
  if (idOrPrefix !== undefined) return pickSession(memory, idOrPrefix);
  return currentSession(memory, () => memory.openSession(sessionIdOf(host.name, id)));
}
