import { openExistingMemory } from "../../workspace/open-memory.ts";
import { atMostOne, readArguments, wholeNumber } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { printJson, printLines, screenOf } from "../terminal/screen.ts";

const usage = "undo [SESSION] [--revision N]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { revision: { type: "string" } });
  const idOrPrefix = atMostOne(positionals, "SESSION", usage);
  const target = wholeNumber(values.revision, "revision");
  const memory = await openExistingMemory({ flags: values });
  try {
    const session = await pickSession(memory, idOrPrefix);
    const { result, revision } = await session.undo(target, { actor: { kind: "person" } });
    if (values.json) printJson({ session: session.id, undone: result.undone, revision });
    else {
      printLines([
        `Undid revision ${result.undone} of ${session.id}; "holdfast undo ${session.id} --revision ${revision}" restores it.`,
        ...renderDiff(await session.diff(revision - 1, revision), screenOf()),
      ]);
    }
    return 0;
  } finally {
    await memory.close();
  }
}
