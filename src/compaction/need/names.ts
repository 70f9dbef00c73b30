import {
  BACKSLASH,
  COLON,
  DIGIT,
  DOT,
  HUMP,
  HYPHEN,
  kindOf,
  LETTER,
  LOWER,
  MARK,
  minLength,
  type NameKind,
  SLASH,
  UNDERSCORE,
  UPPER,
} from "./name-kinds.ts";

/** Longer ones are data. */
const maxLength = 200;

/** A run may have punctuation around the name. */
const maxRun = maxLength + 8;

/** The class of each character; 0 for one that separates. */
const classes = new Uint16Array(0x10000);
// Punctuation, arrows, boxes and symbols separate; letters of any script belong to a name.
classes.fill(LETTER, 0xc0, 0x2000).fill(LETTER, 0x2c00, 0x3000).fill(LETTER, 0x3040, 0xfe00);
for (let code = 97; code <= 122; code++) classes[code] = LOWER;
for (let code = 65; code <= 90; code++) classes[code] = UPPER;
for (let code = 48; code <= 57; code++) classes[code] = DIGIT;
for (const [character, kind] of [
  ["_", UNDERSCORE],
  ["/", SLASH],
  [".", DOT],
  ["-", HYPHEN],
  [":", COLON],
] as const)
  classes[character.charCodeAt(0)] = kind;
for (const character of "@~+#%") classes[character.charCodeAt(0)] = MARK;

const colon = 58;
const dot = 46;
const dollar = 36;
const slash = 47;
const openBracket = 91;
const closeBracket = 93;
const backslash = 92;

export interface Name {
  text: string;
  kind: NameKind;
}

/** A run of characters that was seen before, and the names in it. */
interface KnownRun {
  text: string;
  names: readonly Name[];
  /** Another run with the same hash. */
  next: KnownRun | undefined;
}

/** Runs by hash. Shared by several texts, it saves time: the names in each run are found once. */
export type KnownNames = Map<number, KnownRun>;

/** What `readRun` found out about a run. */
interface Scan {
  /** The classes of its characters. */
  seen: number;
  hash: number;
}

/** Letters of any script that belong to a name, as in `classes`. */
const letters = "A-Za-z\\u00c0-\\u1fff\\u2c00-\\u2fff\\u3040-\\ufdff";

/**
 * The beginning of a word with something unusual in it: a sign inside it, a digit, a hump, or four capitals. Plain words
 * are most of a text, and a pattern skips them faster than code, above all in a process that has just started.
 */
const unusualWord = new RegExp(
  `(?<![${letters}])(?=[${letters}]*(?:[\\d_@~+#%]|[/.:-](?=[\\w/.:@~+#%\\\\\\[${letters}-])|[a-z][A-Z])|[A-Z]{4})`,
  "g",
);

/**
 * Finds the names in a text: paths, symbols, flags, addresses, ids, versions, error codes, long numbers. Plain words are
 * no names. One pass over the characters, so the time is linear in any text.
 */
export function scanNames(text: string, visit: (name: Name) => void, known: KnownNames = new Map()): void {
  const scan: Scan = { seen: 0, hash: 0 };
  for (let from = 0; from < text.length; ) {
    unusualWord.lastIndex = from;
    if (!unusualWord.test(text)) return;
    const found = unusualWord.lastIndex;
    // In source and JSON, "\n" in a string is no letter of the next word.
    const isEscaped =
      found > 0 && text.charCodeAt(found - 1) === backslash && isEscape(text.charCodeAt(found));
    // But in docs\notes.md it is.
    const isDoubtful = isEscaped && found > 1 && classOf(text.charCodeAt(found - 2)) !== 0;
    const at = isEscaped ? found + 1 : found;
    const end = readRun(text, at, scan);
    if (end - at >= minLength && end - at <= maxRun && isUnusual(scan.seen, end - at)) {
      const names = lookUp(known, text, begin(text, at), end, scan);
      // Most runs have one name or none, and an iterator for each costs more than the visits.
      for (let index = 0; index < names.length; index++) {
        const name = names[index];
        if (name && !(isDoubtful && isPath(name))) visit(name);
      }
    }
    from = Math.max(end, at + 1);
  }
}

function isPath({ kind }: Name): boolean {
  return kind === "path" || kind === "file";
}

function lookUp(known: KnownNames, text: string, start: number, end: number, scan: Scan): readonly Name[] {
  const first = known.get(scan.hash);
  for (let run = first; run; run = run.next)
    if (run.text.length === end - start && text.startsWith(run.text, start)) return run.names;
  const run = text.slice(start, end);
  const names = classify(run, scan.seen);
  known.set(scan.hash, { text: run, names, next: first });
  return names;
}

/** Where the name in a run begins, given the character before: `x).map` is no file, `</div>` no path, `$HOME/a` a path. */
function begin(text: string, start: number): number {
  if (start === 0) return start;
  const first = text.charCodeAt(start);
  const before = text.charCodeAt(start - 1);
  if (before === dollar) return start - 1;
  const isContinuation = before === 41 || before === 93 || before === 125 || before === 62 || before === 42;
  if ((first === dot || first === slash) && isContinuation) return start + 1;
  return first === slash && before === 60 ? start + 1 : start;
}

/** Kinds that ordinary words have as well: they count as names only if a call was about them. */
const wordlike: ReadonlySet<NameKind> = new Set(["kebab", "pair", "mixed"]);

export function isWordlike(kind: NameKind): boolean {
  return wordlike.has(kind);
}

/** The names in a text, each once, in the order of their first use. */
export function namesIn(text: string): Name[] {
  const names = new Map<string, Name>();
  scanNames(text, (name) => names.set(name.text, name));
  return [...names.values()];
}

