import { randomUUID } from "node:crypto";
import { readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Session } from "../../sessions/session.ts";
import { openExistingMemory, openWorkspaceMemory } from "../../workspace/open-memory.ts";
import type { Project } from "../../workspace/project.ts";
import { namesIn } from "../../workspace/small-file.ts";
import { stateFile } from "../hook/state.ts";
import { findHost } from "../hosts.ts";
import { memoryPlace } from "../install/memory-tools.ts";
import { sessionIdOf } from "../session-link.ts";

/** A conversation of doctor's own, with a unique word in its notepad. */
export interface ScratchSession {
  hostSession: string;
  canary: string;
  /** Removes every trace of it. */
  close(): Promise<void>;
}

/** Opens one in the project's own store, because that is the store to check. */
export async function openScratchSession(host: string, project: Project): Promise<ScratchSession> {
  const hostSession = `doctor-${randomUUID()}`;
  const canary = `canary-${randomUUID()}`;
  const memory = await openWorkspaceMemory({ cwd: project.root, onWarning: () => {} });
  const links = rememberLinks(project);
  const id = sessionIdOf(host, hostSession);
  const close = async () => {
    links.restore(host, hostSession);
    await memory.purgeSession(id).catch(() => {});
    await memory.close();
  };
  try {
    await writeCanary(await memory.openSession(id), memoryPlace(findHost(host), project), canary);
    return { hostSession, canary, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export async function writeCanary(
  session: Session,
  place: ReturnType<typeof memoryPlace>,
  canary: string,
): Promise<void> {
  const text = `Written by holdfast doctor: ${canary}`;
  if (place === "notepad") await session.notepad.append(text);
  else if (place === "scratchpad") await session.scratchpad.setPlan(text);
  else await session.pins.pin(text);
}

/** Purges the sessions that doctor's own conversation, or a client it ran, left in the store. */
export async function purgeSessionsOf(project: Project, hostSession: string): Promise<void> {
  try {
    const memory = await openExistingMemory({ cwd: project.root, onWarning: () => {} });
    const sessions = await memory.listSessions({ status: "all" });
    for (const { id } of sessions.filter((session) => session.id.includes(hostSession)))
      await memory.purgeSession(id);
    await memory.close();
  } catch {
    // If the store cannot be opened, nothing was written to it.
  }
}

/** Running doctor must not change which conversation is current in this project. */
export function rememberLinks({ directory }: Project): {
  /** Whether a conversation of the host was linked before. */
  has(hostSession: string): boolean;
  restore(host: string, hostSession: string): void;
} {
  const folder = join(directory, "links");
  const read = () => new Map(namesIn(folder).map((name) => [name, textOf(join(folder, name))]));
  const before = read();
  return {
    has: (hostSession) => [...before.values()].some((text) => text.includes(hostSession)),
    restore(host, hostSession) {
      // A state file identifies its conversation by its file name, not by its content.
      const state = basename(stateFile(directory, host, hostSession));
      for (const [name, text] of read()) {
        if (name !== state && !text.includes(hostSession)) continue;
        const earlier = before.get(name);
        if (earlier === undefined) rmSync(join(folder, name), { force: true });
        else writeFileSync(join(folder, name), earlier, { mode: 0o600 });
      }
      try {
        rmdirSync(folder);
      } catch {
        // It is not empty.
      }
    },
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
