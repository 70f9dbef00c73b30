/** One thing that the agent was told or found out, and that it may need later. */
export interface Fact {
  id: string;
  /** Its subject: all that the agent knows when it looks for it. */
  subject: string;
  /** Any of these words ties the value to the subject. */
  relation: readonly string[];
  value: string;
  /** Values that the fact had before. */
  old?: readonly string[];
  /** Names that are easily taken for the subject: the value has to be nearer to the subject than to any of them. */
  rivals?: readonly string[];
  /** For a piece of work: how it ended. Its subject and value are the same phrase. */
  status?: Status;
}

type Status = "open" | "done" | "cancelled";

/** The value and status of a fact in a text. */
export interface Judgement {
  /** Subject, relation and value, or the work with its status, close together. */
  bound: boolean;
  /** An earlier value is bound to the subject, next to the new one or instead of it. */
  stale: boolean;
  /** Work that is done or cancelled appears only as open. */
  resurrected: boolean;
}

/** Subject, relation and value count only within this many characters, so that a list of names does not score. */
const bindingDistance = 300;

export function judge(text: string, fact: Fact): Judgement {
  const lower = text.toLowerCase();
  return fact.status ? judgeWork(lower, fact, fact.status) : judgeValue(lower, fact);
}

function judgeValue(text: string, fact: Fact): Judgement {
  return {
    bound: isBound(text, fact, fact.value),
    stale: (fact.old ?? []).some((value) => isBound(text, fact, value)),
    resurrected: false,
  };
}

function isBound(text: string, { subject, relation, rivals = [] }: Fact, value: string): boolean {
  const subjects = placesOf(text, subject);
  const relations = relation.flatMap((word) => placesOf(text, word));
  const others = rivals.flatMap((rival) => placesOf(text, rival));
  return placesOf(text, value).some((at) => {
    const near = subjects.filter((place) => Math.abs(place.start - at.start) <= bindingDistance);
    if (rank(others, at) < rank(near, at)) return false;
    return near.some((one) => relations.some((word) => spanOf([one, word, at]) <= bindingDistance));
  });
}

/** How near the nearest place is; a value belongs to a name before it rather than to one after it. */
function rank(places: readonly Place[], at: Place): number {
  return Math.min(...places.map((place) => gap(place, at) + (place.start < at.start ? 0 : bindingDistance)));
}

const signs: Record<Status, RegExp> = {
  done: /\[x\]|\b(?:done|finished|completed|merged|reported)\b/g,
  cancelled: /\b(?:cancelled|canceled|dropped|called off)\b/g,
  open: /\[ \]|\b(?:open|to do|still|next|pending|running|please)\b/g,
};

/** Characters around a mention of a piece of work in which its status has to be. */
const statusDistance = 120;

function judgeWork(text: string, { subject }: Fact, status: Status): Judgement {
  const seen = placesOf(text, subject).flatMap((place) => nearestSign(text, place) ?? []);
  const ended = seen.includes("done") || seen.includes("cancelled");
  return {
    bound: status === "open" ? seen.at(-1) === "open" : seen.includes(status),
    stale: false,
    resurrected: status !== "open" && !ended && seen.includes("open"),
  };
}

function nearestSign(text: string, place: Place): Status | undefined {
  const from = Math.max(0, place.start - statusDistance);
  const around = text.slice(from, place.end + statusDistance);
  const found = (Object.keys(signs) as Status[]).flatMap((status) =>
    [...around.matchAll(signs[status])].map((match) => {
      const sign = { start: from + match.index, end: from + match.index + match[0].length };
      return { status, distance: gap(sign, place) };
    }),
  );
  return found.sort((a, b) => a.distance - b.distance)[0]?.status;
}

interface Place {
  start: number;
  end: number;
}

/** Where the words are, as whole words. */
function placesOf(text: string, words: string): Place[] {
  const wanted = words.toLowerCase();
  const places: Place[] = [];
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + 1)) {
    const end = start + wanted.length;
    const isWhole = !/\w/.test(text[start - 1] ?? "") && !/\w/.test(text[end] ?? "");
    if (isWhole || !/^\w.*\w$/.test(wanted)) places.push({ start, end });
  }
  return places;
}

function gap(a: Place, b: Place): number {
  return Math.max(0, a.start - b.end, b.start - a.end);
}

function spanOf(places: readonly Place[]): number {
  return Math.max(...places.map(({ end }) => end)) - Math.min(...places.map(({ start }) => start));
}
