import type { CallRule } from "../../engine/records.ts";

/** A pattern longer than this is not a description of a call. */
export const maxPatternCharacters = 500;

/** More input than this is not searched: a file that is written does not describe what the call does. */
const maxSearched = 200_000;

/** Whether a rule refuses a call. Patterns are searched piece by piece, without backtracking. */
export function matchesCall(rule: CallRule, tool: string, input: unknown): boolean {
  if (!rule.tool.split("|").some((name) => isToolName(name.trim(), tool))) return false;
  if (rule.pattern.trim() === "") return true;
  const pieces = fold(rule.pattern).split("*");
  return textsOf(input).some((text) => containsInOrder(fold(text), pieces));
}

/** Compares a whole tool name with one in which `*` stands for any characters. */
function isToolName(pattern: string, tool: string): boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const name = tool.toLowerCase();
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  return containsInOrder(name.slice(first.length, name.length - last.length), rest);
}

function containsInOrder(text: string, pieces: readonly string[]): boolean {
  let from = 0;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

/** Case, and how often a space is repeated, do not tell calls apart. */
function fold(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ");
}

/** The strings in a call's input, and lists of words, such as a command with its arguments, as one string. */
function textsOf(input: unknown, depth = 0): string[] {
  if (typeof input === "string") return [input.slice(0, maxSearched)];
  if (typeof input === "number" || typeof input === "boolean") return [String(input)];
  if (typeof input !== "object" || input === null || depth > 20) return [];
  const values = Object.values(input).slice(0, 1_000);
  const joined = Array.isArray(input) ? [values.filter((value) => typeof value === "string").join(" ")] : [];
  return [
    ...joined.map((text) => text.slice(0, maxSearched)),
    ...values.flatMap((value) => textsOf(value, depth + 1)),
  ];
}
