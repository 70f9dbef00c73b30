import { resolve } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { hostNames } from "../../hosts/hosts.ts";
import { findNewestLink, sessionIdOf } from "../../hosts/session-link.ts";
import { openMemory } from "../../index.ts";
import { redactTexts } from "../../secrets/redact.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { atMostOne, readArguments } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import {
  type Conversation,
  findConversations,
  openConversation,
  readConversationSpans,
} from "../rescue/find-conversations.ts";
import { findLost, type LostItem, type LostKind } from "../rescue/find-lost.ts";
import { ask, isAtTerminal } from "../terminal/ask.ts";
import { painterFor, printable } from "../terminal/paint.ts";
import { ageOf, counted } from "../terminal/quantities.ts";
import { printJson, printLines } from "../terminal/screen.ts";

const usage = "rescue [FILE] [--take 1,3|all] [--session SESSION]";
const asPerson = { actor: { kind: "person" as const }, surface: "cli" };
/** Conversations that are shown. */
const newest = 3;

/** A conversation, how often it was compacted, and what is worth rescuing of it. */
interface Found {
  conversation: Conversation;
  compactions: number;
  items: (LostItem & { number: number })[];
}

/** Shows what conversations knew before their last compaction, and puts what the person chooses into memory. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    take: { type: "string" },
    session: { type: "string" },
    all: { type: "boolean", default: false },
  });
  const found = await search(atMostOne(positionals, "FILE", usage), values.all);
  const count = found.reduce((sum, { items }) => sum + items.length, 0);
  if (!values.json) printLines(found.flatMap(describe));
  const answer = values.take ?? (isAtTerminal() && !values.json ? await ask(question) : undefined);
  const taken = answer ? choose(answer, count) : [];
  if (taken.length === 0) {
    if (values.json) printJson({ conversations: found.map(report) });
    else printLines(["", `Nothing was taken. "holdfast rescue --take 1,3" puts items into memory.`]);
    return 0;
  }
  const chosen = found.flatMap(({ items }) => items.filter(({ number }) => taken.includes(number)));
  const from = found.find(({ items }) => items.some(({ number }) => number === taken[0]));
  const memory = await openWorkspaceMemory({ flags: values });
  try {
    const session = await chooseSession(memory, values.session, from?.conversation);
    await put(session, chosen);
    if (values.json) printJson({ conversations: found.map(report), session: session.id, taken });
    else
      printLines([
        "",
        `${counted(chosen.length, "item")} put into the memory of ${session.id}: holdfast show ${session.id}`,
        'The agent has it from the next start of that conversation on. "holdfast undo" takes it back.',
      ]);
    return 0;
  } finally {
    await memory.close();
  }
}

const question = "\nPut into memory (numbers as 1,3 or all; Enter for nothing): ";

async function search(file: string | undefined, isEverywhere: boolean): Promise<Found[]> {
  const { root } = findProject(process.cwd());
  const conversations =
    file === undefined
      ? await findConversations(isEverywhere ? undefined : root, newest)
      : [await openConversation(resolve(file))];
  const memory = await openMemory({ store: "memory:" });
  const state = await (await memory.createSession()).state();
  let number = 0;
  const found: Found[] = [];
  for (const conversation of conversations) {
    const spans = await readConversationSpans(conversation);
    const items = redactTexts(findLost(spans, state)).map((item) => ({ number: ++number, ...item }));
    if (items.length > 0) found.push({ conversation, compactions: spans.length - 1, items });
  }
  await memory.close();
  if (found.length > 0) return found;
  throw new HoldfastError(
    "not_found",
    isEverywhere
      ? "No recorded conversation was found on this machine. Pass a transcript: holdfast rescue FILE."
      : `No recorded conversation was found for ${root}. "holdfast rescue --all" looks at all projects; or pass a transcript: holdfast rescue FILE.`,
  );
}

const titles: Readonly<Record<LostKind, string>> = {
  plan: "Plan",
  ask: "Asks, newest first",
  decision: "Decisions",
  files: "Files it changed",
  commands: "Commands",
};

function describe({ conversation, compactions, items }: Found): string[] {
  const paint = painterFor(process.stdout);
  const { host, at, id } = conversation;
  const what =
    compactions === 0 ? "not compacted" : `before the last of ${counted(compactions, "compaction")}`;
  const lines = [`${paint("bold", host.title)} ${id}, ${ageOf(at)}, ${what}`];
  for (const [kind, title] of Object.entries(titles)) {
    const ofKind = items.filter((item) => item.kind === kind);
    if (ofKind.length > 0) lines.push(`  ${paint("cyan", title)}`);
    for (const { number, text } of ofKind) {
      const [first = "", ...rest] = text.split("\n").map(printable);
      lines.push(`  ${paint("bold", String(number).padStart(3))}  ${first}`);
      lines.push(...rest.map((line) => `       ${line}`));
    }
  }
  return lines;
}

function report({ conversation: { host, file, at, id }, compactions, items }: Found) {
  return { host: host.name, id, file, at, compactions, items };
}

/** The numbers that a person means: "all", or "1,3 5". */
function choose(answer: string, count: number): number[] {
  const all = Array.from({ length: count }, (_, index) => index + 1);
  if (answer.trim().toLowerCase() === "all") return all;
  const words = answer.split(/[\s,]+/).filter((word) => word !== "");
  const wrong = words.find((word) => !all.includes(Number(word)));
  if (wrong === undefined) return [...new Set(words.map(Number))];
  throw new HoldfastError(
    "invalid_input",
    `There is no item ${JSON.stringify(wrong)}. The items are 1 to ${count}; or take all.`,
    { data: { given: wrong, count } },
  );
}

/** The named session; or the conversation here; or that of the conversation the items are from. */
async function chooseSession(
  memory: Memory,
  idOrPrefix: string | undefined,
  from: Conversation | undefined,
): Promise<Session> {
  if (idOrPrefix !== undefined) return pickSession(memory, idOrPrefix);
  const cwd = process.cwd();
  const link = findNewestLink({ ...findProject(cwd), cwd }, hostNames);
  if (link) return memory.openSession(link.session);
  return from ? memory.openSession(sessionIdOf(from.host.name, from.id)) : pickSession(memory, undefined);
}

/** Appends the items to the notepad, in sections. */
async function put(session: Session, items: readonly LostItem[]): Promise<void> {
  const sections = Object.entries(titles).flatMap(([kind, title]) => {
    const texts = items.filter((item) => item.kind === kind).map(({ text }) => text);
    if (texts.length === 0) return [];
    const lines = texts
      .flatMap((text) => text.split("\n"))
      .map((line) => (/^- /.test(line) ? line : `- ${line}`));
    return [`### ${title}`, ...lines];
  });
  if (sections.length === 0) return;
  await session.notepad.append(["## Rescued from before a compaction", ...sections].join("\n"), asPerson);
}
