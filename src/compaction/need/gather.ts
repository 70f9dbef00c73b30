import { plainTextOf, type StoredMessage, spokenText, textsIn } from "../../context/conversation.ts";
import type { NameFact } from "../../engine/records.ts";
import { callsIn, type MadeCall } from "../facts/calls.ts";
import { isKind } from "./name-kinds.ts";
import { type Name, namesInRun, runsIn } from "./names.ts";

/** Where and when a name was seen in a span of messages. Time is counted in tool calls. */
export interface Sighting extends Name {
  /** Calls that name it: as a target (a path, a command, a pattern), or in a text that they write. */
  targets: number;
  written: number;
  /** Messages that name it, by speaker. */
  said: number;
  asked: number;
  results: number;
  /** The time of the first and the last sighting, and of the last call; -1 if no call names it. */
  first: number;
  last: number;
  lastCall: number;
  /** The number of the last message that shows it; 0 if unknown. */
  seenIn: number;
  /** The file that it was written to or read from; "" if unknown. */
  home: string;
  /** The message that counted it last, so that each message counts once. */
  counted: number;
}

/** The names of a conversation up to now, and how many tool calls it had. */
export interface Sightings {
  names: ReadonlyMap<string, Sighting>;
  calls: number;
}

type Role = "targets" | "written" | "said" | "asked" | "results";

/** Of a longer text, only the ends are searched: nobody refers to the middle of a log. */
const longText = 24_000;
const maxText: Record<Role, number> = {
  targets: longText,
  written: longText,
  said: longText,
  asked: longText,
  results: longText,
};

/** Of messages before the newest, less is searched, above all of results: what is still needed of those was mentioned since. */
const newestMessages = 300;
const maxOldText: Record<Role, number> = {
  targets: longText,
  written: 6_000,
  said: 6_000,
  asked: 6_000,
  results: 400,
};

/** Of the oldest, only what the user asked and what calls were about. */
const newerMessages = 1_000;
const maxOldestText: Record<Role, number> = {
  targets: 300,
  written: 0,
  said: 0,
  asked: 3_000,
  results: 0,
};

const noCalls: readonly MadeCall[] = [];

/** Finds the names of a span and counts where each was seen; `earlier` are those of the epochs before it. */
export function gatherSightings(messages: readonly StoredMessage[], earlier?: Sightings): Sightings {
  const gathering = new Gathering(earlier);
  const calls = callsIn(messages);
  let first = 0;
  let age = messages.length + 1;
  for (const stored of messages) {
    age--;
    const max = age > newerMessages ? maxOldestText : age > newestMessages ? maxOldText : maxText;
    let next = first;
    while (calls[next]?.message === stored.number) next++;
    if (!stored.aside) gathering.add(stored, next > first ? calls.slice(first, next) : noCalls, max);
    first = next;
  }
  return gathering;
}

class Gathering implements Sightings {
  readonly names: Map<string, Sighting>;
  /** The names in each run that was seen before. */
  readonly #runs = new Map<string, readonly Sighting[]>();
  calls: number;
  #message = 0;
  #number = 0;
  /** How much of a long text is searched. */
  #max = maxText;
  /** The file of a call, by the call's id, and the file of the text that is being searched. */
  readonly #paths = new Map<string, string>();
  #home = "";

  constructor(earlier: Sightings = { names: new Map(), calls: 0 }) {
    this.names = new Map(
      [...earlier.names.values()].map((sighting) => [sighting.text, { ...sighting, counted: -1 }]),
    );
    this.calls = earlier.calls;
  }

  add(stored: StoredMessage, calls: readonly MadeCall[], max: Record<Role, number>): void {
    const { message } = stored;
    this.#max = max;
    this.#message++;
    this.#number = stored.number;
    if (message.role === "user") this.#scan(spokenText(message), "asked");
    else if (message.role === "tool") this.#addResult(message);
    else if (message.role === "assistant") {
      if (max.said > 0) this.#scan(spokenText(message), "said");
      for (const call of calls) this.#addCall(call);
    }
  }

  #addCall({ id, input, paths }: MadeCall): void {
    this.calls++;
    const { target, content } = splitInput(input, this.#max.written > 0);
    const [only] = paths.length === 1 ? paths : [];
    if (only !== undefined) this.#paths.set(id, only);
    // A name counts once per call, as a target if it is one.
    this.#message++;
    this.#scan(target, "targets");
    this.#home = only ?? "";
    this.#scan(content, "written");
    this.#home = "";
  }

  #addResult(message: StoredMessage["message"]): void {
    if (this.#max.results === 0) return;
    this.#home = this.#paths.get(firstCallOf(message)) ?? "";
    this.#scan(plainTextOf(message), "results");
    this.#home = "";
  }

