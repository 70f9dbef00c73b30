import { hostNames } from "../../hosts/hosts.ts";
import { findNewestLink } from "../../hosts/session-link.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { openWorkspaceMemory } from "../../workspace/open-memory.ts";
import { findProject } from "../../workspace/project.ts";
import type { StoreFlags } from "../../workspace/store-location.ts";
import { onlyArgument, readArguments } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import { pinLines } from "../pin-lines.ts";
import { printJson, printLines } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";

const usage = "pin [TEXT] [--session SESSION]";
const asPerson = { actor: { kind: "person" as const }, surface: "cli" };

/** Pins a rule, or lists the pins. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { session: { type: "string" } });
  return withSession(values, values.session, async (session) => {
    if (positionals.length === 0) return list(session, values.json);
    const given = onlyArgument(positionals, "TEXT", usage);
    const { result } = await session.pins.pin(given, asPerson);
    if (values.json) printJson({ session: session.id, ...result });
    else
      printLines([
        `Pinned ${result.id} in ${session.id}: ${visibleLine(result.text)}`,
        `"holdfast unpin ${result.id}" takes it back.`,
      ]);
  });
}

async function list(session: Session, isJson: boolean): Promise<void> {
  const pins = await session.pins.list();
  if (isJson) printJson({ session: session.id, pins });
  else printLines(pinLines(pins));
}

/** Runs work on the session that `chooseSession` finds. */
export async function withSession(
  flags: StoreFlags,
  idOrPrefix: string | undefined,
  work: (session: Session) => Promise<void>,
): Promise<number> {
  const memory = await openWorkspaceMemory({ flags });
  try {
    await work(await chooseSession(memory, idOrPrefix));
    return 0;
  } finally {
    await memory.close();
  }
}

/** The named session; default: the conversation that a host has here, or else the newest session. */
export async function chooseSession(memory: Memory, idOrPrefix: string | undefined): Promise<Session> {
  if (idOrPrefix !== undefined) return pickSession(memory, idOrPrefix);
  const cwd = process.cwd();
  const link = findNewestLink({ ...findProject(cwd), cwd }, hostNames);
  return link ? memory.openSession(link.session) : pickSession(memory, undefined);
}
