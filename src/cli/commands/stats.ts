import { readFileSync } from "node:fs";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import type { JournalEntry } from "../../engine/journal.ts";
import type { Receipt } from "../../engine/records.ts";
import { sessionIdOf } from "../../hosts/session-link.ts";
import { builtInPrices, pricesFor } from "../../replay/prices.ts";
import { readRecording } from "../../replay/read-transcript.ts";
import { filesUsedAgain } from "../../replay/use-after-compaction.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { eachSession } from "../pick-session.ts";
import { noArguments } from "../positionals.ts";
import { type Conversation, findConversations } from "../rescue/find-conversations.ts";
import { count, painterFor } from "../terminal/paint.ts";
import { counted, parseAge } from "../terminal/quantities.ts";
import { printJson, printLines } from "../terminal/screen.ts";

/** What memory did in a period, from the store and from the conversations that the hosts recorded in this project. */
interface Stats {
  since: number;
  sessions: number;
  writes: { agent: number; person: number };
  compactions: number;
  /** Of what the compactions removed. */
  items: { kept: number; recallable: number; missing: number; putBack: number };
  /** Only conversations whose transcript is still there and counts tokens. */
  recorded: {
    conversations: number;
    calls: number;
    took: { tokens: number; dollars: number };
    filesUsedAgain: { unread: number; unreadTokens: number; dollars: number; readAgain: number };
  };
}

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { since: { type: "string", default: "7d" } });
  noArguments(positionals, "stats [--since AGE]");
  const since = Date.now() - parseAge(values.since, "since");
  const memory = await openExistingMemory({ flags: values });
  try {
    const stats = await gather(memory, since);
    if (values.json) printJson(stats);
    else printLines(render(stats, values.since));
    return 0;
  } finally {
    await memory.close();
  }
}

async function gather(memory: Memory, since: number): Promise<Stats> {
  const stats: Stats = {
    since,
    sessions: 0,
    writes: { agent: 0, person: 0 },
    compactions: 0,
    items: { kept: 0, recallable: 0, missing: 0, putBack: 0 },
    recorded: {
      conversations: 0,
      calls: 0,
      took: { tokens: 0, dollars: 0 },
      filesUsedAgain: { unread: 0, unreadTokens: 0, dollars: 0, readAgain: 0 },
    },
  };
  for await (const { id, updatedAt } of eachSession(memory)) {
    // Newest first: the rest was not written to in the period.
    if (updatedAt < since) break;
    stats.sessions++;
    addSession(stats, await readPeriod(await memory.resumeSession(id), since));
  }
  for (const conversation of await findConversations(findProject(process.cwd()).root, 200))
    if (conversation.at >= since) await addConversation(stats, memory, conversation);
  return stats;
}

/** The writes and the receipts of a session in the period. */
async function readPeriod(session: Session, since: number) {
  const entries = await entriesSince(session, since);
  const epochs = new Set(
    entries.flatMap(({ changes }) =>
      changes.flatMap((change) => ("kind" in change && change.kind === "receipt" ? [change.key] : [])),
    ),
  );
  const receipts = (await session.receipts()).filter(({ epoch }) => epochs.has(String(epoch)));
  // The conversation itself is no write to memory.
  const writes = entries.filter(
    ({ operation }) => !/^(?:context|session|messages?|results)\./.test(operation.type),
  );
  const writesBy = (kind: string) => writes.filter(({ actor }) => actor.kind === kind).length;
  return { receipts, agent: writesBy("agent"), person: writesBy("person") };
}

const pageSize = 500;

async function entriesSince(session: Session, since: number): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for (let to: number | undefined; ; ) {
    const page = await session.history({ limit: pageSize, ...(to === undefined ? {} : { to }) });
    const recent = page.filter(({ at }) => at >= since);
    entries.push(...recent);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize || recent.length < page.length) return entries;
    to = last.revision - 1;
  }
}

function addSession(
  stats: Stats,
  { receipts, agent, person }: { receipts: readonly Receipt[]; agent: number; person: number },
): void {
  const { writes, items } = stats;
  writes.agent += agent;
  writes.person += person;
  for (const { counts, putBack } of receipts) {
    items.kept += counts.kept;
    items.recallable += counts.recallable;
    items.missing += counts.missing;
    items.putBack += putBack.length;
  }
  stats.compactions += receipts.length;
}

/** What memory cost in a recorded conversation, and which files the agent did not have to read again. */
async function addConversation(
  { recorded }: Stats,
  memory: Memory,
  { host, id, file }: Conversation,
): Promise<void> {
  const session = await memory.findSession(sessionIdOf(host.name, id));
  if (!session) return;
  const { messages, calls, compactions } = await readRecording(readFileSync(file, "utf8"));
  const { system, message } = await session.context();
  const tokens = estimateTokens(`${system}${message}`);
  const price = pricesFor(calls.at(-1)?.model ?? "", builtInPrices);
  const writes = Math.min(calls.length, compactions.length + 1);
  recorded.conversations++;
  recorded.calls += calls.length;
  recorded.took.tokens += tokens * calls.length;
  recorded.took.dollars +=
    (tokens * (writes * price.cacheWrite + (calls.length - writes) * price.cacheRead)) / 1e6;
  for (const [index, { messages: at, keptFrom }] of compactions.entries()) {
    const start = compactions[index - 1]?.keptFrom ?? 0;
    const end = compactions[index + 1]?.messages ?? messages.length;
    const used = filesUsedAgain(messages.slice(start, keptFrom), messages.slice(at, end));
    recorded.filesUsedAgain.unread += used.unread;
    recorded.filesUsedAgain.unreadTokens += used.unreadTokens;
    recorded.filesUsedAgain.readAgain += used.readAgain;
    recorded.filesUsedAgain.dollars += (used.unreadTokens * price.cacheWrite) / 1e6;
  }
}

function render({ sessions, writes, compactions, items, recorded }: Stats, period: string): string[] {
  const paint = painterFor(process.stdout);
  const row = (label: string, text: string) => `  ${label.padEnd(30)}${text}`;
  const { took, filesUsedAgain: files } = recorded;
  const money = (dollars: number) => `$${dollars.toFixed(2)}`;
  return [
    paint("bold", `The last ${period}, in this project`),
    row("Sessions", count(sessions)),
    row("Writes to memory", `${count(writes.agent)} by agents, ${count(writes.person)} by you`),
    row("Compactions survived", count(compactions)),
    row("  still before the model", counted(items.kept, "item")),
    row("  can be fetched", counted(items.recallable, "item")),
    row("  put back by Holdfast", counted(items.putBack, "item")),
    row("  missing", counted(items.missing, "item")),
    "",
    ...(recorded.calls === 0
      ? [
          paint(
            "dim",
            "No recorded conversation of the period counts tokens, so there is nothing to say about money.",
          ),
        ]
      : [
          paint(
            "bold",
            `${counted(recorded.conversations, "recorded conversation")}, ${counted(recorded.calls, "call")}`,
          ),
          row(
            "Memory took",
            `${counted(took.tokens, "token")}, ${money(took.dollars)}, mostly from the cache`,
          ),
          row(
            "Repeated reads avoided",
            `${counted(files.unread, "file")}, ${counted(files.unreadTokens, "token")}, ${money(files.dollars)}`,
          ),
          row("Read again", counted(files.readAgain, "file")),
          "",
          paint(
            "dim",
            '"Avoided": files read before a compaction that the agent worked on after it without reading them again. The summary may have been enough for some of them. Tokens of memory are estimated from its size now. Nothing left this machine.',
          ),
        ]),
  ];
}
