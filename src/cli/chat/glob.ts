import { HoldfastError } from "../../errors.ts";

/** Longer globs and more alternatives are refused, so that matching takes a bounded time per path. */
const maxLength = 500;
const maxAlternatives = 64;

/**
 * Tests paths against a glob with `*`, `?`, `[a-z]`, `{a,b}` and `**`. A glob without a slash matches file names in
 * any directory. Node's `matchesGlob` prints a warning in Node 22.13, and tries all combinations of stars.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  if (glob.length > maxLength) {
    throw new HoldfastError(
      "invalid_input",
      `This glob has ${glob.length} characters; at most ${maxLength} are allowed. Use a shorter one, such as "src/**/*.ts".`,
    );
  }
  const whole = glob.startsWith("./") ? glob.slice(2) : glob;
  const patterns = expandBraces(whole).map((each) => each.split("/").map(parseSegment));
  const byName = !glob.includes("/");
  return (path) => {
    const segments = path.split("/");
    const tested = byName ? segments.slice(-1) : segments;
    return patterns.some((pattern) => matchSequence(pattern, tested, isAnySegments, matchSegment));
  };
}

/** One character of a segment's pattern: a literal, any character, any number of them, or one of a set. */
type Token =
  | { kind: "literal"; text: string }
  | { kind: "one" | "any" }
  | { kind: "set"; has: CharacterTest };
type CharacterTest = (character: string) => boolean;

function isAnySegments(tokens: readonly Token[]): boolean {
  return tokens.length === 2 && tokens.every(({ kind }) => kind === "any");
}

function matchSegment(tokens: readonly Token[], segment: string): boolean {
  // As in a shell, only a literal dot matches the dot of a hidden file.
  const [first] = tokens;
  if (segment.startsWith(".") && !(first?.kind === "literal" && first.text === ".")) return false;
  return matchSequence(tokens, [...segment], ({ kind }) => kind === "any", matchCharacter);
}

function matchCharacter(token: Token, character: string): boolean {
  if (token.kind === "literal") return token.text === character;
  return token.kind === "one" || (token.kind === "set" && token.has(character));
}

/** Matches items against a pattern with stars. Only the last star is ever extended, so nothing is tried twice. */
function matchSequence<P, I>(
  pattern: readonly P[],
  items: readonly I[],
  isStar: (part: P) => boolean,
  matches: (part: P, item: I) => boolean,
): boolean {
  let [part, item, star, resume] = [0, 0, -1, 0];
  while (item < items.length) {
    const current = pattern[part];
    if (current !== undefined && isStar(current)) {
      [star, resume] = [part++, item];
    } else if (current !== undefined && matches(current, items[item] as I)) {
      part++;
      item++;
    } else if (star >= 0) {
      part = star + 1;
      item = ++resume;
    } else return false;
  }
  return pattern.slice(part).every(isStar);
}

function parseSegment(segment: string): Token[] {
  const tokens: Token[] = [];
  const characters = [...segment];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? "";
    const close = character === "[" ? characters.indexOf("]", at + 2) : -1;
    if (character === "*") tokens.push({ kind: "any" });
    else if (character === "?") tokens.push({ kind: "one" });
    else if (character === "\\" && at + 1 < characters.length)
      tokens.push({ kind: "literal", text: characters[++at] ?? "" });
    else if (close !== -1) {
      tokens.push({ kind: "set", has: parseSet(characters.slice(at + 1, close)) });
      at = close;
    } else tokens.push({ kind: "literal", text: character });
  }
  return tokens;
}

function parseSet(characters: readonly string[]): CharacterTest {
  const negated = characters[0] === "!" || characters[0] === "^";
  const members = negated ? characters.slice(1) : characters;
  const ranges: [from: string, to: string][] = [];
  for (let at = 0; at < members.length; at++) {
    const [from = "", dash, to] = members.slice(at, at + 3);
    if (dash === "-" && to !== undefined) {
      ranges.push([from, to]);
      at += 2;
    } else ranges.push([from, from]);
  }
  return (character) => ranges.some(([from, to]) => character >= from && character <= to) !== negated;
}

/** `a{b,c}d` becomes `abd` and `acd`; braces may be nested. */
function expandBraces(glob: string): string[] {
  let done = [""];
  for (let at = 0; at < glob.length; at++) {
    const end = glob[at] === "{" ? closingBrace(glob, at) : -1;
    if (end === -1) {
      const character = glob[at] ?? "";
      done = done.map((start) => start + character);
      continue;
    }
    const options = splitOptions(glob.slice(at + 1, end)).flatMap(expandBraces);
    if (done.length * options.length > maxAlternatives) {
      throw new HoldfastError(
        "invalid_input",
        `This glob expands to more than ${maxAlternatives} patterns. Use fewer alternatives in braces.`,
      );
    }
    done = done.flatMap((start) => options.map((option) => start + option));
    at = end;
  }
  return done;
}

function closingBrace(glob: string, open: number): number {
  let depth = 0;
  for (let at = open; at < glob.length; at++) {
    if (glob[at] === "{") depth++;
    if (glob[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

function splitOptions(inside: string): string[] {
  const options = [""];
  let depth = 0;
  for (const character of inside) {
    if (character === "{") depth++;
    if (character === "}") depth--;
    if (character === "," && depth === 0) options.push("");
    else options[options.length - 1] += character;
  }
  return options;
}
