import type { Reply } from "../api.ts";
import { plural } from "../format.ts";

export type Receipt = Reply<"compactions">["compactions"][number];

interface Fact {
  text: string;
  isBad?: boolean;
}

/** What a receipt says, in sentences. */
export function receiptFacts(receipt: Receipt): Fact[] {
  return [
    { text: removedFact(receipt), isBad: isLost(receipt) },
    { text: userFact(receipt) },
    { text: notepadFact(receipt) },
    { text: warningFact(receipt) },
    { text: verifiedFact(receipt), isBad: receipt.mismatch !== undefined },
  ];
}

/** Whether messages were removed that the agent cannot read back. */
export function isLost({ removed, rest }: Pick<Receipt, "removed" | "rest">): boolean {
  return removed > 0 && rest === "lost";
}

export function removedFact({ removed, from, to, trigger, rest, readWith }: Receipt): string {
  if (removed === 0) return "The conversation was compacted. Its messages could not be read.";
  // A host numbers only what it removes, so its range says nothing.
  const range = trigger === "host" ? "" : ` (${from} to ${to})`;
  const they = removed === 1 ? "It is" : "They are";
  const state = rest === "lost" ? rest : `${rest} with ${readWith}`;
  return `${plural(removed, "message")}${range} left the window. ${they} ${state}.`;
}

function userFact({ user: { whole, cut, leftOut } }: Receipt): string {
  if (whole + cut + leftOut === 0) return "No message of the user is in the handoff.";
  return `The user's messages: ${whole} in context whole, ${cut} in context cut, ${leftOut} left out.`;
}

function notepadFact({ notepad: { lines, shown } }: Receipt): string {
  return lines === 0
    ? "The notepad was empty."
    : `The notepad: ${shown} of ${plural(lines, "line")} in context.`;
}

export function warningFact({ warning, skipped }: Receipt): string {
  if (warning === "given") return "The agent was warned.";
  return `The agent was not warned${skipped === "" ? "" : `: ${skipped}`}.`;
}

function verifiedFact({ verified, mismatch }: Receipt): string {
  if (verified) return `Verified against the request of call ${verified.call}.`;
  if (!mismatch) return "Not verified against a request.";
  return `Not verified: the request of call ${mismatch.call} lacked ${mismatch.lacks.join("; ")}.`;
}
