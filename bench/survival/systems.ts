import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { System } from "./system.ts";

const peersFolder = join(import.meta.dirname, "../peers");

/** The files in bench/peers, one for each system, in the order of the report. */
const peerFiles = [
  "ai-sdk-prune",
  "langchain-summarization",
  "langchain-context-editing",
  "deepagents",
  "mastra",
  "openai-agents",
  "pi",
] as const;

/** Loaded when they are needed: a process that is killed often should start fast. */
const own: Record<string, () => Promise<System>> = {
  holdfast: async () => (await import("./systems/holdfast.ts")).holdfast,
  "no-memory": async () => (await import("./systems/no-memory.ts")).noMemory,
};

/** The names that `--only` takes. */
export const systemIds: readonly string[] = [...Object.keys(own), ...peerFiles];

/** Whether a system needs a package from bench/peers. */
export function isPeer(id: string): boolean {
  return systemIds.includes(id) && !(id in own);
}

export async function loadSystem(id: string): Promise<System> {
  const known = own[id];
  if (known) return known();
  const path = join(peersFolder, `${id}.ts`);
  if (!existsSync(path)) throw new Error(`There is no system "${id}". There are: ${systemIds.join(", ")}.`);
  const { system } = (await import(pathToFileURL(path).href)) as { system: System };
  return system;
}

/** The installed version, from its package. */
export function versionOf({ package: name }: System): string {
  const folder = name === undefined ? join(peersFolder, "../..") : join(peersFolder, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return version;
}

/** In the error of a system whose store cannot be timed. */
export const storesNothing = "stores nothing itself";
