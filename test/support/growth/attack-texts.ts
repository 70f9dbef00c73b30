import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** A text that grows with `repeats` and that a backtracking matcher may take long over. */
export interface Attack {
  prefix: string;
  pump: string;
  suffix: string;
}

export function attackText({ prefix, pump, suffix }: Attack, length: number): string {
  return prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;
}

/**
 * Hostile texts for one pattern, made from the pattern: for every repetition in it, a beginning that leads there, a run
 * of what the repetition takes, and an end that makes it fail.
 */
export function attacksOn(source: string, flags: string): Attack[] {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const characters = [...new Set([...charactersOf(pattern), " ", "a", "\n"])];
  const attacks = new Map<string, Attack>();
  const add = (prefix: string, pump: string) => {
    for (const suffix of pump === "" ? [] : ["\u0001", "a\n\u0001", " \u0001"])
      attacks.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix });
  };
  for (const { quantifier, before } of repetitionsIn(pattern)) {
    const pumps = new Set([sample(quantifier.element, 1), sample(quantifier.element, 0)]);
    if (quantifier.element.type === "Group")
      for (const each of quantifier.element.alternatives) pumps.add(sampleAll(each.elements, 1));
    const own = new RegExp(`^(?:${quantifier.element.raw})$`, flags.replaceAll(/[gy]/g, ""));
    for (const character of characters) if (matches(own, character)) pumps.add(character);
    for (const prefix of before) {
      for (const pump of pumps) add(prefix, pump);
      add("", prefix);
      for (const pump of [...pumps].slice(0, 3)) add("", prefix + pump);
    }
  }
  return [...attacks.values()];
}

function matches(pattern: RegExp, text: string): boolean {
  return pattern.test(text);
}

/** Every unbounded or wide repetition, with texts that lead up to it. */
function repetitionsIn(pattern: AST.Pattern): { quantifier: AST.Quantifier; before: string[] }[] {
  const found: { quantifier: AST.Quantifier; before: string[] }[] = [];
  const visit = (element: AST.Element, before: string[]): void => {
    if (element.type === "Quantifier") {
      if (element.max > 40) found.push({ quantifier: element, before });
      visit(element.element, before);
    } else if ("alternatives" in element) for (const each of element.alternatives) visitAll(each, before);
  };
  const visitAll = ({ elements }: AST.Alternative, before: string[]): void => {
    elements.forEach((element, index) => {
      const own = [0, 1].map((times) => sampleAll(elements.slice(0, index), times));
      visit(element, [...new Set(before.flatMap((start) => own.map((text) => start + text)))]);
    });
  };
  for (const each of pattern.alternatives) visitAll(each, [""]);
  return found;
}

/** A text that the elements match, with optional parts `times` times. */
function sampleAll(elements: readonly AST.Element[], times: number): string {
  return elements.map((element) => sample(element, times)).join("");
}

function sample(element: AST.Element, times: number): string {
  switch (element.type) {
    case "Quantifier":
      return sample(element.element, times).repeat(Math.max(element.min, Math.min(times, element.max)));
    case "Group":
    case "CapturingGroup":
      return sampleAll(element.alternatives[0]?.elements ?? [], times);
    case "Character":
    case "CharacterSet":
    case "CharacterClass":
    case "ExpressionCharacterClass":
      return characterIn(element.raw, element);
    case "Backreference": {
      const group = [element.resolved].flat()[0];
      return group ? sample(group, times) : "";
    }
    default:
      return "";
  }
}

const candidates = ["a", "x", "1", " ", "-", "/", "`", "*", "#", "|", "\n", "\u00e9", "\u4e00", "\u{1f600}"];

function characterIn(raw: string, element: AST.Element): string {
  if (element.type === "Character") return String.fromCodePoint(element.value);
  const flags = /\\p|\\u\{/.test(raw) ? "su" : "s";
  const pattern = new RegExp(`^(?:${raw})$`, flags);
  return [...charactersOf(element), ...candidates].find((character) => pattern.test(character)) ?? "";
}

/** The characters that the pattern names, and the ends of its ranges. */
function charactersOf(node: unknown): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { type, value: code, kind } = value as { type?: string; value?: unknown; kind?: string };
    if (type === "Character" && typeof code === "number") found.add(String.fromCodePoint(code));
    if (type === "CharacterSet" && kind === "digit") found.add("1");
    if (type === "CharacterSet" && kind === "word") found.add("a");
    for (const [key, child] of Object.entries(value)) {
      if (key === "parent" || key === "resolved" || key === "references") continue;
      for (const each of [child].flat()) visit(each);
    }
  };
  visit(node);
  return [...found].slice(0, 24);
}
