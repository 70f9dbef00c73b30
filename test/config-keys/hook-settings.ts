import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { initProject, openProject } from "../../src/surfaces/project/index.ts";
import { findProject } from "../../src/workspace/project.ts";
import { hook, hookProcess } from "../support/hook.ts";
import { type Evidence, evidenceOf, type Scenario, sessionOf } from "./run.ts";
import { secret } from "./tool-settings.ts";

function hookIn(root: string) {
  const directory = findProject(root).directory;
  mkdirSync(directory, { recursive: true });
  const project = { root, directory, database: join(directory, "memory.db") };
  return (event: object) => hook(project, "claude-code", { session_id: "s", ...event });
}

/** The answer of a hook for a memory that has everything. */
export const hookSettings: Scenario = {
  name: "shown",
  entries: ["hook"],
  cases: () => ({
    surfaces: {
      value: ["notes", "project", "scratchpad"],
      seen: ({ shown }) => !/in the notepad/.test(`${shown}`),
    },
    "scratchpad.enabled": { value: false, seen: ({ shown }) => !/in the plan/.test(`${shown}`) },
    secrets: { value: "allow", seen: ({ shown }) => shown.join("\n").includes(secret) },
    "project.file": { value: "docs/NOTES.md", seen: ({ shown }) => /Ship it/.test(`${shown}`) },
  }),
  async run(_entry, root) {
    const notes = openProject({ root, path: "docs/NOTES.md" });
    initProject(notes);
    writeFileSync(join(root, "docs/NOTES.md"), "# Notes\n\n### Pending Questions\n\n- [ ] Ship it?\n");
    const evidence = evidenceOf("hook", root, {});
    const send = hookIn(root);
    await evidence.inMemory(async (memory) => {
      const session = await sessionOf(memory, "hook");
      await session.notepad.write("in the notepad");
      await session.scratchpad.setPlan("in the plan");
      await session.apply({ type: "pins.pin", text: "Never push to main.", by: "person" });
    });
    const { context } = await send({ hook_event_name: "SessionStart", source: "startup" });
    const transcript_path = join(root, "transcript.jsonl");
    const line = { type: "user", uuid: "1", message: { role: "user", content: `Use the key ${secret}` } };
    writeFileSync(transcript_path, `${JSON.stringify(line)}\n`);
    await send({ hook_event_name: "PreCompact", trigger: "auto", transcript_path });
    const after = await send({ hook_event_name: "SessionStart", source: "compact", transcript_path });
    return { ...evidence, shown: [context, after.context] };
  },
};

/** Where a hook writes. */
export const hookStore: Scenario = {
  name: "store",
  entries: ["hook"],
  cases: () => ({ store: { value: "kept.db", seen: ({ root }) => existsSync(join(root, "kept.db")) } }),
  async run(_entry, root) {
    await hookIn(root)({ hook_event_name: "PreCompact", trigger: "auto" });
    return evidenceOf("hook", root, {});
  },
};

/** When a hook gives up: its input never ends. */
export const hookDeadline: Scenario = {
  name: "deadline",
  entries: ["hook"],
  base: { hookDeadline: 901 },
  cases: () => ({ hookDeadline: { value: 900, seen: ({ errors }) => /within 900 ms/.test(errors) } }),
  async run(_entry, root): Promise<Evidence> {
    const { stderr } = await hookProcess("claude-code", "endless", {
      cwd: root,
      env: { HOLDFAST_HOOK_DEADLINE: "" },
    });
    return evidenceOf("hook", root, { errors: stderr });
  },
};
