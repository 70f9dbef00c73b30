import { HoldfastError } from "../../errors.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { dropKept } from "../../workspace/outbox.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { editBackup, findBackups } from "../store-backups.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson, printLines } from "../terminal/screen.ts";

const usage = "purge SESSION…";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {});
  if (positionals.length === 0)
    throw new HoldfastError(
      "invalid_input",
      `Name the sessions to remove for good. Usage: holdfast ${usage}`,
    );
  const memory = await openExistingMemory({ flags: values });
  try {
    for (const id of positionals) await memory.purgeSession(id);
    const remaining = await memory.erase();
    const { project, store: place } = findWorkspace({ flags: values });
    dropKept(project.directory, positionals);
    for (const path of findBackups(place.file)) {
      const problem = await editBackup(
        path,
        (text) => text,
        async (store) => {
          for (const sessionId of positionals) await store.purge({ owner: memory.owner, sessionId });
        },
      );
      if (problem !== undefined) remaining.push(problem);
    }
    if (values.json) printJson({ purged: positionals, remaining });
    else printLines([`Removed ${counted(positionals.length, "session")} for good.`, ...remaining]);
    return 0;
  } finally {
    await memory.close();
  }
}
