import { HoldfastError } from "../../errors.ts";

/** Limits of one program. Each is enforced inside the VM and, by killing its worker, from outside. */
export interface SandboxLimits {
  /** Milliseconds of running, without waiting. */
  cpuMilliseconds: number;
  /** Milliseconds from start to end. */
  wallMilliseconds: number;
  /** Bytes of the VM's memory, including its engine; at least 4 MiB. */
  memoryBytes: number;
  /** Bytes of stack, at most 512 KiB. */
  stackBytes: number;
  /** Characters of the returned JSON, and of everything logged. */
  outputCharacters: number;
  /** Calls of `session`, `state` and `tools`. */
  operations: number;
}

/** The limit that a program reached. */
export type LimitName = "cpu" | "wall" | "memory" | "stack" | "output" | "operations";

export const defaultSandboxLimits: SandboxLimits = {
  cpuMilliseconds: 2_000,
  wallMilliseconds: 30_000,
  memoryBytes: 64 * 1024 * 1024,
  stackBytes: 256 * 1024,
  outputCharacters: 200_000,
  operations: 1_000,
};

const bounds: Record<keyof SandboxLimits, [min: number, max: number]> = {
  cpuMilliseconds: [1, 3_600_000],
  // The start of a worker counts, and takes a while on a busy machine.
  wallMilliseconds: [500, 3_600_000],
  memoryBytes: [4 * 1024 * 1024, 2 ** 31],
  stackBytes: [16 * 1024, 512 * 1024],
  outputCharacters: [1, 10_000_000],
  operations: [0, 1_000_000],
};

export function mergeSandboxLimits(overrides: Partial<SandboxLimits> = {}): SandboxLimits {
  for (const [name, value] of Object.entries(overrides)) {
    const bound = Object.hasOwn(bounds, name) ? bounds[name as keyof SandboxLimits] : undefined;
    if (!bound) {
      throw new HoldfastError(
        "invalid_input",
        `There is no sandbox limit called "${name}". The limits are: ${Object.keys(bounds).join(", ")}.`,
      );
    }
    const [min, max] = bound;
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new HoldfastError(
        "invalid_input",
        `The sandbox limit "${name}" must be a whole number from ${min} to ${max} (got ${value}).`,
      );
    }
  }
  return { ...defaultSandboxLimits, ...overrides };
}

/** A program can lower the limits of its sandbox, never raise them. */
export function tighten(limits: SandboxLimits, requested: Partial<SandboxLimits> = {}): SandboxLimits {
  mergeSandboxLimits(requested);
  const tightened = { ...limits };
  for (const name of Object.keys(bounds) as (keyof SandboxLimits)[])
    tightened[name] = Math.min(limits[name], requested[name] ?? limits[name]);
  return tightened;
}

/** Milliseconds on a clock that all threads of a process share. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
