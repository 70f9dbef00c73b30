import type { StoredMessage } from "../context/conversation.ts";
import { chooseEnds } from "../context/excerpt.ts";
import { fenceContent, fenceLine } from "../context/fence.ts";
import type { Handoff, HandoffLine, PlanItem, SaidMessage } from "../engine/records.ts";
import { oneLine } from "../engine/text.ts";
import { redactText } from "../secrets/redact.ts";
import { readPlan } from "./plan.ts";
import { cutLine, readSteps, type Step } from "./steps.ts";
import { userWords } from "./user-words.ts";

export interface HandoffInput {
  epoch: number;
  /** The messages since the last compaction, in order. */
  messages: readonly StoredMessage[];
  /** The last message whose steps are shown: the model still sees those after it. */
  to: number;
  /** The messages after those, which stay: the agent's last words are among them. */
  kept?: readonly StoredMessage[] | undefined;
  /** The handoff of the compaction before. */
  earlier?: Handoff | undefined;
  /** Descriptions of the tasks that are open, outermost first. */
  tasks: readonly string[];
  /** Items that are ticked off in memory. */
  ticked?: readonly string[] | undefined;
  /** Where the agent works; paths in it are shown relative to it. */
  folder?: string | undefined;
  room: HandoffRoom;
  countTokens: (text: string) => number;
  /** Takes secrets out of a text (default: all that are found). */
  hide?: ((text: string) => string) | undefined;
}

const start = "[Handoff: the conversation before the compaction]";
const end = "[End of handoff]";

/** The user's words get up to half of the room and the to-do list up to a fifth. The steps get what is left. */
const saidShare = 0.5;
const planShare = 0.2;

/** Of the room for steps, about half is for those since the last compaction. */
const newestShare = 0.5;

/** A longer message of the user is cut in the middle, and a shorter one too if not all would fit. */
const maxMessageTokens = 400;
const shortMessageTokens = 100;

/** Limits of the lines for the next handoffs. More would never fit into one. */
const maxCarried = { tokens: 4_000, lines: 40, spans: 12 };

/**
 * Writes what the next context gets of a conversation that is about to be compacted: the user's words, the to-do list, and
 * what was done. It asks no model and judges nothing: the same conversation always gives the same text.
 *
 * @example
 * planHandoff({ epoch: 1, messages, to: 40, tasks: [], room: { tokens: 2_400 }, countTokens }).text;
 */
export function planHandoff(input: HandoffInput): Handoff {
  const { epoch, messages, to, kept = [], earlier, tasks, folder, hide = redactText, countTokens } = input;
  const { said, leftOut } = carrySaid(
    messages.map((message) => hide(userWords(message))),
    earlier,
    countTokens,
  );
  const plan = readPlan(messages, earlier?.plan ?? []).map((item) => ({ ...item, text: hide(item.text) }));
  const steps = readSteps(messages, { folder, hide });
  const digest = digestOf(steps);
  const before = withoutRepeats(earlier?.done ?? [], digest);
  const isShown = ({ number }: StoredMessage) => number <= to;
  const gone = messages.every(isShown) ? steps : readSteps(messages.filter(isShown), { folder, hide });
  const parts = { said, leftOut, plan, tasks, steps: gone, earlier: before };
  const { text, shown } = layOut(parts, meterOf(input.room, countTokens));
  return {
    epoch,
    text,
    said,
    leftOut,
    shown,
    plan,
    tasks: [...tasks],
    done: [...before, carried(digest)].slice(-maxCarried.spans),
    finished: finishedIn(input, steps, plan),
    lastWords: lastWordsOf([...steps, ...readSteps(kept, { folder, hide })]),
  };
}

/** A handoff that hands nothing over, where it is turned off. */
export function emptyHandoff(epoch: number): Handoff {
  const shown = { whole: 0, cut: 0, leftOut: 0 };
  return {
    epoch,
    text: "",
    said: [],
    leftOut: 0,
    shown,
    plan: [],
    tasks: [],
    done: [],
    finished: [],
    lastWords: "",
  };
}

