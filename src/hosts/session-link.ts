import { realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isObject } from "../engine/json.ts";
import { makeProjectDirectory } from "../workspace/project.ts";
import { namesIn, readSmallFile, shortHash, writeSmallFile } from "../workspace/small-file.ts";
import { findHostProcess, isAlive, listAncestors, type Process } from "./processes.ts";

/**
 * Which session a host is in. A hook is told and writes it down; an MCP server is not told and looks it up. Both are
 * children of the host's process, so that is the key; the working directory stands in where processes cannot be read.
 *
 * `.holdfast/links/process-PID.json` and `directory-HASH.json` say what is current, `session-HASH.json` which
 * memory a session of the host goes on with when that is not its own.
 */
export interface SessionLink {
  host: string;
  /** The host's own name of the session. */
  hostSession: string;
  /** Ours. */
  session: string;
  cwd: string;
  /** The host's process; null where it could not be found. */
  process: Process | null;
}

export interface LinkPlace {
  /** The project's `.holdfast`. */
  directory: string;
  /** The host's working directory. */
  cwd: string;
}

/** A session of a host under an id that is safe in every store. */
export function sessionIdOf(host: string, hostSession: string): string {
  const id = `${host}.${hostSession}`;
  if (/^[a-z0-9][A-Za-z0-9._-]{0,127}$/.test(id) && !id.includes("..")) return id;
  return `${host}.${longHash(hostSession)}`;
}

/** The memory that a session of the host goes on with: its own unless it was told otherwise. */
export function memoryOf(directory: string, host: string, hostSession: string): string {
  const path = aliasFile(directory, host, hostSession);
  const alias = readSmallFile(path);
  if (typeof alias?.session !== "string") return sessionIdOf(host, hostSession);
  touch(path);
  return alias.session;
}

/** Makes this the host's current session; returns the id of its memory. `continues` names the memory to go on with. */
export function linkSession(
  options: LinkPlace & {
    host: string;
    hostSession: string;
    continues?: string | undefined;
    /** The host's process, where that is known; else it is looked for above this one. */
    process?: Process | undefined;
  },
): string {
  const { directory, cwd, host, hostSession, continues } = options;
  makeProjectDirectory(directory);
  const own = memoryOf(directory, host, hostSession);
  const session = continues ?? own;
  if (session !== own)
    writeSmallFile(aliasFile(directory, host, hostSession), { host, hostSession, session });
  const process = options.process ?? findHostProcess() ?? null;
  const link: SessionLink = { host, hostSession, session, cwd, process };
  const paths = directoryFiles(directory, cwd);
  if (process) paths.push(processFile(directory, process.pid));
  for (const path of paths) if (!isSame(readLink(path), link)) writeSmallFile(path, link);
  return session;
}

/** The current session of the host that started this process. */
export function findLink({ directory, cwd }: LinkPlace, host?: string): SessionLink | undefined {
  return lookUp(candidates(directory, cwd), host);
}

/**
 * Follows the host's session: `current()` gives the id of its memory at this moment, also after `/clear` or a resume.
 * Without any link it is `fallback`. It costs a few `stat` calls.
 *
 * @example
 * const follower = followSession({ directory: ".holdfast", cwd: process.cwd() });
 * const session = await memory.openSession(await follower.current());
 */
export function followSession(
  options: LinkPlace & { host?: string | undefined; fallback?: string | undefined },
): { current(): Promise<string> } {
  const { directory, cwd, host, fallback = "default" } = options;
  const places = candidates(directory, cwd);
  let seen: string | undefined;
  let session = fallback;
  return {
    async current() {
      const signature = places.map(({ path }) => signatureOf(path)).join();
      if (signature === seen) return session;
      session = lookUp(places, host)?.session ?? fallback;
      seen = signature;
      return session;
    },
  };
}

/** Removes the links of processes that are gone, and the least used of the rest when there are many. */
export function dropStaleLinks(directory: string, most = 1_000): void {
  const folder = linkFolder(directory);
  const kept: { path: string; used: number }[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (isStale(path, name)) rmSync(path, { force: true });
    else kept.push({ path, used: usedAt(path) });
  }
  kept.sort((a, b) => b.used - a.used);
  for (const { path } of kept.slice(most)) rmSync(path, { force: true });
}

/** A writer that died leaves its temporary file behind. */
const longestWrite = 3_600_000;

function isStale(path: string, name: string): boolean {
  if (!name.endsWith(".json")) return Date.now() - usedAt(path) > longestWrite;
  if (!name.startsWith("process-")) return false;
  const owner = readLink(path)?.process;
  return !owner || !isAlive(owner);
}

interface Candidate {
  path: string;
  /** The ancestor that the link has to name; null for a link of the working directory. */
  owner: Process | null;
}

function candidates(directory: string, cwd: string): Candidate[] {
  return [
    ...listAncestors().map(({ pid, start }) => ({
      path: processFile(directory, pid),
      owner: { pid, start },
    })),
    ...directoryFiles(directory, cwd).map((path) => ({ path, owner: null })),
  ];
}

/** The nearest ancestor's link; else that of the directory, unless another host that is still running has made it. */
function lookUp(places: readonly Candidate[], host: string | undefined): SessionLink | undefined {
  for (const { path, owner } of places) {
    const link = readLink(path);
    if (!link || (host !== undefined && link.host !== host)) continue;
    if (owner ? link.process && isProcess(link.process, owner) : !isElsewhere(link, places)) return link;
  }
  return undefined;
}

function isElsewhere({ process }: SessionLink, places: readonly Candidate[]): boolean {
  if (!process || !places.some(({ owner }) => owner)) return false;
  return isAlive(process) && !places.some(({ owner }) => owner && isProcess(process, owner));
}

function isProcess(a: Process, b: Process): boolean {
  return a.pid === b.pid && a.start === b.start;
}

function isSame(a: SessionLink | undefined, b: SessionLink): boolean {
  if (!a || a.session !== b.session || a.hostSession !== b.hostSession || a.host !== b.host) return false;
  return a.process && b.process ? isProcess(a.process, b.process) : a.process === b.process;
}

function readLink(path: string): SessionLink | undefined {
  const value = readSmallFile(path);
  if (!value) return undefined;
  const { host, hostSession, session, cwd, process } = value;
  if (typeof host !== "string" || typeof hostSession !== "string" || typeof session !== "string")
    return undefined;
  const owner =
    isObject(process) && typeof process.pid === "number" && typeof process.start === "string"
      ? { pid: process.pid, start: process.start }
      : null;
  return { host, hostSession, session, cwd: typeof cwd === "string" ? cwd : "", process: owner };
}

function linkFolder(directory: string): string {
  return join(directory, "links");
}

function processFile(directory: string, pid: number): string {
  return join(linkFolder(directory), `process-${pid}.json`);
}

/** The file of the working directory, and that of the project's root, in case the agent has changed directories. */
function directoryFiles(directory: string, cwd: string): string[] {
  const folders = new Set([realPath(cwd), realPath(dirname(resolve(directory)))]);
  return [...folders].map((folder) => join(linkFolder(directory), `directory-${shortHash(folder)}.json`));
}

function aliasFile(directory: string, host: string, hostSession: string): string {
  return join(linkFolder(directory), `session-${sessionIdOf(host, hostSession)}.json`);
}

/** Loaded only when it is needed: hosts give their sessions plain ids. */
function longHash(text: string): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function signatureOf(path: string): string {
  try {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino}.${mtimeNs}.${size}`;
  } catch {
    return "";
  }
}

function usedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // In a read-only place nothing is dropped either.
  }
}
