import { HoldfastError } from "../../errors.ts";

/** What one program may use. Each is enforced inside the VM and, by killing its worker, from outside. */
export interface SandboxLimits {
  /** Milliseconds of running, waiting not counted. */
  cpuMilliseconds: number;
  /** Milliseconds from start to end. */
  wallMilliseconds: number;
  /** Bytes of the VM's memory, its engine included; at least 4 MiB. */
  memoryBytes: number;
  /** Bytes of stack, at most 512 KiB. */
  stackBytes: number;
  /** Characters of the returned JSON, and of everything logged. */
  outputCharacters: number;
  /** Calls of `session`, `state` and `tools`. */
  operations: number;
}

/** Which of them a program ran into. */
export type LimitName = "cpu" | "wall" | "memory" | "stack" | "output" | "operations";

/** Those that one run may have for itself; memory and stack belong to the worker. */
export type RunLimits = Omit<SandboxLimits, "memoryBytes" | "stackBytes">;

export const defaultSandboxLimits: SandboxLimits = {
  cpuMilliseconds: 2_000,
  wallMilliseconds: 30_000,
  memoryBytes: 64 * 1024 * 1024,
  stackBytes: 256 * 1024,
  outputCharacters: 200_000,
  operations: 1_000,
};

const bounds: Record<keyof SandboxLimits, [least: number, most: number]> = {
  cpuMilliseconds: [1, 3_600_000],
  wallMilliseconds: [1, 3_600_000],
  memoryBytes: [4 * 1024 * 1024, 2 ** 31],
  stackBytes: [16 * 1024, 512 * 1024],
  outputCharacters: [1, 10_000_000],
  operations: [0, 1_000_000],
};

export function mergeSandboxLimits(given: Partial<SandboxLimits> = {}): SandboxLimits {
  for (const [name, value] of Object.entries(given)) {
    const bound = Object.hasOwn(bounds, name) ? bounds[name as keyof SandboxLimits] : undefined;
    if (!bound) {
      throw new HoldfastError(
        "invalid_input",
        `There is no sandbox limit called "${name}". The limits are: ${Object.keys(bounds).join(", ")}.`,
      );
    }
    const [least, most] = bound;
    if (!Number.isInteger(value) || value < least || value > most) {
      throw new HoldfastError(
        "invalid_input",
        `The sandbox limit "${name}" must be a whole number from ${least} to ${most} (got ${value}).`,
      );
    }
  }
  return { ...defaultSandboxLimits, ...given };
}

/** A run can only have less than its sandbox allows. */
export function tighten(limits: SandboxLimits, wanted: Partial<RunLimits> = {}): RunLimits {
  mergeSandboxLimits(wanted);
  const least = (name: keyof RunLimits) => Math.min(limits[name], wanted[name] ?? limits[name]);
  return {
    cpuMilliseconds: least("cpuMilliseconds"),
    wallMilliseconds: least("wallMilliseconds"),
    outputCharacters: least("outputCharacters"),
    operations: least("operations"),
  };
}