/** The agent's last words; if it said none, its last calls. */
function lastWordsOf(steps: readonly Step[]): string {
  const words = steps.findLast(({ kind }) => kind === "words");
  if (words) return words.render(600).slice("You: ".length);
  const calls = steps.filter(({ kind }) => kind === "call").slice(-3);
  return calls.map((step) => step.render(120).slice("- ".length)).join(", ");
}

/** Closed tasks, and items that are ticked off. */
function finishedIn(
  { ticked = [], hide = redactText }: HandoffInput,
  steps: readonly Step[],
  plan: readonly PlanItem[],
): string[] {
  const closed = steps.flatMap(({ closes }) => closes ?? []);
  const items = plan.filter(({ status }) => status === "done").map(({ text }) => text);
  // A closed task whose call is still among the steps is told by its outcome.
  const rest = ticked.filter((text) => !closed.some((outcome) => text.endsWith(outcome)));
  return [...new Set([...rest, ...items, ...closed])].map((text) => oneLine(hide(text), 200));
}

/** All that the user said so far. Hosts may pass messages again that they kept: those are not repeated. */
function carrySaid(
  words: readonly string[],
  earlier: Handoff | undefined,
  countTokens: (text: string) => number,
): { said: SaidMessage[]; leftOut: number } {
  const known = earlier?.said ?? [];
  const now = words
    .filter((text) => text !== "")
    .map((text) => cutMessage(text, maxMessageTokens, countTokens));
  const said = [...known, ...now.slice(overlapOf(known, now))];
  const kept = firstAndNewest(said, maxCarried.tokens, ({ text }) => countTokens(text));
  return { said: kept, leftOut: (earlier?.leftOut ?? 0) + said.length - kept.length };
}

/** How many of the first messages are the last known ones again. */
function overlapOf(known: readonly SaidMessage[], now: readonly SaidMessage[]): number {
  for (let length = Math.min(known.length, now.length); length > 0; length--) {
    const isSame = now
      .slice(0, length)
      .every(({ text }, at) => text === known[known.length - length + at]?.text);
    if (isSame) return length;
  }
  return 0;
}

/** A token has at most about eight characters; a longer run is blank, and counts little. */
const charactersPerToken = 8;

function cutMessage(text: string, tokens: number, countTokens: (text: string) => number): SaidMessage {
  const most = Math.max(1, tokens) * charactersPerToken;
  const isBlank = text.length > most;
  if (!isBlank && countTokens(text) <= tokens) return { text };
  const blank = { head: Math.floor(most * 0.6), tail: Math.floor(most * 0.4) };
  const ends = chooseEnds(text, Math.max(0, tokens - 12), countTokens);
  const { head, tail } = ends && ends.head + ends.tail < most ? ends : blank;
  const [start, end] = [text.slice(0, head), text.slice(text.length - tail)];
  return { text: `${start} … (the middle is cut out) … ${end}`.toWellFormed(), cut: true };
}

/** The first item, and as many of the newest as fit. */
function firstAndNewest<T>(items: readonly T[], room: number, cost: (item: T) => number): T[] {
  const [first, ...rest] = items;
  if (first === undefined) return [];
  let left = room - cost(first);
  let from = rest.length;
  while (from > 0) {
    left -= cost(rest[from - 1] as T);
    if (left < 0 && from < rest.length) break;
    from--;
  }
  return [first, ...rest.slice(from)];
}

interface Parts {
  said: readonly SaidMessage[];
  leftOut: number;
  plan: readonly PlanItem[];
  tasks: readonly string[];
  steps: readonly Step[];
  earlier: readonly (readonly HandoffLine[])[];
}

/** Lines are measured one by one, and together they may take a little more. */
const lineByLine = 0.98;

