import { countNeeds } from "../../compaction/place-needs.ts";
import type { NeedPlace, Receipt } from "../../engine/records.ts";
import { HoldfastError } from "../../errors.ts";
import { type OutOfSight, outOfSight, putBack } from "../../sessions/put-back.ts";
import type { Session } from "../../sessions/session.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { pickSession } from "../pick-session.ts";
import { atMostOne } from "../positionals.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson, printLines, type Screen, screenOf } from "../terminal/screen.ts";
import { visibleLine } from "../terminal/visible-text.ts";
import { dotted, wrapSpans } from "../terminal/wrap-text.ts";

const usage = "receipts [SESSION] [--compaction N] [--put-back N [--into notepad|note]]";
const asPerson = { actor: { kind: "person" as const }, surface: "cli" };

/** Shows what compactions kept and lost, and puts something back into memory. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    compaction: { type: "string" },
    "put-back": { type: "string" },
    into: { type: "string" },
  });
  const idOrPrefix = atMostOne(positionals, "SESSION", usage);
  const number = wholeNumber(values["put-back"], "put-back");
  const epoch = wholeNumber(values.compaction, "compaction");
  const memory = await openExistingMemory({ flags: values });
  try {
    const session = await pickSession(memory, idOrPrefix);
    const receipts = choose(await session.receipts(), epoch, session.id);
    if (number !== undefined) await putItemBack(session, receipts, number, values);
    else if (values.json) printJson({ session: session.id, compactions: receipts.map(jsonOf) });
    else printLines(render(session.id, receipts, screenOf()));
    return 0;
  } finally {
    await memory.close();
  }
}

function choose(receipts: readonly Receipt[], epoch: number | undefined, id: string): Receipt[] {
  const chosen = receipts.filter((receipt) => epoch === undefined || receipt.epoch === epoch);
  if (chosen.length > 0 || epoch === undefined) return chosen;
  const known = receipts.map((receipt) => receipt.epoch).join(", ") || "none";
  throw new HoldfastError(
    "not_found",
    `Session ${id} has no compaction ${epoch}. Its compactions with a receipt: ${known}.`,
    { data: { epoch } },
  );
}

async function putItemBack(
  session: Session,
  receipts: readonly Receipt[],
  number: number,
  { into = "notepad", json }: { into?: string | undefined; json: boolean },
): Promise<void> {
  if (into !== "notepad" && into !== "note")
    throw new HoldfastError("invalid_input", `--into must be notepad or note (got ${JSON.stringify(into)}).`);
  const receipt = receipts.at(-1);
  const items = receipt ? outOfSight(receipt) : [];
  const item = items[number - 1];
  if (!receipt || !item)
    throw new HoldfastError(
      "not_found",
      items.length === 0
        ? `Nothing is out of sight in session ${session.id}, so there is no item ${number} to put back.`
        : `There is no item ${number}. "holdfast receipts ${session.id}" numbers them from 1 to ${items.length}.`,
    );
  const { revision, written } = await putBack(session, { epoch: receipt.epoch, item, into }, asPerson);
  if (json) printJson({ session: session.id, revision, into, written });
  else
    printLines([
      `Put back into the ${into === "note" ? "notes" : "notepad"} of ${session.id}: ${visibleLine(written)}`,
      `"holdfast undo ${session.id} --revision ${revision}" takes it out again.`,
    ]);
}

function jsonOf(receipt: Receipt) {
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
    outOfSight: outOfSight(receipt).map((item, index) => ({ number: index + 1, ...item })),
  };
}

/** All compactions as tables; for the newest one also what is out of sight. */
function render(id: string, receipts: readonly Receipt[], screen: Screen): string[] {
  const newest = receipts.at(-1);
  if (!newest) return [`Session ${id} has not been compacted yet.`];
  return [
    ...receipts.flatMap((receipt) => [...renderReceipt(receipt, screen), ""]),
    ...renderItems(id, outOfSight(newest), screen),
  ];
}

const places: [place: NeedPlace, title: string][] = [
  ["in context", "in context"],
  ["one call", "one call away"],
  ["by search", "by search"],
  ["lost", "lost"],
];

const labelWidth = 16;

function renderReceipt(receipt: Receipt, screen: Screen): string[] {
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

function needRows(needs: NonNullable<Receipt["needs"]>, screen: Screen): string[] {
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

function renderItems(id: string, items: readonly OutOfSight[], screen: Screen): string[] {
  if (items.length === 0) return ["Everything that is likely to be needed is in context."];
  const shown = items.slice(0, maxItems);
  const digits = String(shown.length).length;
  const kinds = Math.max(...shown.map(({ kind }) => kind.length));
  const lead = (item: OutOfSight, index: number) =>
    `  ${String(index + 1).padStart(digits)}  ${item.kind.padEnd(kinds)}  `;
  return [
    `${screen.paint("bold", "Out of sight, most needed first")}`,
    ...shown.flatMap((item, index) => {
      const start = lead(item, index);
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
    "",
    `"holdfast receipts ${id} --put-back N" writes one of them into the notepad.`,
  ];
}
