import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hookLine } from "../src/hosts/install/launcher.ts";
import { openMemory } from "../src/index.ts";
import { findProject } from "../src/workspace/project.ts";
import { compare, type Figure } from "./measure.ts";

const cli = join(import.meta.dirname, "..", "dist", "cli.js");

/** A whole hook run of the built CLI with the command that `holdfast init` writes, compared with bare Node. */
export async function hookFigures(directory: string): Promise<Figure[]> {
  const root = join(directory, "hook");
  mkdirSync(join(root, ".git"), { recursive: true });
  const memory = await openMemory({ store: join(findProject(root).directory, "memory.db") });
  const session = await memory.openSession("claude-code.s1");
  await session.notepad.write("- a note of some length\n".repeat(200));
  await session.pins.pin("Never push to main.", { actor: { kind: "person" } });
  await memory.close();
  const { NODE_EXTRA_CA_CERTS: _slow, ...env } = process.env;
  const run = (words: string[], input = "") => {
    const [command = "", ...args] = words;
    const { status, stderr } = spawnSync(command, args, { env, input });
    if (status !== 0) throw new Error(`${words.join(" ")} failed: ${stderr}`);
  };
  const line = hookLine({ command: process.execPath, args: [cli] }, "claude-code");
  const hook = ["/bin/sh", "-c", line];
  const notes = join(root, "grimoires/loa/NOTES.md");
  mkdirSync(join(root, "grimoires/loa"), { recursive: true });
  const figures: Figure[] = [];
  for (const [name, event] of [
    ["SessionStart", { source: "startup" }],
    ["SessionStart with NOTES.md", { source: "startup" }],
    ["UserPromptSubmit", { prompt: "go on" }],
  ] as const) {
    const hook_event_name = name.split(" ", 1)[0];
    const input = JSON.stringify({ session_id: "s1", cwd: root, hook_event_name, ...event });
    rmSync(notes, { force: true });
    if (name.includes("NOTES.md")) {
      copyFileSync(join(import.meta.dirname, "../src/surfaces/project/fixtures/notes-md-example.md"), notes);
      // The first start reads the notes as Markdown, and the next ones only if they have changed.
      run(hook, input);
    }
    const { work, baseline, ratio } = await compare(
      () => run(hook, input),
      () => run([process.execPath, "-e", "0"]),
      { rounds: 41 },
    );
    figures.push({
      name: `holdfast hook claude-code, ${name} / node -e 0`,
      value: ratio,
      target: 2,
      limit: "max",
      unit: "×",
      detail: `${work.toFixed(1)} ms / ${baseline.toFixed(1)} ms`,
    });
  }
  return figures;
}
