import type { Receipt } from "../../engine/records.ts";
import { counted } from "./quantities.ts";
import type { Screen } from "./screen.ts";
import { visibleLine } from "./visible-text.ts";
import { dotted, wrapSpans } from "./wrap-text.ts";

/** The facts of a compaction, for programs. */
export function receiptJson({ epoch, line: _line, ...facts }: Receipt) {
  const { verified = null, mismatch = null } = facts;
  return { compaction: epoch, ...facts, verified, mismatch };
}

/** The facts of a receipt, one in a line. */
export function renderReceipt(receipt: Receipt, screen: Screen): string[] {
  const { epoch, tokensBefore, tokensAfter } = receipt;
  const size = (tokens: number) => Math.round(tokens).toLocaleString("en-US");
  const facts = [`${size(tokensBefore)} → ${size(tokensAfter)} tokens`, checkOf(receipt)];
  const heading = [{ text: `Compaction ${epoch}`, style: ["bold", "cyan"] as ["bold", "cyan"] }];
  return [
    ...wrapSpans(heading, "", "", screen),
    ...wrapSpans(dotted(facts), "  ", "  ", screen),
    ...receiptFacts(receipt).flatMap(([name, fact]) =>
      wrapSpans([{ text: visibleLine(fact) }], `  ${name.padEnd(14)}`, " ".repeat(16), screen),
    ),
  ];
}

/** Where the messages and the notepad are after a compaction, in the three words for it. */
function receiptFacts(receipt: Receipt): [name: string, fact: string][] {
  const { messages, rest, readWith, user, notepad, warning, skipped } = receipt;
  const read = readWith === "" ? rest : `${rest} with ${readWith}`;
  const said = user.whole + user.cut + user.leftOut;
  const parts = [
    `${user.whole} in context`,
    user.cut === 0 ? "" : `${user.cut} in context without the middle`,
    user.leftOut === 0 ? "" : `${user.leftOut} ${rest}`,
  ].filter((part) => part !== "");
  return [
    ["messages", messages === 0 ? "could not be read" : `${counted(messages, "message")} removed, ${read}`],
    ...(said === 0 ? [] : [["user's words", parts.join(", ")] as [string, string]]),
    ...(notepad.lines === 0 ? [] : [["notepad", notepadFact(notepad)] as [string, string]]),
    ["warning", warning === "given" ? "given" : `not given: ${skipped}`],
  ];
}

function notepadFact({ lines, shown }: Receipt["notepad"]): string {
  if (shown === lines) return `${counted(lines, "line")} in context`;
  return `${shown} of ${lines} lines in context, the rest retrievable with read_notepad`;
}

function checkOf({ verified, mismatch, trigger }: Receipt): string {
  if (verified) return `verified in the request of call ${verified.call}`;
  if (mismatch)
    return `NOT verified: the request of call ${mismatch.call} lacks ${counted(mismatch.lacks.length, "part")}`;
  return trigger === "host" ? "not verified: the coding agent sends the requests" : "not verified yet";
}
