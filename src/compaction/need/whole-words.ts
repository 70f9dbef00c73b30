/** Characters of a word. Others join two words into a longer one: "test:e2e", "tabs-or-spaces", "it's". */
const letter = /[\p{L}\p{N}_]/u;
const joint = /[-:/.@'’]/;

/** Tests whether a text has these words as they are, and not as part of longer ones: "make" is not in "makes". */
export function containsWords(text: string, words: string): boolean {
  return placesOf(text, words, isWhole).next().done !== true;
}

/** Tests whether a text has a name. It may be a part of a dotted one: `parseTabs` is in `this.parseTabs()`. */
export function containsName(text: string, name: string): boolean {
  return placesOf(text, name, isUncut).next().done !== true;
}

/**
 * Tests whether a text shows a command that can be copied from it: not as the beginning of a longer one, and one of a
 * single word only where it is no word of a sentence, because "make sure" says nothing about `make`.
 */
export function containsCommand(text: string, command: string): boolean {
  const isWord = !/\s/.test(command);
  for (const at of placesOf(text, command, isWhole)) {
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

function* placesOf(
  text: string,
  words: string,
  fits: (text: string, from: number, to: number) => boolean,
): Generator<number> {
  if (words === "") return;
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1))
    if (fits(text, at, at + words.length)) yield at;
}

/** Whether a part of a text neither starts nor ends inside a word. */
function isUncut(text: string, from: number, to: number): boolean {
  const isLetter = (at: number) => letter.test(text.charAt(at));
  return !(isLetter(from - 1) && isLetter(from)) && !(isLetter(to - 1) && isLetter(to));
}

/** Whether it is not joined to another word either. */
function isWhole(text: string, from: number, to: number): boolean {
  const joins = (at: number, other: number) => joint.test(text.charAt(at)) && letter.test(text.charAt(other));
  return isUncut(text, from, to) && !joins(from - 1, from - 2) && !joins(to, to + 1);
}
