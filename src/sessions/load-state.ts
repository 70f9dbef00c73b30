import { type RecordValue, recordId } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import { HoldfastError } from "../errors.ts";
import type { MemoryConfig } from "./options.ts";

/** The current state of a session; undefined if there is none. */
export async function loadState(
  setting: Pick<MemoryConfig, "store">,
  owner: string,
  sessionId: string,
): Promise<State | undefined> {
  const loaded = await setting.store.load({ owner, sessionId });
  if (!loaded) return undefined;
  return {
    row: loaded.row,
    resident: new Map(
      loaded.records.map(({ kind, key, value }) => [recordId(kind, key), value as RecordValue]),
    ),
  };
}

export function sessionNotFound(id: string): HoldfastError {
  return new HoldfastError(
    "session_not_found",
    `There is no session ${JSON.stringify(id)}. List the sessions, or create it.`,
    {
      data: { sessionId: id },
    },
  );
}
