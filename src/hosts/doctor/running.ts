import type { ChildProcess } from "node:child_process";
import { HoldfastError } from "../../errors.ts";

const running = new Set<ChildProcess>();
let stopped = false;

/** Tracks a process while it runs. */
export function track(child: ChildProcess): void {
  running.add(child);
  child.once("close", () => running.delete(child));
}

/** Kills everything doctor started and starts nothing more; the waiting checks then continue and clean up. */
export function stopAll(): void {
  stopped = true;
  for (const child of running) endGroup(child);
}

export function throwIfStopped(): void {
  if (stopped) throw new HoldfastError("program_failed", "Doctor was stopped. Run it again.");
}

/** Kills a process that was started `detached`, and its children. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}
