import type { JournalEntry } from "../engine/journal.ts";
import { HoldfastError } from "../errors.ts";
import { onlyArgument, openChosenMemory, readArguments, wholeNumber } from "./arguments.ts";

const usage = "log SESSION [--revision N] [--limit N]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    revision: { type: "string" },
    limit: { type: "string" },
  });
  const id = onlyArgument(positionals, "SESSION", usage);
  const revision = wholeNumber(values.revision, "revision");
  const limit = wholeNumber(values.limit, "limit") ?? 50;
  const memory = await openChosenMemory(values);
  try {
    const session = await memory.resumeSession(id);
    const range = revision === undefined ? { limit } : { from: revision, to: revision };
    const entries = await session.history(range);
    if (revision !== undefined && entries.length === 0) {
      throw new HoldfastError(
        "not_found",
        `Session ${id} has no revision ${revision}. Run "holdfast log ${id}" to see which there are.`,
      );
    }
    if (values.json) console.log(JSON.stringify(entries, null, 2));
    else
      for (const entry of entries)
        console.log(revision === undefined ? oneLine(entry) : JSON.stringify(entry, null, 2));
    return 0;
  } finally {
    await memory.close();
  }
}

function oneLine({ revision, at, actor, operation }: JournalEntry): string {
  const { type, ...input } = operation;
  const text = JSON.stringify(input).replace(/^\{\}$/, "");
  return `${String(revision).padStart(6)}  ${new Date(at).toISOString()}  ${actor.kind.padEnd(11)} ${type.padEnd(24)}${text.length > 80 ? `${text.slice(0, 79)}…` : text}`.trimEnd();
}
