import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { handoffTokens, planHandoff } from "../../compaction/handoff.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import type { Handoff } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import type { Host } from "../../hosts/host.ts";
import { hosts } from "../../hosts/hosts.ts";
import { commandName, ownCommand } from "../../hosts/install/launcher.ts";
import { sessionIdOf } from "../../hosts/session-link.ts";
import { readPart } from "../../hosts/transcript/json-files.ts";
import { readTranscriptSpans } from "../../hosts/transcript/read-conversation.ts";
import { readRecordedSession } from "../../hosts/transcript/recorded-session.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { isConnected } from "../found-agents.ts";
import { asPerson, withMemory } from "../memory.ts";
import { currentSession, pickSession } from "../pick-session.ts";
import { ageOf, counted } from "../terminal/quantities.ts";
import { ask, isAtTerminal, print, printLines, type Screen } from "../terminal/screen.ts";
import { visibleText } from "../terminal/visible-text.ts";

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
export async function rescue(args: string[]): Promise<number> {
  const { values } = readArguments("rescue", args);
  const found = await search(values.all);
  if (!values.json) printLines((screen) => found.flatMap((each) => describe(each, screen)));
  const answer = values.take ?? (isAtTerminal() && !values.json ? await ask(question) : undefined);
  const taken = answer?.trim() ? choose(answer, found) : undefined;
  if (!taken) {
    const next = await whatNext(found);
    print(values, { conversations: found.map(report) }, () => ["", ...next]);
    return 0;
  }
  return withMemory("create", values, async (memory) => {
    const session = await chooseSession(memory, values.session, taken.conversation);
    const outcome = { conversations: found.map(report), session: session.id, taken: taken.number };
    if ((await session.notepad.read())?.includes(taken.handoff)) {
      const known = `The notepad of ${session.id} has this handoff already. Nothing was changed.`;
      print(values, { ...outcome, changed: false }, () => ["", known]);
      return 0;
    }
    await session.notepad.append(`## Rescued from before a compaction\n${taken.handoff}`, asPerson);
    const who = await whoGetsIt(taken.conversation.host);
    print(values, { ...outcome, changed: true }, () => [
      "",
      `Appended to the notepad of ${session.id}: ${ownCommand()} show ${session.id}`,
      who,
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

async function whoGetsIt(host: Host): Promise<string> {
  if (await isConnected(host, findProject(process.cwd()).root))
    return "The agent has it from the next start of that conversation on.";
  const { resume } = await host.setup();
  const then = resume === undefined ? "" : `, then continue the conversation: ${resume}`;
  return `${host.title} is not connected yet, so the agent does not get it. Run "${ownCommand()} init"${then}.`;
}

const question = "\nAppend to the notepad (the number of a conversation; Enter for nothing): ";

async function search(isEverywhere: boolean): Promise<Found[]> {
  const { root } = findProject(process.cwd());
  const found: Found[] = [];
  for (const conversation of await findConversations(isEverywhere ? undefined : root, newest)) {
    const spans = await readConversationSpans(conversation);
    const handoff = rescuedHandoff(spans);
    if (handoff !== "")
      found.push({ number: found.length + 1, conversation, compactions: spans.length - 1, handoff });
  }
  if (found.length > 0) return found;
  throw new HoldfastError(
    "not_found",
    isEverywhere
      ? "No recorded conversation was found on this machine."
      : `No recorded conversation was found for ${root}. "${commandName()} rescue --all" looks at all projects.`,
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

/** A conversation that a host recorded on this machine. */
interface Conversation {
  host: Host;
  file: string;
  /** When it was last written to. */
  at: number;
  /** The host's id of it. */
  id: string;
}

const headBytes = 65_536;
/** Older ones are not looked at. */
const maxFiles = 400;
/** Larger ones take seconds to read. */
const maxBytes = 100_000_000;

/** The conversations of the hosts in a project, or in all with `root` undefined, newest first. */
async function findConversations(root: string | undefined, limit: number): Promise<Conversation[]> {
  const files: Omit<Conversation, "id">[] = [];
  for (const host of hosts) {
    const folder = host.transcriptFolder?.(process.env);
    if (folder !== undefined) files.push(...filesIn(host, folder));
  }
  const found: Conversation[] = [];
  for (const file of files.toSorted((a, b) => b.at - a.at).slice(0, maxFiles)) {
    if (found.length >= limit) break;
    try {
      const head = readPart(file.file, { until: headBytes }) ?? "";
      if (root === undefined || isOf(head, root)) found.push({ ...file, id: idIn(head, file.file) });
    } catch {
      // A file that cannot be read, or that is none of a conversation, must not hide the others.
    }
  }
  return found;
}

/** Its messages, between its compactions. */
async function readConversationSpans({ host, file }: Conversation): Promise<Span[]> {
  const spans = readTranscriptSpans(host, file, { maxBytes });
  if (spans) return spans;
  const { messages, compactions } = await readRecordedSession(readFileSync(file, "utf8"));
  const cuts = [0, ...compactions.map(({ messages: at }) => at), messages.length];
  return cuts
    .slice(1)
    .map((end, index) => ({ messages: messages.slice(cuts[index], end).map(({ message }) => message) }));
}

function filesIn(host: Host, folder: string): Omit<Conversation, "id">[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.jsonl?$/.test(name) && !/(?:^|[/\\])(?:subagents[/\\]|agent-)/.test(name))
      .flatMap((name) => {
        const file = join(folder, name);
        const stat = statSync(file, { throwIfNoEntry: false });
        return stat && stat.size > 0 && stat.size <= maxBytes ? [{ host, file, at: stat.mtimeMs }] : [];
      });
  } catch {
    // The host has never run here.
    return [];
  }
}

/** Whether a transcript's lines name this folder, or one in it, as where the conversation runs. */
function isOf(head: string, root: string): boolean {
  const [, quoted = '""'] = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(head) ?? [];
  const cwd = JSON.parse(quoted) as string;
  // Gemini CLI names the project by a hash of its folder.
  const hash = createHash("sha256").update(root).digest("hex");
  return (
    cwd === root ||
    cwd.startsWith(root + sep) ||
    head.includes(`"projectHash":"${hash}"`) ||
    head.includes(`"projectHash": "${hash}"`)
  );
}

/** The id in the transcript's lines, or else in its name. */
function idIn(head: string, file: string): string {
  const [, id] =
    /"sessionId"\s*:\s*"([\w.-]+)"/.exec(head) ?? /^\{[^\n]*?"id"\s*:\s*"([\w.-]+)"/.exec(head) ?? [];
  return id ?? basename(file, ".jsonl");
}

/** The messages between two compactions. */
interface Span {
  messages: readonly StoredMessage["message"][];
}

/**
 * The handoff of a conversation before its last compaction, as Holdfast would have written it then; without a compaction, as
 * of now. "" if nothing was said or done.
 */
function rescuedHandoff(spans: readonly Span[]): string {
  const before = spans.length > 1 ? spans.slice(0, -1) : spans;
  let handoff: Handoff | undefined;
  for (const [index, { messages: span }] of before.entries()) {
    const messages = span.map((message, at) => ({ number: at + 1, message, at: 0 }));
    handoff = planHandoff({
      epoch: index + 1,
      messages,
      to: messages.length,
      earlier: handoff,
      tasks: [],
      room: { tokens: handoffTokens() },
      countTokens: estimateTokens,
    });
  }
  return handoff?.text ?? "";
}
