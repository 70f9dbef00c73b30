import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import type { JournalEntry } from "../../surfaces/operations.ts";
import { openMemoryToRead } from "../../workspace/read-memory.ts";
import { readArguments } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import { ageOf } from "../terminal/quantities.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { printJson, printLines, screenOf } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { dotted, wrapSpans } from "../terminal/wrap-text.ts";

const usage = "diff [SESSION] [FROM [TO]]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {});
  const memory = await openMemoryToRead({ flags: values });
  try {
    const { session, numbers } = await readPositionals(memory, positionals);
    const { row } = await session.state();
    const [from, to = row.revision] = numbers.length > 0 ? numbers : await lastChange(session);
    const diff = await session.diff(from ?? row.revision, to);
    if (values.json) printJson({ session: session.id, ...diff });
    else {
      const screen = screenOf();
      const facts = [session.id, `revision ${diff.from} → ${diff.to}`, ...(await writerOf(session, diff))];
      const lines = renderDiff(diff, screen);
      printLines([
        ...wrapSpans(dotted(facts), "", "", screen),
        ...(lines.length > 0 ? lines : ["", "No differences."]),
      ]);
    }
    return 0;
  } finally {
    await memory.close();
  }
}

/** A number is a revision, unless it is the id of a session. */
async function readPositionals(
  memory: Memory,
  positionals: readonly string[],
): Promise<{ session: Session; numbers: number[] }> {
  const [first, ...rest] = positionals;
  const isSessionGiven =
    first !== undefined && (!/^\d+$/.test(first) || (await memory.findSession(first)) !== undefined);
  const numbers = isSessionGiven ? rest : positionals;
  if (numbers.length > 2 || numbers.some((value) => !/^\d+$/.test(value))) {
    throw new HoldfastError(
      "invalid_input",
      `FROM and TO must be revision numbers (got ${numbers.join(" ")}). Usage: holdfast ${usage}`,
    );
  }
  return {
    session: await pickSession(memory, isSessionGiven ? first : undefined),
    numbers: numbers.map(Number),
  };
}

/** The newest revision that changed what `show` prints, as a range. */
async function lastChange(session: Session): Promise<[from: number, to: number]> {
  const pageSize = 100;
  for (let to = Number.MAX_SAFE_INTEGER; ; ) {
    const entries = await session.history({ to, limit: pageSize });
    const found = entries.find(changesMemory);
    if (found) return [found.revision - 1, found.revision];
    const oldest = entries.at(-1)?.revision ?? 1;
    if (entries.length < pageSize || oldest <= 1) break;
    to = oldest - 1;
  }
  const { row } = await session.state();
  return [row.revision, row.revision];
}

function changesMemory({ changes, revision }: JournalEntry): boolean {
  return (
    revision > 1 &&
    changes.some(
      (change) =>
        change.type === "text" ||
        (change.type === "record" && ["note", "ref", "space"].includes(change.kind)),
    )
  );
}

/** Who wrote a single revision, and when. */
async function writerOf(session: Session, { from, to }: { from: number; to: number }): Promise<string[]> {
  if (to !== from + 1) return [];
  const [entry] = await session.history({ from: to, to });
  return entry ? [visibleLine(entry.actor.name ?? entry.actor.kind), ageOf(entry.at)] : [];
}
