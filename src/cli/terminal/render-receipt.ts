import { countNeeds } from "../../compaction/place-needs.ts";
import type { NeedPlace, Receipt } from "../../engine/records.ts";
import { type OutOfSight, outOfSight } from "../../sessions/put-back.ts";
import { counted } from "./quantities.ts";
import type { Screen } from "./screen.ts";
import { visibleLine } from "./visible-text.ts";
import { dotted, wrapSpans } from "./wrap-text.ts";

/** What a compaction left, for programs. */
export function receiptJson(receipt: Receipt) {
  const { epoch, trigger, from, to, tokensBefore, tokensAfter, counts, verified, mismatch } = receipt;
  return {
    compaction: epoch,
    trigger,
    from,
    to,
    tokensBefore,
    tokensAfter,
    verified: verified ?? null,
    mismatch: mismatch ?? null,
    needs: countNeeds(receipt.needs),
    counts,
    outOfSight: outOfSight(receipt),
  };
}

const places: [place: NeedPlace, title: string][] = [
  ["in context", "in context"],
  ["one call", "one call away"],
  ["by search", "by search"],
  ["lost", "lost"],
];

const labelWidth = 16;

/** The counts of a receipt, by kind and place. */
export function renderReceipt(receipt: Receipt, screen: Screen): string[] {
  const { epoch, from, to, tokensBefore, tokensAfter } = receipt;
  const size = (tokens: number) => Math.round(tokens).toLocaleString("en-US");
  const facts = [
    ...(to === 0 ? [] : [`messages ${from} to ${to}`]),
    `${size(tokensBefore)} → ${size(tokensAfter)} tokens`,
    checkOf(receipt),
  ];
  const heading = [{ text: `Compaction ${epoch}`, style: ["bold", "cyan"] as ["bold", "cyan"] }];
  return [
    ...wrapSpans(heading, "", "", screen),
    ...wrapSpans(dotted(facts), "  ", "  ", screen),
    ...needRows(receipt.needs, screen),
  ];
}

function checkOf({ verified, mismatch, trigger }: Receipt): string {
  if (verified) return `verified in the request of call ${verified.call}`;
  if (mismatch)
    return `NOT verified: the request of call ${mismatch.call} lacks ${counted(mismatch.lacks.length, "part")}`;
  return trigger === "host" ? "not verified: the host sends the requests" : "not verified yet";
}

function needRows(needs: Receipt["needs"], screen: Screen): string[] {
  const rows = countNeeds(needs);
  if (rows.length === 0) return ["  Nothing in it is likely to be needed again."];
  const cells = (texts: readonly string[]) =>
    texts.map((text, index) => text.padStart((places[index]?.[1].length ?? 0) + 2)).join("");
  const heading = cells(places.map(([, title]) => title));
  return [
    screen.paint("dim", `  ${"likely needed".padEnd(labelWidth)}${heading}`),
    ...rows.map(({ label, places: counts }) => {
      const numbers = places.map(([place]) => (counts[place] === 0 ? "·" : String(counts[place])));
      const line = `  ${label.padEnd(labelWidth)}${cells(numbers)}`;
      return counts.lost > 0 ? screen.paint("red", line) : line;
    }),
  ];
}

/** Items to list; `--json` has all. */
const maxItems = 20;

const placeNames: Record<OutOfSight["place"], string> = {
  "one call": "one call away",
  "by search": "by search",
  lost: "lost",
};

/** What a compaction took out of the agent's sight, one by one. */
export function renderOutOfSight(receipt: Receipt, screen: Screen): string[] {
  const items = outOfSight(receipt);
  if (items.length === 0) return ["Everything that is likely to be needed is in context."];
  const shown = items.slice(0, maxItems);
  const kinds = Math.max(...shown.map(({ kind }) => kind.length));
  return [
    `${screen.paint("bold", "Out of sight, most needed first")}`,
    ...shown.flatMap((item) => {
      const start = `  ${item.kind.padEnd(kinds)}  `;
      const place = item.call
        ? `${placeNames[item.place]}: ${visibleLine(item.call)}`
        : placeNames[item.place];
      const style = item.place === "lost" ? "red" : "dim";
      const text = visibleLine(item.text);
      const short = text.length > 160 ? `${text.slice(0, 159).toWellFormed()}…` : text;
      return wrapSpans(
        [{ text: short }, { text: `  (${place})`, style }],
        start,
        " ".repeat(start.length),
        screen,
      );
    }),
    ...(items.length > shown.length ? [`  and ${items.length - shown.length} more; --json lists all`] : []),
  ];
}