/** Everything in its order, within the room to the byte. */
function layOut(parts: Parts, meter: Meter): { text: string; shown: Handoff["shown"] } {
  const frame = [start, saidHeading, planHeading, doneHeading, end].join("\n\n");
  let left = 1 - meter.cost(frame);
  const { lines: saidLines, shown } = renderSaid(parts, saidShare * Math.max(0, left), meter);
  left -= meter.cost(saidLines.join("\n"));
  const planLines = renderPlan(parts, Math.min(planShare, Math.max(0, left)), meter);
  left -= meter.cost(planLines.join("\n"));
  const done = renderDone(parts, Math.max(0, left) * lineByLine, meter);
  const write = () => {
    const sections = [
      saidLines.length === 0 ? "" : [saidHeading, ...saidLines].join("\n"),
      planLines.length === 0 ? "" : [planHeading, ...planLines].join("\n"),
      done.length === 0 ? "" : [doneHeading, ...done].join("\n"),
    ].filter((section) => section !== "");
    return sections.length === 0 ? "" : [start, ...sections, end].join("\n");
  };
  // If it is longer all the same, the oldest step goes first.
  let text = write();
  while (meter.cost(text) > 1 && done.length + planLines.length > 0) {
    if (done.length > 0) done.shift();
    else planLines.shift();
    text = write();
  }
  return meter.cost(text) > 1
    ? { text: "", shown: { ...shown, whole: 0, cut: 0, leftOut: total(shown) } }
    : { text, shown };
}

function total({ whole, cut, leftOut }: Handoff["shown"]): number {
  return whole + cut + leftOut;
}

const saidHeading = "What the user said, word for word, oldest first:";

/** The first message and the newest. If some do not fit, a line shows how many are left out. */
function renderSaid(
  { said, leftOut }: Parts,
  room: number,
  { cost, tokens, countTokens }: Meter,
): { lines: string[]; shown: Handoff["shown"] } {
  const fitAll = (most: number) =>
    said.map((message) => {
      for (let limit = Math.min(most, Math.floor((tokens * room) / 2)); ; limit = Math.floor(limit / 2)) {
        const { text, cut } = cutMessage(message.text, limit, countTokens);
        const line = `- ${fenceContent(text)}`;
        // Escapes, and scripts with long characters, take more than the tokens tell.
        if (cost(line) <= room / 2 || limit < 10)
          return { line, isCut: cut === true || message.cut === true, cost: cost(`${line}\n`) };
      }
    });
  const fits = (lines: ReturnType<typeof fitAll>) => sumOf(lines.map((each) => each.cost)) <= room;
  const whole = fitAll(maxMessageTokens);
  const fitted = fits(whole) ? whole : fitAll(shortMessageTokens);
  const kept = firstAndNewest(fitted, room, (each) => each.cost);
  const missing = leftOut + fitted.length - kept.length;
  const [first, ...newest] = kept.map(({ line }) => line);
  const lines =
    first === undefined
      ? []
      : [
          first,
          ...(missing === 0 ? [] : [`(${missing} more messages of the user, left out here)`]),
          ...newest,
        ];
  const cut = kept.filter(({ isCut }) => isCut).length;
  return { lines, shown: { whole: kept.length - cut, cut, leftOut: missing } };
}

const planHeading = "The to-do list, as last written:";
const boxes = { open: "[ ]", current: "[>]", done: "[x]" };

/** Open items first to stay: if not all fit, the oldest finished ones are counted. */
function renderPlan({ plan, tasks }: Parts, room: number, { cost }: Meter): string[] {
  const lines = [
    ...plan.map(({ text, status }) => ({
      text: `- ${boxes[status]} ${fenceLine(cutLine(text, 200))}`,
      isDone: status === "done",
    })),
    ...tasks.map((task) => ({ text: `- open task: ${fenceLine(cutLine(task, 200))}`, isDone: false })),
  ];
  let left = room - cost("- 99 finished items, left out here\n");
  const kept = new Set<string>();
  for (const { text } of [
    ...lines.filter(({ isDone }) => !isDone),
    ...lines.filter(({ isDone }) => isDone).reverse(),
  ]) {
    left -= cost(`${text}\n`);
    if (left < 0) break;
    kept.add(text);
  }
  const missing = lines.filter(({ text }) => !kept.has(text)).length;
  const note = missing === 0 ? [] : [`- ${missing} more items, left out here`];
  return kept.size === 0 ? [] : [...note, ...lines.flatMap(({ text }) => (kept.has(text) ? [text] : []))];
}