/** Reads one run of characters that may be in a name; returns where it ends. */
function readRun(text: string, start: number, scan: Scan): number {
  let seen = 0;
  let last = 0;
  let hash = 0;
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    let kind = classOf(code);
    if (kind === 0 || (kind === COLON && !joins(text, start, at))) {
      const bracket = code === openBracket ? bracketEnd(text, start, at) : 0;
      if (bracket > 0) {
        at = bracket;
        seen |= SLASH | MARK;
        continue;
      }
      if (code === backslash && isWindowsSeparator(text, start, at, seen)) kind = BACKSLASH;
      else if ((seen & COLON) === 0 || (seen & SLASH) === 0 || !isQuery(code)) break;
    }
    if (kind === UPPER && (last === LOWER || last === DIGIT)) seen |= HUMP;
    hash = (Math.imul(hash, 31) + code) | 0;
    seen |= kind;
    last = kind;
  }
  scan.seen = seen;
  scan.hash = hash;
  return at;
}

/** The end of a part in brackets, as in `app/[id]/page.tsx`; 0 if this is none. */
function bracketEnd(text: string, start: number, at: number): number {
  if (at === start || text.charCodeAt(at - 1) !== slash) return 0;
  for (let end = at + 1; end < at + 40; end++) {
    const code = text.charCodeAt(end);
    if (code === closeBracket) return end;
    if (classOf(code) === 0 || code === slash) return 0;
  }
  return 0;
}

/** `?`, `=` and `&`: inside an address only. */
function isQuery(code: number): boolean {
  return code === 63 || code === 61 || code === 38;
}

function classOf(code: number): number {
  return classes[code] ?? 0;
}

/** Whether a word of these characters can be a name at all. */
function isUnusual(seen: number, length: number): boolean {
  if ((seen & (UNDERSCORE | SLASH | DOT | HYPHEN | HUMP | MARK | COLON | BACKSLASH)) !== 0) return true;
  if ((seen & DIGIT) !== 0) return true;
  return seen === UPPER && length >= minLength;
}

/** Whether a colon is inside a name: `http://`, `std::vector`, `host:8080`; not `file.ts:12` or `key: value`. */
function joins(text: string, start: number, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (next === colon || text.charCodeAt(at - 1) === colon) return at > start;
  if (next === slash) return text.charCodeAt(at + 2) === slash;
  if (next === backslash) return at === start + 1;
  // A port, of an address or of a host's name.
  return classOf(next) === DIGIT && isHost(text, start, at) && classOf(text.charCodeAt(at + 4)) === DIGIT;
}

function isHost(text: string, start: number, at: number): boolean {
  const before = text.slice(Math.max(start, at - 60), at);
  return /^\d+(?:\.\d+){3}$|^localhost$|:\/\/[\w.-]+$/.test(before);
}

function isWindowsSeparator(text: string, start: number, at: number, seen: number): boolean {
  if ((seen & COLON) === 0 || text.charCodeAt(start + 1) !== colon) return false;
  return classOf(text.charCodeAt(at + 1)) !== 0 || text.charCodeAt(at + 1) === backslash;
}

/** n, r, t after a backslash: an escape, as are the quotes and the backslash itself. */
function isEscape(code: number): boolean {
  return code === 110 || code === 114 || code === 116;
}

/** Without the punctuation of the sentence around it, and without "./". */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (to > from && isEdge(text.charCodeAt(to - 1))) to--;
  while (from < to && isLeading(text, from, to)) from += isHere(text, from) ? 2 : 1;
  return text.slice(from, to);
}

function isHere(text: string, from: number): boolean {
  return text.charCodeAt(from) === dot && text.charCodeAt(from + 1) === slash;
}

/** `. , : ; - / + # % @ ~` at the end. */
function isEdge(code: number): boolean {
  const kind = classOf(code);
  return (
    kind === DOT || kind === HYPHEN || kind === COLON || kind === MARK || kind === SLASH || kind === BACKSLASH
  );
}

/** What does not begin a name: all but `/`, `~/`, `../`, `.name`, `--flag`, `@scope`, `#12`. */
function isLeading(text: string, from: number, to: number): boolean {
  const code = text.charCodeAt(from);
  const next = from + 1 < to ? text.charCodeAt(from + 1) : 0;
  switch (classOf(code)) {
    case COLON:
      return true;
    case SLASH:
      return next === slash;
    case HYPHEN:
      return next !== code;
    case DOT:
      return next === slash || (next === code ? text.charCodeAt(from + 2) !== slash : classOf(next) === 0);
    case MARK:
      return !(code === 64 || code === 35 || (code === 126 && next === slash));
    default:
      return false;
  }
}

function classify(run: string, seen: number): readonly Name[] {
  // Logs and tables have many, and nothing else has to be looked at.
  if (seen === DIGIT && run.charCodeAt(0) !== dollar && run.length <= maxLength)
    return [{ text: run, kind: "number" }];
  const text = trimmed(run);
  if (text.length < minLength || text.length > maxLength) return none;
  const kind = kindOf(text, seen);
  if (kind === undefined) return none;
  return [{ text, kind }, ...(kind === "dotted" || kind === "kebab" ? symbolsIn(text) : [])];
}

const none: readonly Name[] = [];

/** The symbols in `this.list.addItem` and `Get-NetAdapter`, which are used without the rest as well. */
function symbolsIn(name: string): Name[] {
  return name
    .split(/[.@+-]/)
    .filter((part) => part.length >= minLength && part !== name && /[a-z\d][A-Z]|\w_\w/.test(part))
    .map((text) => ({ text, kind: "symbol" }));
}
