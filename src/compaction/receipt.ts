import { plainTextOf, type StoredMessage, toolCallsOf } from "../context/conversation.ts";
import { fenceLine } from "../context/fence.ts";
import type {
  CompactionTrigger,
  Epoch,
  PlacedNeed,
  Receipt,
  ReceiptItem,
  Removed,
} from "../engine/records.ts";
import { listResident, type State } from "../engine/state.ts";
import { oneLine } from "../engine/text.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import { containsWhole, findIdentifiers, namesFirst } from "./identifiers.ts";
import { containsName, containsWords } from "./need/whole-words.ts";
import { countPlaces, inContext, placeNeeds, type WayBack } from "./place-needs.ts";

/** Max items that a receipt lists, most referenced first; the rest are only counted. */
const maxNamed = 400;

/** Max items of a removed span that a receipt accounts for, and the characters that it searches for them. */
const maxItems = 2_000;
const maxSearched = 150_000;

/** The items a receipt accounts for: every note, path, id, number, URL and open ask of the removed span, each once. */
export function accountFor(messages: readonly StoredMessage[], asks: readonly string[]): ReceiptItem[] {
  const identifiers = findIdentifiers(newestText(messages, maxSearched));
  const notes = messages.flatMap((stored) =>
    toolCallsOf(stored).flatMap(({ tool, input }) => noteIn(tool, input)),
  );
  const items = [
    ...asks.map((text): ReceiptItem => ({ kind: "ask", text })),
    ...[...new Set(notes)].map((text): ReceiptItem => ({ kind: "note", text })),
    ...namesFirst(identifiers),
  ];
  return items.slice(0, maxItems);
}

/** The text of the newest messages, up to this many characters and the message that exceeds them. */
function newestText(messages: readonly StoredMessage[], characters: number): string {
  const texts: string[] = [];
  let left = characters;
  for (let index = messages.length - 1; index >= 0 && left > 0; index--) {
    const stored = messages[index];
    const text = stored ? plainTextOf(stored.message).slice(-left) : "";
    texts.push(text);
    left -= text.length + 1;
  }
  return texts.reverse().join("\n");
}

export interface ReceiptInput {
  state: State;
  epoch: Epoch;
  trigger: CompactionTrigger;
  removed: Removed;
  /** The model's whole context after the compaction. */
  contextAfter: string;
  wayBack: WayBack;
  summaryBy: Receipt["summaryBy"];
  tokensBefore: number;
  tokensAfter: number;
}

/** Sorts every item of the removed span into kept, recallable or missing. */
export function planReceipt(input: ReceiptInput): Receipt {
  const { state, epoch, removed, contextAfter } = input;
  const canRecall = input.wayBack !== "none";
  const isKept = keptIn(contextAfter);
  const kept = removed.items.filter(isKept);
  const lost = removed.items.filter((item) => !isKept(item));
  const putBack = findNeeded(lost, neededText(state), isKept).slice(0, 20);
  const gone = lost.filter((item) => !putBack.includes(item));
  const held = [...putBack, ...kept];
  const receipt = {
    epoch: epoch.number,
    trigger: input.trigger,
    from: removed.from,
    to: removed.to,
    summaryBy: input.summaryBy,
    warning: epoch.warning,
    skipped: epoch.skipped,
    tokensBefore: input.tokensBefore,
    tokensAfter: input.tokensAfter,
    counts: {
      kept: held.length,
      recallable: canRecall ? gone.length : 0,
      missing: canRecall ? 0 : gone.length,
    },
    kept: named(held),
    recallable: canRecall ? named(gone) : [],
    missing: canRecall ? [] : named(gone),
    putBack,
    // The line below puts them back.
    needs: placeNeeds(removed.needs, [contextAfter, putBackText(putBack)].join("\n"), input.wayBack),
  };
  return { ...receipt, line: receiptLine(receipt, input) };
}

function named(items: readonly ReceiptItem[]): ReceiptItem[] {
  return items.slice(0, maxNamed);
}

/** Max parts that a failed check names. */
const maxLacks = 20;

/**
 * What a request lacks of what a compaction left in the model's context: the text in place of the removed messages,
 * byte by byte, and every item and need that the receipt lists as kept. Empty if the receipt is right.
 */
export function findLacks(receipt: Receipt, replacement: string, sent: string): string[] {
  const isKept = keptIn(sent);
  const shown = receipt.needs.filter(({ place }) => place === "in context");
  const isShown = inContext(shown, sent);
  const lost = [
    ...receipt.kept.filter((item) => !isKept(item)),
    ...shown.filter((need) => !isShown(need)),
  ].map(({ text }) => oneLine(text, 200));
  const isWhole = sent.includes(replacement);
  const text = isWhole
    ? []
    : [`the summary, checkpoint and receipt as committed${differsAt(replacement, sent)}`];
  return [...new Set([...text, ...lost])].slice(0, maxLacks);
}

/** Where a text that should be there differs from what is. */
function differsAt(expected: string, sent: string): string {
  let [same, other] = [0, expected.length + 1];
  while (other - same > 1) {
    const middle = (same + other) >> 1;
    if (sent.includes(expected.slice(0, middle))) same = middle;
    else other = middle;
  }
  return same === 0
    ? ""
    : `, which differ after ${JSON.stringify(expected.slice(Math.max(0, same - 40), same))}`;
}

