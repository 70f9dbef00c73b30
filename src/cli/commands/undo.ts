import { commandName } from "../../hosts/install/launcher.ts";
import { describeEntry } from "../../server/describe-entry.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { withMemory } from "../memory.ts";
import { pickSession, stateAt } from "../pick-session.ts";
import { renderDiff } from "../terminal/render-diff.ts";
import { print } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";

/** Undoes the last change, or the change of one revision. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("undo", args);
  const target = wholeNumber(values.revision, "revision");
  return withMemory("change", values, async (memory) => {
    const session = await pickSession(memory, positionals[0]);
    const { result, revision } = await session.undo(target, { actor: { kind: "person" } });
    const [undone] = await session.history({ from: result.undone, to: result.undone });
    const what = undone ? describeEntry(undone, await stateAt(session, result.undone)) : "";
    const diff = await session.diff(revision - 1, revision);
    print(values, { session: session.id, undone: result.undone, revision }, (screen) => [
      `Undid revision ${result.undone} of ${session.id}. ${visibleLine(what)}`,
      `"${commandName()} undo ${session.id} --revision ${revision}" restores it.`,
      ...renderDiff(diff, screen),
    ]);
    return 0;
  });
}
