import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A bug planted into the source: one text replaced by another. */
export interface Mutant {
  name: string;
  file: string;
  find: string;
  replace: string;
}

/** Bugs of the kinds that lose memory: each breaks one promise. */
export const mutants: readonly Mutant[] = [
  {
    name: "a write is acknowledged before it is committed",
    file: "src/sessions/session.ts",
    find: "const done = await this.#setting.store\n      .commit({",
    replace: "const done = true;\n    void this.#setting.store\n      .commit({",
  },
  {
    name: "a commit ignores that someone else was faster",
    file: "src/stores/memory.ts",
    find: "        session.table.row.revision !== expected ||\n",
    replace: "",
  },
  {
    name: "a session keeps showing a stale state",
    file: "src/sessions/session.ts",
    find: "if (revision !== this.#state.row.revision) await this.#reload();",
    replace: "if (revision === undefined) await this.#reload();",
  },
  {
    name: "after a compaction a host shows the memory from before it",
    file: "src/sessions/shown-memory.ts",
    find: "    this.#shown = undefined;\n    this.#notice = notice;\n    this.beginTurn();\n",
    replace: "    this.#notice = notice;\n",
  },
  {
    name: "changes by other people are not placed in the prompt",
    file: "src/agent/shown.ts",
    find: "  if (changes.length === 0) return;",
    replace: "  if (changes.length >= 0) return;",
  },
];

const root = join(import.meta.dirname, "../..");

/** The source file with the bug in it. */
export function plant({ file, find, replace }: Mutant, directory = root): string {
  const text = readFileSync(join(directory, file), "utf8");
  if (text.split(find).length !== 2) throw new Error(`${file} does not contain the text once: ${find}`);
  return text.replace(find, () => replace);
}

/** Runs the simulation on a copy of the source with the bug; returns its output and whether it found the bug. */
export async function runMutant(
  mutant: Mutant,
  { seed, seconds }: { seed: number; seconds: number },
): Promise<{ isFound: boolean; output: string; milliseconds: number }> {
  const copy = mkdtempSync(join(tmpdir(), "holdfast-mutant-"));
  try {
    for (const name of ["src", "test/support", "test/sim", "package.json"])
      cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    writeFileSync(join(copy, mutant.file), plant(mutant, copy));
    const begun = performance.now();
    const args = [join(copy, "test/sim/run.ts"), "--seed", String(seed), "--seconds", String(seconds)];
    const child = spawn(process.execPath, args, { cwd: copy });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => (output += piece));
    const code = await new Promise((resolve) => child.once("close", resolve));
    const isFound = code === 1 && output.includes("BROKEN at seed");
    return { isFound, output, milliseconds: performance.now() - begun };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