const doneHeading = "What you did, oldest first (older steps are shortened or left out):";
const compactionMark = "(the last compaction before this one)";

/** About half is for what was done before the last compaction, from all of it. The room that one part leaves goes to the other. */
function renderDone({ steps, earlier }: Parts, room: number, meter: Meter): string[] {
  const { cost } = meter;
  const older = (share: number) => {
    const lines = renderEarlier(earlier.flat(), share - cost(`${compactionMark}\n`), meter);
    return lines.length === 0 ? [] : [...lines, compactionMark];
  };
  const first = older(room * (1 - newestShare));
  const newest = renderNewest(steps, room - cost(first.join("\n")), meter);
  const rest = room - cost(newest.join("\n"));
  return [...(rest > room * (1 - newestShare) ? older(rest) : first), ...newest];
}

/** The steps of a conversation as lines within a room of their own. */
export function renderSteps(
  messages: readonly StoredMessage[],
  room: HandoffRoom,
  countTokens: (text: string) => number,
): string[] {
  return renderNewest(readSteps(messages), 1, meterOf(room, countTokens));
}

/** Characters of a step: the newest in detail, those before shorter. An end is the agent's words at the end of a turn. */
const lengths = { detail: 420, short: 170, end: 1_200, answer: 3_000 };

/** Lengths that older ends are cut to, whichever lets all of them fit. A shorter one would say nothing. */
const shortestEnd = 160;
const endLengths = [lengths.end, 800, 600, 420, 260, shortestEnd];

/** The share of the room in which each step is shown, and the share of that which shows them in detail. */
const [detailShare, stepShare] = [0.6, 0.5];

/** The steps since the last compaction: each one while there is room, and of the older ones what an earlier span keeps. */
function renderNewest(steps: readonly Step[], room: number, meter: Meter): string[] {
  const { cost } = meter;
  const last = steps.findLastIndex(({ kind }) => kind === "words");
  const render = (at: number, length: number) => {
    const step = steps[at] as Step;
    const isAnswer = at === last && step.isEnd;
    return step.render(isAnswer ? answerLength(room, step, cost) : length);
  };
  const newest = (most: number, lengthAt: (used: number) => number) => {
    const lines: string[] = [];
    let [used, at] = [0, steps.length];
    while (at > 0) {
      const line = render(at - 1, lengthAt(used));
      const more = cost(`${line}\n`);
      if (used + more > most) break;
      used += more;
      lines.unshift(line);
      at--;
    }
    return { lines, used, at };
  };
  const whole = newest(room, () => lengths.detail);
  if (whole.at === 0) return whole.lines;
  const both = (share: number) => {
    const { lines, at } = newest(share, (spent) =>
      spent < share * detailShare ? lengths.detail : lengths.short,
    );
    const older = renderEarlier(digestOf(steps.slice(0, at)), room - cost(lines.join("\n")), meter);
    return [...older, ...lines];
  };
  const lines = both(room * stepShare);
  // Older steps may have little to say: then more of the newest are shown.
  const left = room - cost(lines.join("\n"));
  return left < (room * (1 - stepShare)) / 4 ? lines : both(room * stepShare + left);
}

/** The last answer is shown nearly whole: it may take a third of the room. */
function answerLength(room: number, step: Step, cost: Meter["cost"]): number {
  let length = lengths.answer;
  while (length > lengths.detail && cost(step.render(length)) > room / 3) length = Math.floor(length * 0.7);
  return length;
}

/** More ends of turns would not fit, however short. */
const maxEnds = 100;

/** Older work: the ends of its turns, and other lines in what they leave, both from all over the span. */
function renderEarlier(lines: readonly HandoffLine[], room: number, { cost }: Meter): string[] {
  const ends = lines.filter(({ isEnd }) => isEnd).slice(-maxEnds);
  const others = lines.filter(({ isEnd }) => !isEnd);
  const costAt = (length: number) => (line: HandoffLine) => cost(`${cutLine(line.text, length)}\n`);
  const forEnds = others.length === 0 ? room : room * 0.7;
  const most = endLengths.find((length) => sumOf(ends.map(costAt(length))) <= forEnds) ?? shortestEnd;
  const keptEnds = spread(ends, forEnds, costAt(most));
  const length = Math.min(most, lengths.short);
  const keptOthers = spread(others, room - sumOf(keptEnds.map(costAt(most))), costAt(length));
  const kept = new Set([...keptEnds, ...keptOthers]);
  return lines.flatMap((line) => (kept.has(line) ? cutLine(line.text, line.isEnd ? most : length) : []));
}

