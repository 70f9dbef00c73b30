import { realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { join, resolve } from "node:path";
import { isObject } from "../engine/json.ts";
import { shortHash } from "../engine/short-hash.ts";
import { projectFolders } from "../state-folder.ts";
import { findProject, makeProjectDirectory, type Project } from "../workspace/project.ts";
import { makeFolder, namesIn, readSmallFile, writeSmallFile } from "../workspace/small-file.ts";
import { findHostProcess, isAlive, listAncestors, type Process } from "./processes.ts";

/**
 * The current session of a host. The host passes it to hooks, which write the link; an MCP server does not get it and
 * reads the link. Both are children of the host's process, so that is the key, or the working directory if processes
 * cannot be read.
 *
 * In the project's folder, `links/process-PID.json` and `directory-HASH-HOST.json` contain the current session. `session-ID.json` names
 * the memory of a host session that continues another session's memory.
 */
export interface SessionLink {
  host: string;
  /** The host's id of the session. */
  hostSession: string;
  /** The id of our session. */
  session: string;
  cwd: string;
  /** The host's process; null if it was not found. */
  process: Process | null;
}

export interface LinkPlace {
  /** The folder of the project's memory. */
  directory: string;
  /** The host's working directory. */
  cwd: string;
}

/** Creates the folder of the links, for a file next to them. Writing a link reports why it cannot be made. */
export function makeLinksFolder(directory: string): void {
  try {
    makeProjectDirectory(directory);
    makeFolder(join(directory, "links"));
  } catch {
    // Reported when the link is written.
  }
}

/** An id for a host's session that is safe in every store. */
export function sessionIdOf(host: string, hostSession: string): string {
  const id = `${host}.${hostSession}`;
  if (/^[a-z0-9][A-Za-z0-9._-]{0,127}$/.test(id) && !id.includes("..")) return id;
  return `${host}.${longHash(hostSession)}`;
}

/** The id of the memory that a host session uses: its own, unless a link shows that it continues another. */
export function memoryOf(directory: string, host: string, hostSession: string): string {
  const path = aliasFile(directory, host, hostSession);
  const alias = readSmallFile(path);
  if (typeof alias?.session !== "string") return sessionIdOf(host, hostSession);
  touch(path);
  return alias.session;
}

/** Makes this the host's current session and returns the id of its memory. `continues` names another memory to continue. */
export function linkSession(
  options: LinkPlace & {
    host: string;
    hostSession: string;
    continues?: string | undefined;
    /** The host's process (default: found among the ancestors of this process). */
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
  const paths = directoryFiles({ directory, cwd }, host);
  if (process) paths.push(processFile(directory, process.pid));
  for (const path of paths) if (!isSame(readLink(path), link)) writeSmallFile(path, link);
  return session;
}

/** The host's current session: of the process that started this one, or else in this directory. */
export function findLink(place: LinkPlace, host: string): SessionLink | undefined {
  return lookUp(candidates(place, host), host);
}

/**
 * The project of a folder that is gone, such as a worktree that its agent removed: the one that the host of this process
 * worked on there.
 */
export function projectOfGone(folder: string): Project {
  const host = findHostProcess();
  const linked = projectFolders().find((directory) => {
    const link = host && readLink(processFile(directory, host.pid));
    return host && link?.process && isProcess(link.process, host) && link.cwd === folder;
  });
  return linked === undefined ? findProject(folder) : { root: folder, directory: linked };
}

/** The current session of whichever host started this process, or else last worked in this directory. */
export function findNewestLink(place: LinkPlace, hosts: readonly string[]): SessionLink | undefined {
  const own = lookUp(candidates(place, undefined), undefined);
  if (own) return own;
  const found = hosts.flatMap((host) => {
    const link = lookUp(candidates(place, host), host);
    const used = directoryFiles(place, host).map(usedAt);
    return link ? [{ link, used: Math.max(...used) }] : [];
  });
  return found.toSorted((a, b) => b.used - a.used)[0]?.link;
}

/**
 * Follows the host's session: `current()` returns the id of its current memory, also after `/clear` or a resume, or
 * `fallback` if there is no link. Without `host`, only the process that started this one is followed, not an agent in whose
 * shell that process runs, nor the one that last worked in the directory. It costs a few `stat` calls.
 *
 * @example
 * const follower = followSession({ ...findProject(process.cwd()), cwd: process.cwd() });
 * const session = await memory.openSession(await follower.current());
 */
export function followSession(
  options: LinkPlace & { host?: string | undefined; fallback?: string | undefined },
): { current(): Promise<string> } {
  const { host, fallback = "default" } = options;
  const starter = host === undefined ? findHostProcess() : undefined;
  const links = candidates(options, host).filter(
    ({ owner }) => host !== undefined || (owner && starter && isProcess(owner, starter)),
  );
  let seen: string | undefined;
  let session = fallback;
  return {
    async current() {
      const signature = links.map(({ path }) => signatureOf(path)).join();
      if (signature === seen) return session;
      session = lookUp(links, host)?.session ?? fallback;
      seen = signature;
      return session;
    },
  };
}

/** Removes the links of dead processes, and the least recently used ones beyond the limit. */
export function dropStaleLinks(directory: string, limit = 1_000): void {
  const folder = linkFolder(directory);
  const kept: { path: string; used: number }[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    if (isStale(path, name)) rmSync(path, { force: true });
    else kept.push({ path, used: usedAt(path) });
  }
  kept.sort((a, b) => b.used - a.used);
  for (const { path } of kept.slice(limit)) rmSync(path, { force: true });
}

/** Milliseconds after which a temporary file must be from a writer that died. */
const maxWriteTime = 3_600_000;

function isStale(path: string, name: string): boolean {
  if (!name.endsWith(".json")) return Date.now() - usedAt(path) > maxWriteTime;
  if (!name.startsWith("process-")) return false;
  const owner = readLink(path)?.process;
  return !owner || !isAlive(owner);
}

interface Candidate {
  path: string;
  /** The ancestor that the link must name; null for a link of the working directory. */
  owner: Process | null;
}

function candidates(place: LinkPlace, host: string | undefined): Candidate[] {
  const inDirectory = host === undefined ? [] : directoryFiles(place, host);
  return [
    ...listAncestors().map(({ pid, start }) => ({
      path: processFile(place.directory, pid),
      owner: { pid, start },
    })),
    ...inDirectory.map((path) => ({ path, owner: null })),
  ];
}

/** The nearest ancestor's link, or else the directory's, unless another process that is still running made it. */
function lookUp(links: readonly Candidate[], host: string | undefined): SessionLink | undefined {
  for (const { path, owner } of links) {
    const link = readLink(path);
    if (!link || (host !== undefined && link.host !== host)) continue;
    if (owner ? link.process && isProcess(link.process, owner) : !isOfOtherProcess(link, links)) return link;
  }
  return undefined;
}

function isOfOtherProcess({ process }: SessionLink, links: readonly Candidate[]): boolean {
  if (!process || !links.some(({ owner }) => owner)) return false;
  return isAlive(process) && !links.some(({ owner }) => owner && isProcess(process, owner));
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

/** A host's link files of the working directory and of the whole project, in case the agent changed directories. */
function directoryFiles({ directory, cwd }: LinkPlace, host: string): string[] {
  return [shortHash(realPath(cwd)), "any"].map((place) =>
    join(linkFolder(directory), `directory-${place}-${host}.json`),
  );
}

function aliasFile(directory: string, host: string, hostSession: string): string {
  return join(linkFolder(directory), `session-${sessionIdOf(host, hostSession)}.json`);
}

/** Loads node:crypto only when needed: hosts usually give their sessions plain ids. */
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
    // In a read-only folder nothing is dropped either.
  }
}
