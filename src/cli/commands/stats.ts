import { gatherStats, type RecordedStats, type StoreStats } from "../../server/stats.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { noArguments } from "../positionals.ts";
import { gatherRecorded } from "../recorded-stats.ts";
import { count, painterFor } from "../terminal/paint.ts";
import { counted, parseAge } from "../terminal/quantities.ts";
import { printJson, printLines } from "../terminal/screen.ts";

/** What memory did in a period, from the store and from the conversations that the hosts recorded in this project. */
type Stats = StoreStats & { recorded: RecordedStats };

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { since: { type: "string", default: "7d" } });
  noArguments(positionals, "stats [--since AGE]");
  const since = Date.now() - parseAge(values.since, "since");
  const memory = await openExistingMemory({ flags: values });
  try {
    const { root } = findProject(process.cwd());
    const stats: Stats = {
      ...(await gatherStats(memory, since)),
      recorded: await gatherRecorded(memory, root, since),
    };
    if (values.json) printJson(stats);
    else printLines(render(stats, values.since));
    return 0;
  } finally {
    await memory.close();
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