  #scan(text: string, role: Role): void {
    const max = this.#max[role];
    if (text === "" || max === 0) return;
    if (text.length <= max) this.#countAll(text, role);
    else for (const end of endsOf(text, max)) this.#countAll(end, role);
  }

  #countAll(text: string, role: Role): void {
    const runs = runsIn(withoutColours(text));
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index] ?? "";
      const names = this.#runs.get(run) ?? this.#learn(run);
      for (let each = 0; each < names.length; each++) {
        const sighting = names[each];
        if (sighting) this.#count(sighting, role);
      }
    }
  }

  #learn(run: string): readonly Sighting[] {
    const names = namesInRun(run).map((name) => this.names.get(name.text) ?? this.#add(name));
    this.#runs.set(run, names);
    return names;
  }

  #add({ text, kind }: Name): Sighting {
    const sighting = newSighting(text, kind, this.calls);
    this.names.set(text, sighting);
    return sighting;
  }

  #count(sighting: Sighting, role: Role): void {
    if (this.#home !== "" && (role === "written" || sighting.home === "")) sighting.home = this.#home;
    if (sighting.counted === this.#message) return;
    sighting.counted = this.#message;
    increment(sighting, role);
    sighting.last = this.calls;
    sighting.seenIn = this.#number;
    if (role === "targets" || role === "written") sighting.lastCall = this.calls;
  }
}

/** A field that is chosen while the code runs is slow to write. */
function increment(sighting: Sighting, role: Role): void {
  if (role === "results") sighting.results++;
  else if (role === "written") sighting.written++;
  else if (role === "targets") sighting.targets++;
  else if (role === "said") sighting.said++;
  else sighting.asked++;
}

/** The id of the call whose result comes first. */
function firstCallOf({ content }: StoredMessage["message"]): string {
  for (const part of content)
    if (typeof part !== "string" && part.type === "tool-result") return part.toolCallId;
  return "";
}

/** The two ends of a long text, each without the word that the cut goes through. */
function endsOf(text: string, max: number): string[] {
  let start = max / 2;
  while (start > 0 && !isSpace.test(text.charAt(start))) start--;
  const end = text.slice(-max / 2);
  return [text.slice(0, start), end.slice(end.search(isSpace) + 1)];
}

const isSpace = /\s/;

/** Colours of a terminal: in `[31msrc/cart.ts` the name begins behind the m. */
const colours = /\[\d{1,3}(?:;\d{1,3})*m/g;

/** Most texts have none, and looking for the usual ones is faster than the pattern. */
function withoutColours(text: string): string {
  const isColoured = text.includes("[0m") || text.includes("[3") || text.includes("[1m");
  return isColoured ? text.replaceAll(colours, " ") : text;
}

function newSighting(text: string, kind: Name["kind"], now: number): Sighting {
  return {
    text,
    kind,
    targets: 0,
    written: 0,
    said: 0,
    asked: 0,
    results: 0,
    first: now,
    last: now,
    lastCall: -1,
    seenIn: 0,
    home: "",
    counted: -1,
  };
}

/** Counts and times, in the order in which a checkpoint stores them. */
const stored = ["targets", "written", "said", "asked", "results", "first", "last", "lastCall"] as const;

export function toNameFact(sighting: Sighting): NameFact {
  const { text, kind, home } = sighting;
  return { text, kind, home, counts: stored.map((field) => sighting[field]) };
}

export function fromNameFact({ text, kind, home, counts }: NameFact): Sighting {
  const sighting = { ...newSighting(text, isKind(kind) ? kind : "mixed", 0), home };
  for (const [index, field] of stored.entries()) sighting[field] = counts[index] ?? 0;
  return sighting;
}

/** The fields of a call that hold a text to write, rather than what the call is about; without case and underscores. */
const contentFields = new Set(
  "content contents newstring oldstring newtext oldtext newstr oldstr filetext inserttext patch diff code source newsource body prompt edits todos text".split(
    " ",
  ),
);

/** Calls have few different fields. */
const knownFields = new Map<string, boolean>();

function isContentField(field: string): boolean {
  const known = knownFields.get(field);
  if (known !== undefined) return known;
  const isContent = contentFields.has(field.replaceAll("_", "").toLowerCase());
  // A server may make up any number of names.
  if (knownFields.size < 1_000) knownFields.set(field, isContent);
  return isContent;
}

/** What a call is about, and the text that it writes, if that is asked for. */
function splitInput(input: unknown, withContent: boolean): { target: string; content: string } {
  if (typeof input === "string") return { target: "", content: input };
  if (typeof input !== "object" || input === null) return { target: "", content: "" };
  let target: string | undefined;
  let content: string | undefined;
  for (const field of Object.keys(input)) {
    const isContent = isContentField(field);
    if (isContent && !withContent) continue;
    const value: unknown = Reflect.get(input, field);
    const text = typeof value === "string" ? value : textsIn(value).join("\n");
    if (isContent) content = withLine(content, text);
    else {
      // A command may carry a whole file behind its first lines.
      const end = (text.includes("<<") ? /<<-?\s*['"]?\w+/.exec(text)?.index : undefined) ?? text.length;
      const lineEnd = end === text.length ? end : Math.max(end, text.indexOf("\n", end));
      target = withLine(target, lineEnd === text.length ? text : text.slice(0, lineEnd));
      if (withContent && lineEnd < text.length) content = withLine(content, text.slice(lineEnd));
    }
  }
  return { target: target ?? "", content: content ?? "" };
}

function withLine(lines: string | undefined, line: string): string {
  return lines === undefined ? line : `${lines}\n${line}`;
}
