import { readEpoch } from "../engine/conversation.ts";
import type { Checkpoint } from "../engine/records.ts";
import type { State } from "../engine/state.ts";
import type { SessionHandle } from "../surfaces/session-handle.ts";

/** The checkpoint of the last compaction. */
export async function lastCheckpoint(session: SessionHandle, state: State): Promise<Checkpoint | undefined> {
  const { number } = readEpoch(state);
  const known = (await session.records("checkpoint")).map(({ value }) => value);
  return known
    .filter(({ epoch }) => epoch < number)
    .sort((a, b) => a.epoch - b.epoch)
    .at(-1);
}
