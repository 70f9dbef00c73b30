import { join } from "node:path";
import { namesIn, readSmallFile } from "../workspace/small-file.ts";
import type { Host } from "./host.ts";
import { hosts } from "./hosts.ts";

/** Where a coding agent's session runs, as its hooks reported it last. */
export interface SessionPlace {
  transcript: string;
  cwd: string;
}

/** The host of a session, by its id; undefined for a session of no host. */
export function hostOfSession(sessionId: string): Host | undefined {
  return hosts.find(({ name }) => sessionId.startsWith(`${name}.`));
}

/** The transcript and folder of a session: its own, or those of the newest conversation that continues its memory. */
export function placeOfSession(directory: string, sessionId: string): SessionPlace | undefined {
  const folder = join(directory, "links");
  const aliases = namesIn(folder).flatMap((name) => {
    if (!name.startsWith("session-")) return [];
    const alias = readSmallFile(join(folder, name));
    return alias?.session === sessionId ? [name.slice("session-".length)] : [];
  });
  const states = [`${sessionId}.json`, ...aliases].flatMap((name) => {
    const state = readSmallFile(join(folder, `state-${name}`));
    return state && typeof state.transcript === "string" ? [state] : [];
  });
  const newest = states.at(-1);
  if (!newest) return undefined;
  const { transcript, cwd } = newest;
  return { transcript: String(transcript), cwd: typeof cwd === "string" ? cwd : "" };
}
