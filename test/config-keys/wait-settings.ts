import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openMemory } from "../../src/index.ts";
import { findProject } from "../../src/workspace/project.ts";
import { hook } from "../support/hook.ts";
import { evidenceOf, runIn, type Scenario, sessionOf } from "./run.ts";

/** How long a call waits for a store that another process holds. */
export const waitSettings: Scenario = {
  name: "wait",
  entries: ["mcp", "hook", "pi", "openclaw", "serve"],
  base: { interactiveLockTimeout: 1_500, surfaces: ["notepad"] },
  cases: () => ({ interactiveLockTimeout: { value: 10, seen: ({ took }) => Math.max(...took) < 1_400 } }),
  async run(entry, root) {
    const directory = findProject(root).directory;
    mkdirSync(directory, { recursive: true });
    const database = join(directory, "memory.db");
    const memory = await openMemory({ store: database });
    await sessionOf(memory, entry);
    await memory.close();
    const holder = new DatabaseSync(database);
    holder.exec("BEGIN IMMEDIATE");
    try {
      if (entry === "hook") {
        const begun = performance.now();
        const event = { hook_event_name: "PreCompact", trigger: "auto", session_id: "s" };
        await hook({ root, directory, database }, "claude-code", event).catch(() => undefined);
        return evidenceOf(entry, root, { took: [performance.now() - begun] });
      }
      if (entry === "chat" || entry === "commands") throw new Error(`${entry} waits for a minute`);
      return await runIn(entry, root, { calls: [{ name: "write_notepad", input: { content: "x" } }] });
    } finally {
      holder.exec("ROLLBACK");
      holder.close();
    }
  },
};
