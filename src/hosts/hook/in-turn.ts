import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

/** How often, in milliseconds, to look whether the file is gone. */
const interval = 20;

/** A hook has ended by then, so its file, in milliseconds, was left by one that was killed. */
const maxAge = 60_000;

/**
 * Runs the hooks of one conversation one after another, for a host that starts several at once. `file` exists while one
 * runs. After `patience` milliseconds it runs anyway: an agent waits. If there can be no such file, it runs at once.
 */
export async function inTurn(file: string, patience: number, work: () => Promise<void>): Promise<void> {
  const end = Date.now() + patience;
  let outcome = take(file);
  while (outcome === "taken" && Date.now() < end) {
    await setTimeout(interval);
    outcome = take(file);
  }
  try {
    await work();
  } finally {
    if (outcome === "ours") rmSync(file, { force: true });
  }
}

function take(file: string): "ours" | "taken" | "impossible" {
  try {
    closeSync(openSync(file, "wx", 0o600));
    return "ours";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") return "impossible";
    const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > maxAge) rmSync(file, { force: true });
    return "taken";
  }
}
