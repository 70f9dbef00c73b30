import { checkAgentOptions } from "../../agent/check-options.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { CallerMemory } from "./caller-memory.ts";
import { type CompactionOptions, compactionKinds, listenersOf } from "./options.ts";

/** Which session a run of a framework belongs to. */
export interface SessionSource {
  /** The session of every run; or `memory`, and each run's thread is the id of its session. */
  session?: Session;
  memory?: Memory;
}

export type ThreadOptions = Omit<CompactionOptions, "session"> & SessionSource;

/** `name` is the function that got the options. */
export function sourceOf(name: string, { session, memory }: SessionSource): Session | Memory {
  const source = session ?? memory;
  if (source) return source;
  throw new HoldfastError("invalid_input", `${name} needs a "session" or a "memory"; got neither.`);
}

/** Finds the memory of a run; undefined if it cannot be opened, which is reported. `pass` says how a run names its thread. */
export function memoryOfThread(
  name: string,
  { session, memory, ...options }: ThreadOptions,
  pass: string,
): (thread: unknown) => Promise<CallerMemory | undefined> {
  const source = sourceOf(name, { ...(session ? { session } : {}), ...(memory ? { memory } : {}) });
  checkAgentOptions(name, options, compactionKinds);
  const { report } = listenersOf(options);
  const known = new Map<string, CallerMemory>();
  return async (thread) => {
    const id = session?.id ?? (typeof thread === "string" ? thread : "");
    if (id === "") {
      throw new HoldfastError(
        "invalid_input",
        `The run has no thread, so its session is unknown. Pass ${pass}, or "session" to ${name}.`,
      );
    }
    try {
      const found =
        known.get(id) ??
        new CallerMemory(name, "openSession" in source ? await source.openSession(id) : source, options);
      known.set(id, found);
      return found;
    } catch (error) {
      report(error);
      return undefined;
    }
  };
}
