import { onlyArgument, readArguments } from "../arguments.ts";
import { printJson, printLines } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { withSession } from "./pin.ts";

/** Removes a pin. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { session: { type: "string" } });
  const id = onlyArgument(positionals, "ID", "unpin ID [--session SESSION]");
  return withSession(values, values.session, async (session) => {
    const options = { actor: { kind: "person" as const }, surface: "cli" };
    const { result, revision } = await session.pins.unpin(id, options);
    if (values.json) printJson({ session: session.id, ...result });
    else
      printLines([
        `Unpinned ${result.id} of ${session.id}: ${visibleLine(result.text)}`,
        `"holdfast undo ${session.id} --revision ${revision}" pins it again.`,
      ]);
  });
}
