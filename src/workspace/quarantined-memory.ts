import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import { readRegularFile } from "../stores/regular-file.ts";
import { type Quarantine, quarantined } from "./trust.ts";

/** A copy of quarantined memory, for people to look at. */
export interface QuarantinedMemory {
  /** By the name of the file or folder in `.holdfast`. */
  stores: { name: string; memory: Memory }[];
  /** What could not be opened, and why. */
  problems: string[];
  close(): Promise<void>;
}

const maxBytes = 1_000_000_000;

/** Opens copies: the originals are neither changed nor upgraded. */
export async function openQuarantined(quarantine: Quarantine): Promise<QuarantinedMemory> {
  if (quarantine.reason === "link") throw quarantined(quarantine);
  const copies = mkdtempSync(join(tmpdir(), "holdfast-quarantine-"));
  const opened: QuarantinedMemory = {
    stores: [],
    problems: [],
    async close() {
      for (const { memory } of opened.stores) await memory.close();
      rmSync(copies, { recursive: true, force: true });
    },
  };
  const entries = readdirSync(quarantine.directory, { withFileTypes: true });
  for (const entry of entries) {
    const { name } = entry;
    const store = entry.isDirectory()
      ? copySessions(quarantine.directory, copies, name)
      : name.endsWith(".db")
        ? copyDatabase(quarantine.directory, copies, name)
        : undefined;
    if (store === undefined) continue;
    try {
      opened.stores.push({ name, memory: await openMemory({ store, onWarning: () => {} }) });
    } catch (error) {
      opened.problems.push(`${name}: ${(error as Error).message}`);
    }
  }
  return opened;
}

function copyDatabase(from: string, to: string, name: string): string {
  for (const file of [name, `${name}-wal`]) copyFile(join(from, file), join(to, file));
  return join(to, name);
}

/** The URL of the copy; undefined if the folder holds no sessions. */
function copySessions(from: string, to: string, name: string): string | undefined {
  const files = readdirSync(join(from, name)).filter((file) => file.endsWith(".jsonl"));
  if (files.length === 0) return undefined;
  mkdirSync(join(to, name), { mode: 0o700 });
  for (const file of files) copyFile(join(from, name, file), join(to, name, file));
  return `jsonl:${join(to, name)}`;
}

function copyFile(from: string, to: string): void {
  const bytes = readRegularFile(from, { maxBytes });
  if (bytes) writeFileSync(to, bytes, { mode: 0o600 });
}
