import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMemory } from "../index.ts";
import type { Memory } from "../sessions/memory.ts";
import { readRegularFile } from "../stores/regular-file.ts";
import { type Quarantine, quarantined } from "./trust.ts";

/** A copy of quarantined memory, for people to look at. */
export interface QuarantinedMemory {
  /** By the name of the file in `.holdfast`. */
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
    if (entry.isDirectory() || !name.endsWith(".db")) continue;
    const store = copyDatabase(quarantine.directory, copies, name);
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

function copyFile(from: string, to: string): void {
  const bytes = readRegularFile(from, { maxBytes });
  if (bytes) writeFileSync(to, bytes, { mode: 0o600 });
}
