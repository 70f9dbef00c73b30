import type { Session } from "../../sessions/session.ts";
import type { ListedPin } from "../../surfaces/pins/operations.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { readArguments } from "../arguments.ts";
import { withMemory } from "../memory.ts";
import { currentSession, pickSession } from "../pick-session.ts";
import { print } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";

const asPerson = { actor: { kind: "person" as const }, surface: "cli" };

/** Pins a rule, or lists the pins. */
export async function pin(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("pin", args);
  const [text] = positionals;
  return withSession(values, async (session) => {
    if (text === undefined) {
      const pins = await session.pins.list();
      return print(values, { session: session.id, pins }, () => pinLines(pins));
    }
    const { result } = await session.pins.pin(text, asPerson);
    print(values, { session: session.id, ...result }, () => [
      `Pinned ${result.id} in ${session.id}: ${visibleLine(result.text)}`,
      `"holdfast unpin ${result.id}" removes it.`,
    ]);
  });
}

export async function unpin(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("unpin", args);
  const [id = ""] = positionals;
  return withSession(values, async (session) => {
    const { result, revision } = await session.pins.unpin(id, asPerson);
    print(values, { session: session.id, ...result }, () => [
      `Unpinned ${result.id} of ${session.id}: ${visibleLine(result.text)}`,
      `"holdfast undo ${session.id} --revision ${revision}" pins it again.`,
    ]);
  });
}

/** One line for each pin. */
export function pinLines(pins: readonly ListedPin[]): string[] {
  if (pins.length === 0) return [`Nothing is pinned. Pin a rule with: holdfast pin "never push to main"`];
  return pins.map(({ id, text }) => `${id.padEnd(4)}${visibleLine(text)}`);
}

/** Works on the named session, or else on the conversation here. */
async function withSession(
  values: StoreFlags & { session?: string | undefined },
  work: (session: Session) => Promise<void>,
): Promise<number> {
  return withMemory("create", values, async (memory) => {
    await work(
      values.session === undefined ? await currentSession(memory) : await pickSession(memory, values.session),
    );
    return 0;
  });
}
