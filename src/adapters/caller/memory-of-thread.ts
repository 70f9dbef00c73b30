import { checkAgentOptions } from "../../agent/options.ts";
import { planSessionEnd } from "../../compaction/compaction.ts";
import { toStored } from "../../context/conversation.ts";
import { summarisedUpTo } from "../../engine/conversation.ts";
import { HoldfastError } from "../../errors.ts";
import type { Memory } from "../../sessions/memory.ts";
import type { Session } from "../../sessions/session.ts";
import { CallerMemory } from "./caller-memory.ts";
import { conversationOf } from "./caller-session.ts";
import { type CompactionOptions, compactionKinds, listenersOf, type PlacementOptions } from "./options.ts";

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

/**
 * Ends work on a session for now: surfaces that store data outside the session write their handover. Frameworks have
 * no hook for this, so call it when your conversation is over.
 */
export async function holdfastEnd(
  session: Session,
  options: Pick<PlacementOptions, "onEvent"> = {},
): Promise<void> {
  const { setting } = session;
  const conversation = conversationOf(session);
  const { toolbox = setting.toolbox } = conversation;
  const to = summarisedUpTo(await session.state());
  const values = await session.messages(to + 1);
  const messages = values.map((value, index) => toStored(to + 1 + index, value));
  const end = await planSessionEnd(session, messages, setting.countTokens);
  conversation.isStarted = false;
  for (const message of await toolbox.notify(session, end))
    listenersOf(options).emit({ type: "error", message });
}
