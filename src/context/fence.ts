import { oneLine } from "../engine/text.ts";
import { openBlock } from "./code-blocks.ts";
import { nameHidden, restoreHidden } from "./hidden-characters.ts";
import { type Looks, looksOf } from "./look-alikes.ts";

/**
 * Memory is data. Text inside a block that could pass for one of our markers or headings, a role tag or a system
 * message gets a backslash, so that neither a model nor a search mistakes it for the real thing; hidden characters are
 * named. Both are reversible: an existing backslash gets another one. The rules see text as it looks, so that a
 * full-width or Cyrillic letter does not get a marker past them.
 *
 * In every rule the first group is the backslashes that are there, at the end of the match. Before it is what every match
 * contains: most text does not have it, and a hook has no time for a pattern that cannot match.
 */
const fences: [needs: string, rule: RegExp][] = [
  // [Session Scratchpad …, [End Scratchpad], [System], [Holdfast], [… cut here … anywhere, and any bracket with a word at
  // the start of a line, as all our blocks begin. Not a checkbox or a link.
  [
    "[",
    /\[(\\*)(?!\\)(?=[ \t]{0,8}\/?[ \t]{0,8}(?:(?:…|\.{2,3})[ \t]{0,8})?(?:(?:end|session)[ \t]{1,8}(?:scratchpad|notepad)|end of\b|origin of\b|holdfast\b|project memory\b|notepad\b|scratchpad\b|system\b|hint\b|summary\b|handoff\b|receipt\b|context:|open tasks|ended tasks|delegated|result cleared|late result|called\b|not shown here|cut here|task:|cancelled:|the \w{1,20} block|pin(?:s|ned)?\b|inst\b|instructions?\b|user\b|assistant\b|human\b|developer\b|tool\b|function\b|agent\b|(?<=^[ \t]{0,8}\[\\*[ \t]{0,8}\/?[ \t]{0,8}(?:(?:…|\.{2,3})[ \t]{0,8})?)(?!x\])[a-z](?![^\]\n]*\]\()))/gim,
  ],
  // ## Session Notepad, at any level and anywhere in a line.
  ["#", /#[ \t]{0,8}(\\*)(?!\\)(?=session[ \t]{1,8}(?:notepad|scratchpad))/gi],
  // The headings of our blocks and of prompts, alone or as the beginning of a heading.
  [
    "#",
    /^[ \t>*+•-]{0,80}(?:\d{1,3}[.)][ \t]{1,8})?#{1,6}[ \t]{0,8}(\\*)(?!\\)(?=(?:skills?|your tools|tools|sandbox|pins|pinned|rules|system|instructions?|response|input|user|assistant|human|developer|functions?|project memory|memory|holdfast)\b(?!-))/gim,
  ],
  // The same as underlined headings.
  [
    "\n",
    /^[ \t]{0,3}(\\*)(?!\\)(?=(?:session[ \t]{1,8}(?:notepad|scratchpad)|skills|your tools|sandbox|system|instructions)[ \t]{0,8}\r?\n[ \t]{0,3}(?:={2,}|-{2,}))/gim,
  ],
  // Whatever has the shape of a tag: any at the start of a line, and elsewhere <a>, <a-b …>, </a> and <|a|>. Not the type
  // arguments of code, which follow a name, and not the names of hidden characters.
  [
    "<",
    /(?:^[ \t>*+•-]{0,80}(?:\d{1,3}[.)][ \t]{1,8})?<(?=\\*[ \t]{0,8}[/!?]?[ \t]{0,8}(?!u\+)[\p{L}|<])|(?<![\w\]])<(?=\\*[ \t]{0,8}(?:[|<]|\p{L}[\w.:-]{0,60}?[-_:.]\p{L}|\p{L}[\p{L}\d]{0,60}[ \t]{0,8}>))|<(?=\\*[ \t]{0,8}(?:\||\/[ \t]{0,8}\p{L})))(\\*)(?!\\)/gimu,
  ],
  // A line that would start another speaker's turn in a plain-text transcript.
  [
    ":",
    /^[ \t>*+•-]{0,80}(?:[*_]{2})?(?:human|assistant|system|user|developer|tool|function|model|ai|bot|instructions?|response|prompt)(?:[*_]{2})?(\\*)(?!\\)(?=[ \t]{0,8}:)/gim,
  ],
  // The handoff's own headings.
  [",", /^(?:what the user said|the to-do list|what you did)(\\*)(?!\\)(?=,)/gim],
  // The scratchpad's own headings.
  [":", /^(?:plan|references)(\\*)(?!\\)(?=:[ \t]*\r?$)/gim],
];

export function fenceContent(content: string): string {
  return closeCodeFences(editAll(nameHidden(content), fences, true));
}

/** Untrusted text as one fenced line, for a list or a sentence of ours. */
export function fenceLine(text: string, limit = Number.POSITIVE_INFINITY): string {
  const line = fenceContent(oneLine(text)).toWellFormed();
  return line.length > limit ? `${line.slice(0, limit).toWellFormed()}…` : line;
}

/** The exact inverse of `fenceContent`. */
export function unfenceContent(text: string): string {
  const content = text.replace(
    codeFence,
    (line, indent: string, first: string, slashes: string, rest: string) =>
      slashes === "" ? line : `${indent}${first}${slashes.slice(1)}${rest}`,
  );
  return restoreHidden(editAll(content, fences.toReversed(), false));
}

function editAll(content: string, rules: typeof fences, adds: boolean): string {
  let text = content;
  let looks = looksOf(text);
  for (const [needs, rule] of rules) {
    if (!looks.text.includes(needs)) continue;
    const edited = editMatches(text, looks, rule, adds);
    if (edited === text) continue;
    text = edited;
    looks = looksOf(text);
  }
  return text;
}

/** Adds a backslash at the end of every match, or takes the last one away. Both find the same places. */
function editMatches(text: string, looks: Looks, fence: RegExp, adds: boolean): string {
  let [out, from] = ["", 0];
  for (const { 0: match, 1: slashes = "", index } of looks.text.matchAll(fence)) {
    const end = index + match.length;
    if (adds) {
      const at = looks.offset(end);
      out += `${text.slice(from, at)}\\`;
      from = at;
    } else if (slashes !== "") {
      const last = looks.offset(end - 1);
      out += text.slice(from, last);
      from = last + 1;
    }
  }
  return from === 0 && out === "" ? text : out + text.slice(from);
}

/** Backticks or tildes that open or close a code block, possibly indented; a backslash after the first escapes them. */
const codeFence = /^([ \t]*)([`~])(\\*)(\2{2,})/gm;

/** An unclosed code block would swallow the text after the memory block, so escape its opening. */
function closeCodeFences(text: string): string {
  const open = openBlock(text);
  return text.replace(
    codeFence,
    (line, indent: string, first: string, slashes: string, rest: string, at: number) => {
      const isEscaped = slashes !== "" || (open !== undefined && at >= open.index);
      return isEscaped ? `${indent}${first}${slashes}\\${rest}` : line;
    },
  );
}
