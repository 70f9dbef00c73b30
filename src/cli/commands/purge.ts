import { HoldfastError } from "../../errors.ts";
import { dropDerived } from "../../workspace/derived-files.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { backupsOf, editBackup, withoutSessions } from "../store-backups.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson, printLines } from "../terminal/screen.ts";

const usage = "purge SESSION… [--backup FILE]…";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    backup: { type: "string", multiple: true, default: [] },
  });
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
    dropDerived(project);
    const backups = backupsOf(place, "purge", values.backup);
    remaining.push(...backups.remaining);
    for (const path of backups.files) {
      const problem = await editBackup(path, withoutSessions(positionals), async (store) => {
        for (const sessionId of positionals) await store.purge({ owner: memory.owner, sessionId });
      });
      if (problem !== undefined) remaining.push(problem);
    }
    if (values.json) printJson({ purged: positionals, remaining });
    else printLines([`Removed ${counted(positionals.length, "session")} for good.`, ...remaining]);
    return 0;
  } finally {
    await memory.close();
  }
}