/** As many lines as fit, evenly from the whole span. */
function spread(
  lines: readonly HandoffLine[],
  room: number,
  costOf: (line: HandoffLine) => number,
): HandoffLine[] {
  if (room <= 0) return [];
  const every = Math.ceil(sumOf(lines.map(costOf)) / room);
  let left = room;
  return lines.filter((line, at) => {
    if (at % every !== every - 1 || costOf(line) > left) return false;
    left -= costOf(line);
    return true;
  });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

/** Shorter words of the agent between two calls mostly announce the next call. */
const leastWords = 80;

/** The older steps that are kept: how turns ended, what the agent stated, what failed. The user's words are shown above. */
function digestOf(steps: readonly Step[]): HandoffLine[] {
  return steps.flatMap((step): HandoffLine[] => {
    if (step.kind === "user" || (step.kind === "call" && !step.failed)) return [];
    const text = step.render(step.isEnd ? lengths.end : lengths.short);
    if (step.kind === "words" && !step.isEnd && text.length < leastWords) return [];
    return [{ text, ...(step.isEnd ? { isEnd: true as const } : {}) }];
  });
}

/** Hosts may pass messages again that they kept: what those say is not said twice. */
function withoutRepeats(earlier: Handoff["done"], digest: readonly HandoffLine[]): Handoff["done"] {
  const known = new Set(digest.map(({ text }) => text));
  return earlier.map((lines, index) =>
    index < earlier.length - 1 ? lines : lines.filter(({ text }) => !known.has(text)),
  );
}

/** The lines of a span that later handoffs carry: the ends of its turns, and of the other lines some from all over it. */
function carried(lines: readonly HandoffLine[]): HandoffLine[] {
  if (lines.length <= maxCarried.lines) return [...lines];
  const ends = lines.filter(({ isEnd }) => isEnd).slice(-maxCarried.lines / 2);
  const others = lines.filter(({ isEnd }) => !isEnd);
  const every = Math.ceil(others.length / (maxCarried.lines - ends.length));
  const kept = new Set([...ends, ...others.filter((_, at) => at % every === every - 1)]);
  return lines.filter((line) => kept.has(line));
}

/** The room for a handoff. */
export interface HandoffRoom {
  tokens: number;
  /** Also at most this many bytes, for a host that limits what it shows. */
  bytes?: number | undefined;
  /** How the host changes the text before it counts. */
  escape?: ((text: string) => string) | undefined;
}

/** Assumed where the window is not known. */
const usualWindow = 200_000;
const [minTokens, maxTokens] = [600, 2_500];

/** Tokens for a handoff: 1.2 % of the window, at least 600 and at most 2,500. */
export function handoffTokens(contextWindow = usualWindow): number {
  return Math.round(Math.min(maxTokens, Math.max(minTokens, contextWindow * 0.012)));
}

/** Measures texts as shares of the room. */
export interface Meter {
  /** 1 fills the room. */
  cost(text: string): number;
  tokens: number;
  countTokens(text: string): number;
}

function meterOf(
  { tokens, bytes, escape: escaped = (text) => text }: HandoffRoom,
  countTokens: (text: string) => number,
): Meter {
  return {
    cost: (text) =>
      text === ""
        ? 0
        : Math.max(
            countTokens(text) / Math.max(1, tokens),
            bytes === undefined ? 0 : utf8Length(escaped(text)) / Math.max(1, bytes),
          ),
    // A token has about four bytes, in most scripts.
    tokens: Math.min(tokens, (bytes ?? Number.POSITIVE_INFINITY) / 4),
    countTokens,
  };
}

const encoder = new TextEncoder();

function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
