import { readdirSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { hosts } from "../hosts/hosts.ts";
import type { Recording } from "../hosts/transcript/recording.ts";

/** A recorded session, or several of them in one file. */
export interface RecordedFile {
  path: string;
  bytes: number;
  /** The sessions in it, as transcripts. Reading one may fail. */
  sessions(): Iterable<{ name: string; text: string }>;
}

/** The recorded sessions of every host on this machine, newest name last. */
export async function findRecordings(home = homedir()): Promise<RecordedFile[]> {
  const recordings = await readRecordings();
  return recordings.flatMap(({ folder, database }) =>
    pathsIn(folder.replace(/^~/, home), database?.file ?? ".jsonl").map((path) => fileAt(path, recordings)),
  );
}

/** Files that the user names. */
export async function openRecordings(paths: readonly string[]): Promise<RecordedFile[]> {
  const recordings = await readRecordings();
  return paths.map((path) => fileAt(path, recordings));
}

async function readRecordings(): Promise<Recording[]> {
  const recordings = await Promise.all(hosts.map((host) => host.recording?.()));
  return recordings.filter((recording) => recording !== undefined);
}

function fileAt(path: string, recordings: readonly Recording[]): RecordedFile {
  const database = recordings.find(({ database }) => database?.file === basename(path))?.database;
  const sessions = database
    ? () => database.sessions(path)
    : () => [{ name: basename(path, ".jsonl"), text: readFileSync(path, "utf8") }];
  return { path, bytes: statSync(path, { throwIfNoEntry: false })?.size ?? 0, sessions };
}

function pathsIn(folder: string, ending: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
