import { HoldfastError } from "../../errors.ts";
import { findEarlier, notesToContinue } from "../../hosts/earlier-sessions.ts";
import { hostOfSession } from "../../hosts/hosts.ts";
import { ownCommand } from "../../hosts/install/launcher.ts";
import { memoryPlace } from "../../hosts/install/memory-tools.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { findProject } from "../../workspace/project.ts";
import { readArguments } from "../arguments.ts";
import { asPerson, withMemory } from "../memory.ts";
import { currentSessionId, pickSession } from "../pick-session.ts";
import { print } from "../terminal/screen.ts";
import { visibleLine, visibleText } from "../terminal/visible-text.ts";

/** Appends the notes of an earlier conversation to those of the conversation here, and prints them. */
export async function continueSession(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("continue", args);
  return withMemory("change", values, async (memory) => {
    const [given] = positionals;
    const earlier = given === undefined ? undefined : await pickSession(memory, given);
    const id = currentSessionId() ?? (await pickSession(memory, undefined)).id;
    const { from, notes } = await notesFor(id, earlier, memory);
    const session = await memory.openSession(id);
    const place = memoryPlace(hostOfSession(session.id), findProject(process.cwd()));
    const { revision } =
      place === "scratchpad"
        ? await session.scratchpad.appendNotes(notes, asPerson)
        : await session.notepad.append(notes, asPerson);
    print(values, { session: session.id, from: from.id, notes }, () => [
      `Appended to the ${place === "scratchpad" ? place : "notepad"} of ${session.id}, from ${visibleLine(from.id)}:`,
      "",
      ...visibleText(notes).trimEnd().split("\n"),
      "",
      `"${ownCommand()} undo ${session.id} --revision ${revision}" takes it back.`,
    ]);
    return 0;
  });
}

async function notesFor(
  id: string,
  given: Session | undefined,
  memory: Memory,
): Promise<{ from: Session; notes: string }> {
  const list = `"${ownCommand()} sessions" lists them.`;
  if (given?.id === id)
    throw new HoldfastError(
      "invalid_input",
      `${id} is the conversation here. Nothing was changed. Start a new conversation first, or name another session. ${list}`,
    );
  // Before a new conversation has begun, the conversation here is the one to continue.
  const here = await memory.findSession(id);
  const isWritten =
    here && ((await here.notepad.read()) !== "" || (await here.scratchpad.read()).notes !== "");
  if (!given && isWritten)
    throw new HoldfastError(
      "conflict",
      `${id}, the conversation here, has notes already. Nothing was changed. Start a new conversation first, or name the session to append: ${ownCommand()} continue SESSION. ${list}`,
    );
  const from = given ?? (await findEarlier(memory, id));
  const notes = from ? from.hideSecrets(notesToContinue(await from.state())) : "";
  if (from && notes !== "") return { from, notes };
  throw new HoldfastError(
    "not_found",
    from
      ? `${from.id} has no notes and no open items. Nothing was changed. ${list}`
      : `No earlier conversation in this project left notes. Nothing was changed. ${list}`,
  );
}
