import { HoldfastError } from "../errors.ts";
import { commandName } from "../hosts/install/launcher.ts";
import type { Memory } from "../sessions/memory.ts";
import { findProject } from "../workspace/project.ts";
import { type StoreFlags, storeName } from "../workspace/store-location.ts";
import { findWorkspace } from "../workspace/workspace.ts";

/** An edit that the user makes at the command line. */
export const asPerson = { actor: { kind: "person" as const }, surface: "cli" };

const reading = () => import("../workspace/memory-without-tools.ts");
const writing = () => import("../workspace/open-memory.ts");

/** How a command opens memory: a command that only reads does not load the tools; only `create` makes a new store. */
const openers = {
  read: async (flags: StoreFlags) => (await reading()).openMemoryToRead({ flags }),
  change: async (flags: StoreFlags) => (await writing()).openExistingMemory({ flags }),
  create: async (flags: StoreFlags) => (await writing()).openWorkspaceMemory({ flags }),
} as const;

/** Opens the memory that the flags name, for one piece of work. */
export async function withMemory<Result>(
  access: keyof typeof openers,
  flags: StoreFlags,
  work: (memory: Memory) => Promise<Result>,
): Promise<Result> {
  const memory = await openers[access](flags).catch(async (error: unknown) => {
    throw isMissing(error) ? await nothingHere(flags) : error;
  });
  try {
    return await work(memory);
  } finally {
    await memory.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof HoldfastError && error.code === "not_found" && "store" in error.data;
}

/** There is no store: what to do depends on whether the user chose it, and whether a coding agent is connected. */
async function nothingHere(flags: StoreFlags): Promise<HoldfastError> {
  const { store } = findWorkspace({ flags });
  const data = { store: store.url };
  if (store.source === "flag" || store.source === "environment") {
    const place = `There is no memory at ${storeName(store)} yet.`;
    return new HoldfastError("not_found", `${place} Check --store and $HOLDFAST_DB.`, {
      data,
    });
  }
  const { foundAgents } = await import("./found-agents.ts");
  const { root } = findProject(process.cwd());
  const connected = (await foundAgents(root)).filter(({ isConnected }) => isConnected);
  const next =
    connected.length > 0
      ? `Start ${connected.map(({ title }) => title).join(" or ")} here and give it a task.`
      : `Run "${commandName()} init" to connect your coding agent.`;
  return new HoldfastError("not_found", `No memory has been written in ${root} yet. ${next}`, { data });
}
