import { commandName } from "../../hosts/install/launcher.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { isProjectPin, type ListedPin } from "../../surfaces/pins/operations.ts";
import { readArguments } from "../arguments.ts";
import { asPerson, withMemory } from "../memory.ts";
import { currentSession, pickSession } from "../pick-session.ts";
import { print } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { wrapLine } from "../terminal/wrap-text.ts";

/** Pins a rule for the whole project or for one conversation, or lists the pins. */
export async function pin(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("pin", args);
  const [text] = positionals;
  return withMemory(text === undefined ? "read" : "create", values, async (memory) => {
    if (text === undefined) {
      const holder = await holderOf(memory, values, () => memory.project());
      const pins = await holder.pins.list();
      print(values, { session: holder.id, pins }, (screen) =>
        pinLines(pins).flatMap((line) => wrapLine(line, screen, "    ")),
      );
      return 0;
    }
    const isOfProject = values.session === undefined;
    const holder = isOfProject ? await memory.project() : await pickSession(memory, values.session);
    const { result } = await holder.pins.pin(text, asPerson);
    print(values, { session: holder.id, ...result }, () => [
      `Pinned ${result.id} ${isOfProject ? "in every conversation of this project" : `in ${holder.id}`}: ${visibleLine(result.text)}`,
      `"${commandName()} unpin ${result.id}" removes it.`,
    ]);
    return 0;
  });
}

export async function unpin(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("unpin", args);
  const [id = ""] = positionals;
  return withMemory("change", values, async (memory) => {
    const holder = isProjectPin(id) ? await memory.project() : await holderOf(memory, values);
    const { result } = await holder.pins.unpin(id, asPerson);
    print(values, { session: holder.id, ...result }, () => [
      `Unpinned ${result.id}: ${visibleLine(result.text)}`,
      `"${commandName()} pin" with this text pins it again.`,
    ]);
    return 0;
  });
}

/** One line for each pin. */
export function pinLines(pins: readonly ListedPin[]): string[] {
  if (pins.length === 0)
    return [`Nothing is pinned. Pin a rule with: ${commandName()} pin "never push to main"`];
  return pins.map(({ id, text }) => `${id.padEnd(4)}${visibleLine(text)}`);
}

/** The named session, or else the conversation here. */
function holderOf(
  memory: Memory,
  { session }: { session?: string | undefined },
  otherwise?: () => Promise<Session>,
): Promise<Session> {
  if (session !== undefined) return pickSession(memory, session);
  return currentSession(memory, otherwise);
}