/** The text that a call wrote to memory. */
function noteIn(tool: string, input: unknown): string[] {
  const { operation, content, replace } = (input ?? {}) as Record<string, unknown>;
  const text = content ?? replace;
  return /note|scratchpad/.test(tool) &&
    operation !== "delete" &&
    typeof text === "string" &&
    text.trim() !== ""
    ? [text]
    : [];
}

/** Tests whether the context still contains an item as a whole, not as part of a longer one. */
function keptIn(context: string): (item: ReceiptItem) => boolean {
  const identifiers = new Set(findIdentifiers(context).map(({ text }) => text));
  const squeezed = squeeze(context);
  return ({ kind, text }) => {
    if (kind === "ask" || kind === "note") return containsWords(squeezed, squeeze(text));
    if (identifiers.has(text)) return true;
    return kind !== "number" && containsWhole(context, text);
  };
}

function squeeze(text: string): string {
  return oneLine(text.replaceAll("\\", ""));
}

function neededText(state: State): string {
  const { plan } = readScratchpad(state);
  const tasks = listResident(state, "task").map(([, task]) => JSON.stringify(task));
  return [plan, state.row.notepad ?? "", ...tasks].join("\n");
}

/** Lost items that the plan, the notepad or an open task still refers to; a file only once, whatever lines of it were named. */
function findNeeded(
  lost: readonly ReceiptItem[],
  needed: string,
  isKept: (item: ReceiptItem) => boolean,
): ReceiptItem[] {
  const found = new Set<string>();
  return lost.filter((item) => {
    const whole = withoutLine(item.text);
    const isThere = found.has(whole) || (whole !== item.text && isKept({ ...item, text: whole }));
    if (isThere || !isReferenced(item, needed)) return false;
    found.add(whole);
    return true;
  });
}

function withoutLine(text: string): string {
  return text.replace(/:\d+(?:-\d+)?$/, "");
}

/** The plan may name a file by its last part only, so compare that part. */
function isReferenced({ kind, text }: ReceiptItem, needed: string): boolean {
  if (kind === "ask") return text.length <= maxPutBackLength;
  if (kind !== "path" && kind !== "url" && kind !== "id") return false;
  const short = withoutLine(text).split(/[/\\]/).at(-1) ?? text;
  return short.length >= 4 && containsName(needed, short);
}

/** What the receipt puts back, as it says it. */
function putBackText(putBack: readonly ReceiptItem[]): string {
  return putBack.map(({ text }) => fenceLine(text)).join("; ");
}

function receiptLine(receipt: Omit<Receipt, "line">, { removed, wayBack }: ReceiptInput): string {
  if (removed.messages === 0)
    return "[Receipt: the host compacted this conversation and gave no transcript to read, so what was lost is unknown. Your memory above is complete.]";
  const { needs } = receipt;
  if (wayBack !== "transcript") {
    const back = putBackText(receipt.putBack);
    return `[Receipt: messages ${removed.from} to ${removed.to} were compacted. ${needsText(needs, "here", "with the tool recall")}${putBackSentence(back)}]`;
  }
  const here = receipt.summaryBy === "unknown" ? "in the text above" : "in the text above or the summary";
  // A host shows only the beginning of a long text.
  const back = putBackText(
    receipt.putBack.slice(0, 5).map((item) => ({ ...item, text: item.text.slice(0, 160) })),
  );
  const transcript = `in the transcript ${fenceLine(removed.transcript)}`;
  return `[Receipt: ${removed.messages} messages were compacted. ${needsText(needs, here, transcript)}${putBackSentence(back)}]`;
}

function putBackSentence(back: string): string {
  return back === "" ? "" : ` Put back because they are still needed: ${back}.`;
}

const kindNames: [kind: PlacedNeed["kind"], name: string][] = [
  ["rule", "rules"],
  ["ask", "open asks"],
  ["command", "commands"],
  ["file", "files"],
  ["name", "other names"],
];

/** "Of what you are likely to need, these are here: 2 of 2 rules, 88 of 90 other names. Out of sight: …". */
function needsText(needs: readonly PlacedNeed[], here: string, search: string): string {
  if (needs.length === 0) return "Nothing in them is likely to be needed again.";
  const found = kindNames.flatMap(([kind, name]) => {
    const all = needs.filter((need) => need.kind === kind);
    return all.length === 0 ? [] : [`${countPlaces(all)["in context"]} of ${all.length} ${name}`];
  });
  const out = countPlaces(needs);
  const rest = [
    out["one call"] > 0 ? `${out["one call"]} one call away` : "",
    out["by search"] > 0 ? `${out["by search"]} to be searched for ${search}` : "",
    out.lost > 0 ? `${out.lost} lost` : "",
  ].filter((text) => text !== "");
  const outside = rest.length === 0 ? "" : ` Out of sight: ${rest.join(", ")}.`;
  return `Of what you are likely to need, these are ${here}: ${found.join(", ")}.${outside}`;
}

/** Longer asks are not put back; the agent can recall them. */
const maxPutBackLength = 300;
