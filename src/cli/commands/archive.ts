import { openExistingMemory } from "../../workspace/open-memory.ts";
import { onlyArgument, readArguments } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import { printJson, printLines } from "../terminal/screen.ts";

const usage = "archive SESSION [--reopen]";

/** Archives a session, which is then read-only, or reopens it. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { reopen: { type: "boolean", default: false } });
  const idOrPrefix = onlyArgument(positionals, "SESSION", usage);
  const memory = await openExistingMemory({ flags: values });
  try {
    const { id } = await pickSession(memory, idOrPrefix);
    const person = { actor: { kind: "person" as const } };
    if (values.reopen) await memory.restoreSession(id, person);
    else await memory.archiveSession(id, person);
    const status = values.reopen ? "active" : "archived";
    if (values.json) printJson({ session: id, status });
    else if (values.reopen) printLines([`Reopened ${id}.`]);
    else printLines([`Archived ${id}: it is read-only now. "holdfast archive ${id} --reopen" reopens it.`]);
    return 0;
  } finally {
    await memory.close();
  }
}
