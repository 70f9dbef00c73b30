import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openMemory } from "../../src/index.ts";
import { findProject } from "../../src/workspace/project.ts";
import type { SettingName } from "../../src/workspace/settings.ts";
import { scriptedEditor } from "../support/people.ts";
import { type Evidence, runIn, type Scenario } from "./run.ts";
import { secret, trackerPath } from "./tool-settings.ts";

const said =
  (pattern: RegExp) =>
  ({ output, errors }: Evidence) =>
    pattern.test(`${output}\n${errors}`);

/** Commands for people: `edit`, `pin` and `project`. */
export const commandSettings: Scenario = {
  name: "commands",
  entries: ["commands"],
  cases: () => ({
    "limits.notepadCharacters": { value: 101, seen: said(/the limit is 101/) },
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
        ["edit", "s", "--space", "plan"],
        ["pin", "x".repeat(42), "--session", "s"],
        ["pin", `Use ${secret}`, "--session", "s"],
        ["project", "init"],
        ["project", "log", "debt", "N+1 query", "--severity", "HIGH", "--actionable"],
      ],
    });
  },
};

/** The scratchpad's notes may be as long as one of its two limits allows. */
function editNotes(name: SettingName, value: number, other: Record<string, number>): Scenario {
  return {
    name,
    entries: ["commands"],
    base: other,
    cases: () => ({ [name]: { value, seen: said(/The notes would be/) } }),
    async run(_entry, root) {
      await withSession(join(findProject(root).directory, "memory.db"));
      return runIn("commands", root, {
        env: { ...scriptedEditor(`writeFileSync(path, "word ".repeat(40))`), VISUAL: "" },
        commands: [["edit", "s", "--space", "notes"]],
      });
    },
  };
}

export const noteSettings: readonly Scenario[] = [
  editNotes("limits.spaceNotesCharacters", 102, { "scratchpad.maxTokens": 5 }),
  editNotes("scratchpad.maxTokens", 5, { "limits.spaceNotesCharacters": 102 }),
];

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
