import { HoldfastError } from "../../errors.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import { atMostOne } from "../positionals.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { cutToWidth, padToWidth, textWidth } from "../terminal/text-width.ts";
import { visibleJson, visibleLine } from "../terminal/visible-text.ts";

const usage = "log [SESSION] [--revision N] [--limit N]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    revision: { type: "string" },
    limit: { type: "string" },
  });
  const idOrPrefix = atMostOne(positionals, "SESSION", usage);
  const revision = wholeNumber(values.revision, "revision");
  const limit = wholeNumber(values.limit, "limit") ?? 50;
  const memory = await openExistingMemory({ flags: values });
  try {
    const session = await pickSession(memory, idOrPrefix);
    const range = revision === undefined ? { limit } : { from: revision, to: revision };
    const entries = await session.history(range);
    if (revision !== undefined && entries.length === 0) {
      throw new HoldfastError(
        "not_found",
        `Session ${session.id} has no revision ${revision}. Run "holdfast log ${session.id}" to list its revisions.`,
      );
    }
    const screen = screenOf();
    if (values.json) printJson(entries);
    else
      printLines(
        entries.map((entry) => (revision === undefined ? renderEntry(entry, screen) : visibleJson(entry))),
      );
    return 0;
  } finally {
    await memory.close();
  }
}

const styles = {
  agent: "cyan",
  person: "green",
  "sub-session": "magenta",
  import: "blue",
  system: "dim",
} as const;

/** A narrow terminal shows no date, to leave room for the operation. */
function renderEntry({ revision, at, actor, operation }: JournalEntry, screen: Screen): string {
  const { type, ...input } = operation;
  const text = visibleLine(Object.keys(input).length === 0 ? "" : summaryOf(input));
  const time = new Date(at).toISOString().replace("T", " ").replace(/\.\d+/, "");
  const narrow = screen.width < 60;
  const columns = [
    String(revision).padStart(narrow ? 4 : 6),
    ...(narrow ? [] : [time]),
    narrow ? actor.kind : padToWidth(actor.kind, 11),
    screen.width < 100 ? type : padToWidth(type, 22),
  ];
  const room = screen.width - textWidth(columns.join("  ")) - 2;
  const rest = room < 8 ? "" : cutToWidth(text, Math.min(80, room));
  const [number = "", ...others] = columns;
  return [
    screen.paint("bold", number),
    ...others.map((column, index) =>
      index === others.length - 2 ? screen.paint(styles[actor.kind], column) : column,
    ),
    screen.paint("dim", rest),
  ]
    .join("  ")
    .trimEnd();
}

/** What was written, without field names where they add nothing. */
function summaryOf(input: Record<string, unknown>): string {
  const [first, ...more] = Object.values(input);
  const text = input.content ?? (more.length === 0 ? first : input);
  return typeof text === "string" ? JSON.stringify(text).slice(1, -1) : JSON.stringify(text);
}
