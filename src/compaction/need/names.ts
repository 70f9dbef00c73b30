/** What a name is, as far as its spelling tells. A pair is two words with a slash between them. */
export const nameKinds = [
  "path",
  "pair",
  "file",
  "url",
  "symbol",
  "dotted",
  "flag",
  "hash",
  "version",
  "number",
  "code",
  "kebab",
  "mixed",
] as const;

export type NameKind = (typeof nameKinds)[number];

export function isKind(kind: string): kind is NameKind {
  return nameKinds.some((known) => known === kind);
}

/** Shorter ones say nothing alone; longer ones are data. */
const minLength = 4;
const maxLength = 200;

/** A run may have punctuation around the name. */
const maxRun = maxLength + 8;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const UNDERSCORE = 8;
const SLASH = 16;
const DOT = 32;
const HYPHEN = 64;
/** `@`, `~`, `+`, `#` and `%`: part of a name, and no evidence of one. */
const MARK = 128;
/** A letter outside ASCII. */
const LETTER = 256;
const COLON = 512;
const BACKSLASH = 1_024;
/** A capital after a lower-case letter or a digit, as in `getName`. */
const HUMP = 2_048;

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
      for (const name of names) if (!isDoubtful || !isPath(name)) visit(name);
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

function kindOf(name: string, seen: number): NameKind | undefined {
  if (name.startsWith("--")) return /^--[A-Za-z][\w.-]+$/.test(name) ? "flag" : undefined;
  if (name.startsWith("-")) return undefined;
  if (name.startsWith("$")) return name.includes("/") ? "path" : wordKind(name.slice(1), seen);
  if ((seen & COLON) !== 0 && name.includes("://")) return "url";
  if ((seen & BACKSLASH) !== 0) return spacedFolder.test(name) ? undefined : "path";
  if ((seen & SLASH) !== 0 && name.includes("/")) return pathKind(name);
  if ((seen & COLON) !== 0 && name.includes(":")) return name.includes("::") ? "symbol" : "url";
  if ((seen & DOT) !== 0 && name.includes(".")) return dottedKind(name);
  return wordKind(name, seen);
}

/** Known endings of files; another ending after a dot may as well be a property. */
const fileEnding =
  /\.(?:[cm]?[jt]sx?|d\.ts|py[ciw]?|ipynb|go|rs|java|kts?|rb|php|cc?|cpp|cxx|hh?|hpp|cs|swift|scala|ex|exs|erl|hs|lua|pl|r|jl|dart|zig|sql|sh|bash|zsh|fish|ps1|bat|md|mdx|rst|txt|json[5lc]?|ya?ml|toml|ini|cfg|conf|config|env|lock|csv|tsv|xml|html?|s?css|less|svg|png|jpe?g|gif|webp|ico|pdf|docx?|xlsx?|pptx?|zip|gz|tgz|tar|bz2|xz|log|out|bak|tmp|db|sqlite3?|proto|graphql|vue|svelte|astro|tf|nix|mk|cmake|gradle|properties|service|timer|socket|desktop|patch|diff|pem|key|crt|pub|asc|wasm|so|exe|dll|plist|map|snap|test|spec)$/i;

const rootFolder =
  /^(?:app|apps|bin|boot|builds?|code|data|dev|etc|home|lib|lib64|media|mnt|nix|opt|private|proc|repo|root|run|sbin|snap|src|srv|sys|tmp|usr|Users|var|Volumes|work|workdir|workspaces?)$/;

/** The beginning of a folder whose name goes on after a space: `C:\Program Files`, `~/Library/Application Support`. */
const spacedFolder = /(?:^[A-Za-z]:?[\\/]+Program|^\/[a-z]\/Program|\/Library\/Application)$/;

/** A part of a key in base64, which may contain slashes. */
function isRandom(part: string): boolean {
  return part.length >= 24 && /[a-z]\d[A-Z]|\d[a-z][A-Z]|[A-Z]\d[a-z]/.test(part) && !/[._-]/.test(part);
}

/** A path, or two words with a slash between them, which may be a path, a branch, or "and/or". */
function pathKind(name: string): NameKind | undefined {
  const parts = name.split("/");
  const [first = "", second = ""] = parts;
  if (name.includes("//") || parts.some(isRandom) || spacedFolder.test(name)) return undefined;
  // Patterns and replacements, as in s/old/new/.
  if (parts.length <= 4 && /^[smy]$/.test(first) && !fileEnding.test(name)) return undefined;
  // A date, or a score such as 45/100.
  if (parts.every((part) => /^[\d.]*$/.test(part))) return name.length > minLength ? "number" : undefined;
  // A Windows flag, a slash command or a route, unless it is one of the usual folders.
  if (first === "" && parts.length === 2 && !fileEnding.test(name) && !rootFolder.test(second)) return "pair";
  if (first === "" || first === "~" || first === ".." || first.startsWith("@")) return "path";
  if (fileEnding.test(name)) return parts.length > 2 || first.length > 1 ? "path" : undefined;
  // Three words and more may be folders, or alternatives as in start/stop/restart.
  if (parts.length > 2) {
    if (!parts.every((part) => /^[A-Za-z]*$/.test(part))) return "path";
    return parts.every((part) => /^[A-Z]/.test(part)) ? "symbol" : "pair";
  }
  return first.length > 1 && second.length > 1 ? "pair" : undefined;
}

