import type { Reply } from "../api.ts";

export type Compaction = Reply<"compaction">;
export type Message = Reply<"messages">["messages"][number];
export type Item = Compaction["receipt"]["kept"][number];

/** Where an item of the removed messages is now, most reliable place first. */
export const homes = [
  "memory",
  "put-back",
  "summary",
  "checkpoint",
  "window",
  "recallable",
  "missing",
] as const;
export type Home = (typeof homes)[number];

export interface Traced extends Item {
  key: string;
  home: Home;
  /** All places where the model still sees it. */
  alsoIn: Home[];
  /** Removed messages that contain it; empty when it is from before them. */
  sources: number[];
}

export interface Texts {
  /** Notepad, plan and scratchpad, right after the compaction. */
  memory: string;
  messages: readonly Message[];
}

/**
 * Traces each item of the receipt from the removed messages to where it is now: what the agent is most likely to need
 * first, then in the receipt's order.
 */
export function traceItems(compaction: Compaction, { memory, messages }: Texts): Traced[] {
  const { receipt, checkpoint } = compaction;
  const putBack = new Set(receipt.putBack.map(keyOf));
  const visible: [Home, string][] = [
    ["memory", plain(memory)],
    ["summary", plain(summaryText(compaction.summary))],
    ["checkpoint", plain(checkpoint?.text ?? "")],
  ];
  // A host does not share its summary; an item that is kept but not visible elsewhere is in there.
  const elsewhere = compaction.trigger === "host" ? "summary" : "window";
  const texts = messages.map(({ number, parts }): [number, string] => [
    number,
    plain(parts.map(({ text }) => unescaped(text)).join("\n")),
  ]);
  const trace = (item: Item, verdict: "kept" | "recallable" | "missing"): Traced => {
    const text = plain(item.text);
    const alsoIn = visible.filter(([, content]) => content.includes(text)).map(([home]) => home);
    const kept = putBack.has(keyOf(item)) ? "put-back" : (alsoIn[0] ?? elsewhere);
    return {
      ...item,
      key: keyOf(item),
      home: verdict === "kept" ? kept : verdict,
      alsoIn,
      sources: texts.filter(([, content]) => content.includes(text)).map(([number]) => number),
    };
  };
  const traced = [
    ...receipt.kept.map((item) => trace(item, "kept")),
    ...receipt.recallable.map((item) => trace(item, "recallable")),
    ...receipt.missing.map((item) => trace(item, "missing")),
  ];
  const ranks = new Map(receipt.needed.map((text, rank) => [plain(text), rank]));
  const rankOf = ({ text }: Item) =>
    ranks.get(plain(text)) ?? ranks.get(withoutLine(plain(text))) ?? ranks.size;
  return traced.sort((a, b) => rankOf(a) - rankOf(b));
}

/** A need names the file; an item may name a line of it. */
function withoutLine(path: string): string {
  return path.replace(/:\d+(?:-\d+)?$/, "");
}

/** The summary alone; the checkpoint and the receipt follow it in the same message. */
export function summaryText(whole: string): string {
  const opening = whole.indexOf("[Summary");
  const start = opening === -1 ? -1 : whole.indexOf("]\n", opening);
  const end = start === -1 ? -1 : whole.indexOf("\n[End of summary]", start + 1);
  return end === -1 ? whole : whole.slice(Math.min(start + 2, end), end);
}

function keyOf({ kind, text }: Item): string {
  return `${kind} ${text}`;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Tool inputs are JSON, which escapes line breaks and quotes. */
function unescaped(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}
