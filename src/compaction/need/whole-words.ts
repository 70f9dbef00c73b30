/** Characters of a word. Others join two words into a longer one: "test:e2e", "tabs-or-spaces", "it's". */
const letter = /[\p{L}\p{N}_]/u;
const plainLetter = /\w/;
const joint = /[-:/.@'’]/;

/** Tests whether a text has these words as they are, and not as part of longer ones: "make" is not in "makes". */
export function containsWords(text: string, words: string): boolean {
  return nextPlace(text, words, isWhole, 0) !== -1;
}

/** Tests whether a text has a name. It may be a part of a dotted one: `parseTabs` is in `this.parseTabs()`. */
export function containsName(text: string, name: string): boolean {
  return nextPlace(text, name, isUncut, 0) !== -1;
}

/**
 * Tests whether a text shows a command that can be copied from it: not as the beginning of a longer one, and one of a
 * single word only where it is no word of a sentence, because "make sure" says nothing about `make`.
 */
export function containsCommand(text: string, command: string): boolean {
  const isWord = !/\s/.test(command);
  const nextAfter = (from: number) => nextPlace(text, command, isWhole, from);
  for (let at = nextAfter(0); at !== -1; at = nextAfter(at + 1)) {
    const before = text.slice(Math.max(0, at - 24), at);
    const after = text.slice(at + command.length, at + command.length + 80);
    if (isWord ? opensCommand.test(before) && endsCommand.test(after) : !goesOn.test(after)) return true;
  }
  return false;
}

/** What may be before and behind a command of one word: the start of a line or list item, quotes, separators. */
const opensCommand =
  /(?:^|[\n`"'$;&|(:,>]|\n\s{0,8}(?:[-*•]|\d+\.)|\b(?:run|rerun|ran|running|via))\s{0,8}$/i;
const endsCommand = /^\s*(?:$|[\n`"';&|(),.<>])/;

/** More of the same command: an option, a path, an assignment. */
const goesOn = /^ (?:--?\w|--(?: |$)|[^\s;|&()]*[/*=]|[\w-]+\.\w)/;

/** The first place of these words that fits; -1 if there is none. */
function nextPlace(
  text: string,
  words: string,
  fits: (text: string, from: number, to: number) => boolean,
  from: number,
): number {
  if (words === "") return -1;
  let at = text.indexOf(words, from);
  while (at !== -1 && !fits(text, at, at + words.length)) at = text.indexOf(words, at + 1);
  return at;
}

/** Whether a part of a text neither starts nor ends inside a word. */
function isUncut(text: string, from: number, to: number): boolean {
  const isInside = (at: number) => isLetter(text.charAt(at - 1)) && isLetter(text.charAt(at));
  return !isInside(from) && !isInside(to);
}

/** Most characters are plain ones, and the pattern for all others takes long to compile. */
function isLetter(character: string): boolean {
  return character > "\x7f" ? letter.test(character) : plainLetter.test(character);
}

/** Whether it is not joined to another word either. */
function isWhole(text: string, from: number, to: number): boolean {
  const joins = (at: number, other: number) => joint.test(text.charAt(at)) && isLetter(text.charAt(other));
  return isUncut(text, from, to) && !joins(from - 1, from - 2) && !joins(to, to + 1);
}
