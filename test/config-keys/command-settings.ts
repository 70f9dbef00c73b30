import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openMemory } from "../../src/index.ts";
import { findProject } from "../../src/workspace/project.ts";
import { scriptedEditor } from "../support/people.ts";
import { type Evidence, runIn, type Scenario } from "./run.ts";
import { secret, trackerPath } from "./tool-settings.ts";

const said =
  (pattern: RegExp) =>
  ({ output, errors }: Evidence) =>
    pattern.test(`${output}\n${errors}`);

/** Commands for people: `edit`, `pin` and `project`. */
const peopleCommands: Scenario = {
  name: "commands",
  entries: ["commands"],
  cases: () => ({
    "limits.notepadCharacters": { value: 101, seen: said(/the limit is 101/) },
    "limits.spaceNotesCharacters": { value: 102, seen: said(/\b102\b/) },
    "limits.spacePlanCharacters": { value: 103, seen: said(/\b103\b/) },
    "limits.pinBytes": { value: 41, seen: said(/of 41 bytes/) },
    secrets: { value: "refuse", seen: said(/secrets are not stored here/) },
    "project.file": { value: "docs/NOTES.md", seen: ({ root }) => existsSync(join(root, "docs/NOTES.md")) },
    "project.beads": { value: false, seen: said(/Beads is turned off/) },
  }),
  async run(_entry, root) {
    await withSession(join(findProject(root).directory, "memory.db"));
    return runIn("commands", root, {
      env: { ...scriptedEditor(`writeFileSync(path, "x".repeat(200))`), VISUAL: "", PATH: trackerPath() },
      commands: [
        ["edit", "s"],
        ["edit", "s", "--space", "notes"],
        ["edit", "s", "--space", "plan"],
        ["pin", "x".repeat(42), "--session", "s"],
        ["pin", `Use ${secret}`, "--session", "s"],
        ["project", "init"],
        ["project", "log", "debt", "N+1 query", "--severity", "HIGH", "--actionable"],
      ],
    });
  },
};

/** It caps all spaces of the scratchpad together, so their own limits are seen without it. */
const scratchpadBudget: Scenario = {
  name: "scratchpad budget",
  entries: ["commands"],
  cases: () => ({ "scratchpad.maxTokens": { value: 5, seen: said(/tokens; the limit is 5\./) } }),
  async run(_entry, root) {
    await withSession(join(findProject(root).directory, "memory.db"));
    return runIn("commands", root, {
      env: { ...scriptedEditor(`writeFileSync(path, "word ".repeat(40))`), VISUAL: "" },
      commands: [["edit", "s", "--space", "notes"]],
    });
  },
};

export const commandSettings: readonly Scenario[] = [peopleCommands, scratchpadBudget];

/** The store that commands read, and the entry points' own. */
export const commandStore: Scenario = {
  name: "store",
  entries: ["commands"],
  cases: () => ({ store: { value: "kept.db", seen: said(/elsewhere/) } }),
  async run(_entry, root) {
    await withSession(join(findProject(root).directory, "memory.db"));
    await withSession(join(root, "kept.db"), "elsewhere");
    return runIn("commands", root, { commands: [["show", "s"]] });
  },
};

async function withSession(store: string, notepad = ""): Promise<void> {
  mkdirSync(join(store, ".."), { recursive: true });
  const memory = await openMemory({ store });
  const session = await memory.createSession({ id: "s" });
  if (notepad !== "") await session.notepad.write(notepad);
  await memory.close();
}