function dottedKind(name: string): NameKind | undefined {
  if (/^v?\d+(?:\.\d+)+(?:[-+][\w.-]+)?$/.test(name)) {
    const dots = name.split(".").length - 1;
    return dots >= 2 || name.startsWith("v") ? "version" : undefined;
  }
  if (/^\d/.test(name) && /^[\d.]+[a-z%]{0,3}$/i.test(name)) return undefined;
  // An ending alone, as in "all .exe files"; a framework.
  if (/^\.(?!env$|conf$|lock$)[a-z]{1,4}$/.test(name) && fileEnding.test(name)) return undefined;
  if (/^(?:Node|Vue|Next|Nuxt|Express|Three|React)\.js$/.test(name)) return undefined;
  if (fileEnding.test(name)) return "file";
  if (/^\.(?:\d+|com|org|net|edu|gov|io|dev|app)$/.test(name)) return undefined;
  if (name.startsWith(".")) return dotFile.test(name) ? "file" : "dotted";
  if (name.includes("..")) return undefined;
  return name.includes("@") ? "url" : "dotted";
}

/** Files and folders that begin with a dot; `.vertical` is a value in source code. */
const dotFile =
  /^\.(?:env|git|claude|cursor|codex|vscode|idea|ssh|aws|kube|docker|npm|nvm|yarn|node|editorconfig|prettier|eslint|babel|bash|zsh|profile|config|cache|local|venv|virtualenv|tox|nox|coverage|pytest|mypy|ruff|python|DS_Store|husky|changeset|turbo|next|nuxt|output|vercel|netlify|terraform|tmux|vim|htaccess|holdfast|gradle|cargo|bundle|ruby|tool-versions|secrets|credentials)/i;

/** 864K, 11Gi, 718KB, 320MHz, 58AM. */
const size = /^\d+(?:[KMGTP]i?B?|[kMG]?Hz|AM|PM)$/;

/** Errors of the system, signals, and Node's own. */
const errorCode =
  /^(?:E(?:ACCES|ADDRINUSE|ADDRNOTAVAIL|AGAIN|BADF|BUSY|CHILD|CONNABORTED|CONNREFUSED|CONNRESET|DEADLK|EXIST|FAULT|FBIG|HOSTUNREACH|INTR|INVAL|IO|ISDIR|LOOP|MFILE|MSGSIZE|NAMETOOLONG|NETUNREACH|NFILE|NOENT|NOEXEC|NOLOCK|NOMEM|NOSPC|NOSYS|NOTCONN|NOTDIR|NOTEMPTY|NOTFOUND|NOTSUP|PERM|PIPE|PROTO|RANGE|RESOLVE|ROFS|SRCH|TIMEDOUT|TIMEOUT|XDEV|INTEGRITY|TARGET|USAGE|OTP)|ERR[A-Z]+|SIG[A-Z]+)$/;

/** A provider's id of a call or a message: nobody uses it again. */
const callId = /^(?:toolu|call|msg|req|resp|chatcmpl)_(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}$/;

function wordKind(name: string, seen: number): NameKind | undefined {
  const hasLetters = (seen & (LOWER | UPPER | LETTER)) !== 0;
  if (name.startsWith("#")) return /^#\d+$/.test(name) ? "code" : undefined;
  if (!hasLetters) return /^\d{4,}$/.test(name) ? "number" : dateKind(name);
  if ((seen & DIGIT) !== 0 && size.test(name)) return undefined;
  if ((seen & DIGIT) !== 0 && /^(?:0x)?[0-9a-f]{7,64}$/i.test(name)) return "hash";
  if ((seen & DIGIT) !== 0 && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)) return "hash";
  if (/^[A-Z](?:[A-Z0-9]*-\d+|[A-Z0-9]*\d{2})$/.test(name)) return "code";
  if ((seen & UNDERSCORE) !== 0 && callId.test(name)) return undefined;
  if ((seen & UNDERSCORE) !== 0) return /[A-Za-z\d]_|_[A-Za-z\d]/.test(name) ? "symbol" : undefined;
  if ((seen & HYPHEN) !== 0 && name.includes("-")) return /^[\w@+-]+$/.test(name) ? "kebab" : undefined;
  if ((seen & HUMP) !== 0) return "symbol";
  if ((seen & MARK) !== 0) return undefined;
  if (seen === UPPER) return errorCode.test(name) ? "code" : undefined;
  return (seen & DIGIT) !== 0 && (seen & (LOWER | UPPER)) !== 0 ? "mixed" : undefined;
}

/** Dates and other groups of digits. */
function dateKind(name: string): NameKind | undefined {
  return /^\d{4}-\d{2}-\d{2}$|^[\d-]{8,}$/.test(name) ? "number" : undefined;
}
