import type { ChildProcess } from "node:child_process";
import { HoldfastError } from "../../errors.ts";

const running = new Set<ChildProcess>();
let stopped = false;

/** Remembers a process for as long as it runs. */
export function track(child: ChildProcess): void {
  running.add(child);
  child.once("close", () => running.delete(child));
}

/** Ends all that was started, and lets nothing start any more; what waits for it goes on and takes its traces away. */
export function stopAll(): void {
  stopped = true;
  for (const child of running) endGroup(child);
}

export function throwIfStopped(): void {
  if (stopped) throw new HoldfastError("program_failed", "Doctor was stopped. Run it again.");
}

/** Ends a process that was started `detached`, and its children. */
export function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
