import type { Reply } from "../api.ts";

export type Compaction = Reply<"compaction">;
export type Message = Reply<"messages">["messages"][number];
export type Item = Compaction["receipt"]["kept"][number];

/** Where a thing of the removed messages lives now, the surest place first. */
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
  /** All the places where the model still sees it. */
  alsoIn: Home[];
  /** Removed messages that hold it; none when it was said before them. */
  sources: number[];
}

export interface Texts {
  /** Notepad, plan and scratchpad, right after the compaction. */
  memory: string;
  messages: readonly Message[];
}

/** Follows each thing that the receipt accounts for from the removed messages to where it lives now. */
export function traceItems(compaction: Compaction, { memory, messages }: Texts): Traced[] {
  const { receipt, checkpoint } = compaction;
  const putBack = new Set(receipt.putBack.map(keyOf));
  const visible: [Home, string][] = [
    ["memory", plain(memory)],
    ["summary", plain(summaryText(compaction.summary))],
    ["checkpoint", plain(checkpoint?.text ?? "")],
  ];
  // A host keeps its summary to itself; what is kept and nowhere else is in there.
  const elsewhere = compaction.trigger === "host" ? "summary" : "window";
  const said = messages.map(({ number, parts }): [number, string] => [
    number,
    plain(parts.map(({ text }) => unescaped(text)).join("\n")),
  ]);
  const trace = (item: Item, verdict: "kept" | "recallable" | "missing"): Traced => {
    const text = plain(item.text);
    const alsoIn = visible.filter(([, place]) => place.includes(text)).map(([home]) => home);
    const kept = putBack.has(keyOf(item)) ? "put-back" : (alsoIn[0] ?? elsewhere);
    return {
      ...item,
      key: keyOf(item),
      home: verdict === "kept" ? kept : verdict,
      alsoIn,
      sources: said.filter(([, words]) => words.includes(text)).map(([number]) => number),
    };
  };
  return [
    ...receipt.kept.map((item) => trace(item, "kept")),
    ...receipt.recallable.map((item) => trace(item, "recallable")),
    ...receipt.missing.map((item) => trace(item, "missing")),
  ];
}

/** The words of the summary itself; the checkpoint and the receipt stand below it in the same message. */
export function summaryText(whole: string): string {
  return /\[Summary[^\]]*\]\n([\s\S]*?)\n\[End of summary\]/.exec(whole)?.[1] ?? whole;
}

function keyOf({ kind, text }: Item): string {
  return `${kind} ${text}`;
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** What a tool was given is JSON, in which the ends of lines and quotes look different. */
function unescaped(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}
