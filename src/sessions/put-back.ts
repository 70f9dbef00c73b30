import type { NeedPlace, Receipt } from "../engine/records.ts";
import { oneLine, quote } from "../engine/text.ts";
import { HoldfastError } from "../errors.ts";
import type { ApplyOptions } from "../surfaces/session-handle.ts";
import type { Session } from "./session.ts";

/** Something that the agent no longer sees after a compaction. */
export interface OutOfSight {
  kind: string;
  text: string;
  place: Exclude<NeedPlace, "in context">;
  /** For one that is one call away: the call. */
  call?: string;
}

/** What a compaction took out of the agent's sight, most needed first. */
export function outOfSight({ needs }: Receipt): OutOfSight[] {
  return needs.flatMap(({ kind, text, place, call }) =>
    place === "in context" ? [] : [{ kind, text, place, ...(call === undefined ? {} : { call }) }],
  );
}

export interface PutBack {
  /** The compaction, by the number of the epoch that it ended. */
  epoch: number;
  item: Pick<OutOfSight, "kind" | "text">;
  /** The agent sees its notepad in every turn, and a note when it searches for it. */
  into: "notepad" | "note";
}

/** Writes something that a compaction took out of sight into the session's memory. Undo it like any other edit. */
export async function putBack(
  session: Session,
  { epoch, item, into }: PutBack,
  options: ApplyOptions,
): Promise<{ revision: number; written: string }> {
  const [receipt] = await session.records("receipt", [String(epoch)]);
  if (!receipt)
    throw new HoldfastError(
      "not_found",
      `Session ${session.id} has no compaction ${epoch} to put back from.`,
      {
        data: { epoch },
      },
    );
  if (!outOfSight(receipt.value).some(({ kind, text }) => kind === item.kind && text === item.text))
    throw new HoldfastError(
      "not_found",
      `Compaction ${epoch} of session ${session.id} did not take the ${item.kind} ${quote(item.text)} out of sight. "holdfast show ${session.id} --compaction ${epoch}" lists what it did.`,
      { data: { epoch } },
    );
  const written = `${oneLine(item.text)} (${item.kind}, put back after compaction ${epoch})`;
  if (into === "note") {
    const { revision } = await session.notes.add(written, ["put-back"], options);
    return { revision, written };
  }
  if ((await session.notepad.read()).includes(`- ${written}`))
    throw new HoldfastError(
      "conflict",
      `The notepad of session ${session.id} already has ${quote(written)}.`,
    );
  const { revision } = await session.notepad.append(`- ${written}`, options);
  return { revision, written };
}
