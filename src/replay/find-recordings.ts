import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { hosts } from "../hosts/hosts.ts";

/** The recorded sessions of every host on this machine, newest name last. */
export async function findRecordings(home = homedir()): Promise<string[]> {
  const recordings = await Promise.all(hosts.map((host) => host.recording?.()));
  const folders = recordings.flatMap((recording) => recording?.folder ?? []);
  return folders.flatMap((folder) => sessionsIn(folder.replace(/^~/, home)));
}

function sessionsIn(folder: string): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}
