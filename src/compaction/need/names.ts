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
  ["\\", BACKSLASH],
] as const)
  classes[character.charCodeAt(0)] = kind;
for (const character of "@~+#%") classes[character.charCodeAt(0)] = MARK;

const dot = 46;
const slash = 47;
const backslash = 92;

export interface Name {
  text: string;
  kind: NameKind;
}

/** Letters of any script that belong to a name, as in `classes`, and all characters of one but the colon. */
const letters = "A-Za-z\\u00c0-\\u1fff\\u2c00-\\u2fff\\u3040-\\ufdff";
const inside = `-${letters}\\d_/.@~+#%`;

/**
 * Where a run may begin: behind an escape such as "\n" in source and JSON, which is no letter of the next word. In
 * docs\notes.md it is, so there the escape stays with the run, as a sign of doubt. `x).map` is no file, `</div>` no path,
 * `$HOME/a` a path.
 */
const beginning = [
  "\\$",
  `(?<=[${inside}:])\\\\[nrt]`,
  `(?<=(?<![${inside}:])\\\\[nrt])`,
  `(?<![${letters}])(?<!\\\\(?=[nrt]))(?!(?<=[)\\]}>*])[./]|(?<=<)/)`,
].join("|");

/** Plain words are most of a text: only a word with a sign inside it, a digit, a hump or four capitals may be a name. */
const unusual = `(?=[${letters}]*(?:[\\d_@~+#%]|[/.:-](?=[${inside}:\\\\\\[])|[a-z][A-Z])|[A-Z]{4})`;

/** More repetitions than a name has room for; an unlimited number would overflow the stack in a long text. */
const some = `{0,${maxRun / 2}}`;

/** A colon or a backslash belongs to a run only in an address with its port, on a Windows drive, and in `std::vector`. */
const start = [
  `(?:localhost|\\d+(?:\\.\\d+){3}):(?=\\d{4})[${inside}]+`,
  `[A-Za-z]:(?=\\\\)(?:\\\\(?=[${inside}\\\\])[${inside}]*)${some}`,
  `[${inside}]+`,
].join("|");

/** `app/[id]/page.tsx` is one path. */
const bracketed = `(?<=/)\\[[${inside.replace("/", "")}:]{0,38}\\]`;
const inAddress = `[${inside}?=&]*`;
const more = [
  "::+",
  `://(?:[\\w.-]+:(?=\\d{4}))?${inAddress}(?:${bracketed}${inAddress})${some}`,
  bracketed,
].join("|");

/**
 * Runs of characters that may be names. One pattern finds all runs of a text at once: in a process that has just started,
 * that takes a fraction of the time of reading it character by character.
 */
const runs = new RegExp(`(?:${beginning})${unusual}(?:${start})(?:(?:${more})[${inside}]*)${some}`, "g");

const none: readonly never[] = [];

/** The parts of a text that may be names, or have names in them, in order. Takes linear time in any text. */
export function runsIn(text: string): readonly string[] {
  return text.match(runs) ?? none;
}

/** The names in a run: paths, symbols, flags, addresses, ids, versions, error codes, long numbers. Most have one or none. */
export function namesInRun(run: string): readonly Name[] {
  if (run.length < minLength || run.length > maxRun) return none;
  if (run.charCodeAt(0) !== backslash) return classify(run);
  return classify(run.slice(2)).filter(({ kind }) => kind !== "path" && kind !== "file");
}

/** Kinds that ordinary words have as well: they count as names only if a call was about them. */
const wordlike: ReadonlySet<NameKind> = new Set(["kebab", "pair", "mixed"]);

export function isWordlike(kind: NameKind): boolean {
  return wordlike.has(kind);
}

/** The names in a text, each once, in the order of their first use. */
export function namesIn(text: string): Name[] {
  const names = new Map<string, Name>();
  for (const run of runsIn(text)) for (const name of namesInRun(run)) names.set(name.text, name);
  return [...names.values()];
}

/** The classes of the characters of a run. */
function classesIn(run: string): number {
  let seen = 0;
  let last = 0;
  for (let at = 0; at < run.length; at++) {
    const kind = classOf(run.charCodeAt(at));
    if (kind === UPPER && (last === LOWER || last === DIGIT)) seen |= HUMP;
    seen |= kind;
    last = kind;
  }
  return seen;
}

function classOf(code: number): number {
  return classes[code] ?? 0;
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

function classify(run: string): readonly Name[] {
  const seen = classesIn(run);
  // Logs and tables have many, and nothing else has to be looked at.
  if (seen === DIGIT && run.length >= minLength && run.length <= maxLength && onlyDigits.test(run))
    return [{ text: run, kind: "number" }];
  const text = trimmed(run);
  if (text.length < minLength || text.length > maxLength) return none;
  const kind = kindOf(text, seen);
  if (kind === undefined) return none;
  return [{ text, kind }, ...(kind === "dotted" || kind === "kebab" ? symbolsIn(text) : [])];
}

const onlyDigits = /^\d+$/;

/** The symbols in `this.list.addItem` and `Get-NetAdapter`, which are used without the rest as well. */
function symbolsIn(name: string): Name[] {
  return name
    .split(/[.@+-]/)
    .filter((part) => part.length >= minLength && part !== name && /[a-z\d][A-Z]|\w_\w/.test(part))
    .map((text) => ({ text, kind: "symbol" }));
}
