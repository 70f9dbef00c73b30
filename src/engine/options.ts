import { HoldfastError } from "../errors.ts";
import { typeName } from "./check-fields.ts";
import { isObject } from "./json.ts";

/** The allowed values of an option. Library options, config files, flags and variables share these. */
export interface OptionKind<Value = unknown> {
  /** Completes "must be …". */
  expected: string;
  /** The same as JSON Schema. */
  schema: Record<string, unknown>;
  /** The value; undefined if it is not of this kind. */
  read(value: unknown): Value | undefined;
  /** Turns the text of a flag or a variable into a value for `read`. */
  parse(text: string): unknown;
}

const words: Record<string, boolean> = { true: true, "1": true, false: false, "0": false };
const parseBoolean = (given: string): unknown => words[given] ?? given;
const parseNumber = (given: string): unknown => (given.trim() === "" ? given : Number(given));

export const text: OptionKind<string> = {
  expected: "a string",
  schema: { type: "string" },
  read: (value) => (typeof value === "string" ? value : undefined),
  parse: (given) => given,
};

export const toggle: OptionKind<boolean> = {
  expected: "true or false",
  schema: { type: "boolean" },
  read: (value) => (typeof value === "boolean" ? value : undefined),
  parse: parseBoolean,
};

export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER): OptionKind<number> {
  const isOpen = maximum === Number.MAX_SAFE_INTEGER;
  return {
    expected: `a whole number ${isOpen ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`}`,
    schema: { type: "integer", minimum, ...(isOpen ? {} : { maximum }) },
    read: (value) =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= minimum && value <= maximum
        ? value
        : undefined,
    parse: parseNumber,
  };
}

/** A count at which something happens; 0 is off. People also write `true` for 1 and `false` for 0. */
export const threshold: OptionKind<number> = {
  expected: "a whole number of at least 0, or true or false",
  schema: { type: ["integer", "boolean"], minimum: 0 },
  read: (value) => wholeNumber(0).read(typeof value === "boolean" ? Number(value) : value),
  parse: (given) => words[given] ?? parseNumber(given),
};

export const amount: OptionKind<number> = {
  expected: "a number of at least 0",
  schema: { type: "number", minimum: 0 },
  read: (value) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined),
  parse: parseNumber,
};

/** A part of the whole, which may be nothing. */
export const share: OptionKind<number> = {
  expected: "a number from 0 to 1",
  schema: { type: "number", minimum: 0, maximum: 1 },
  read: (value) => (typeof value === "number" && value >= 0 && value <= 1 ? value : undefined),
  parse: parseNumber,
};

/** A part of the whole that is not nothing. */
export const someShare: OptionKind<number> = {
  expected: "a number above 0 and at most 1",
  schema: { type: "number", exclusiveMinimum: 0, maximum: 1 },
  read: (value) => (value === 0 ? undefined : share.read(value)),
  parse: parseNumber,
};

export function oneOf<Value extends string>(choices: readonly Value[]): OptionKind<Value> {
  return {
    expected: `one of ${choices.join(", ")}`,
    schema: { enum: choices },
    read: (value) => choices.find((choice) => choice === value),
    parse: (given) => given,
  };
}

/** A list; as a flag, its items are separated by commas. */
export function listOf<Value>(item: OptionKind<Value>, separator = ","): OptionKind<readonly Value[]> {
  const read = (value: unknown) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map((each) => item.read(each));
    return items.every((each) => each !== undefined) ? items : undefined;
  };
  return {
    expected: `a list, each item ${item.expected}`,
    schema: { type: "array", items: item.schema },
    read,
    parse: (given) => {
      const items = given.split(separator).map((each) => each.trim());
      return items.filter((each) => each !== "").map((each) => item.parse(each));
    },
  };
}

/** A value that is checked elsewhere, such as a function or a model. */
export const anything: OptionKind = {
  expected: "a value",
  schema: {},
  read: (value) => value,
  parse: (given) => given,
};

/** The kind of each option; a nested object is a group of options. */
export type OptionKinds = { readonly [name: string]: OptionKind | OptionKinds };

/**
 * Throws on an option that does not exist or has a bad value. An undefined option counts as left out.
 *
 * @param owner the function that takes the options, such as `openMemory`
 */
export function checkOptions(owner: string, given: unknown, kinds: OptionKinds, path: string[] = []): void {
  if (given === undefined) return;
  if (!isObject(given)) throw refused(owner, path, `must be an object (got ${typeName(given)})`);
  for (const [name, value] of Object.entries(given)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) throw unknownOption(owner, [...path, name], Object.keys(kinds));
    if (value === undefined) continue;
    if (!isKind(kind)) checkOptions(owner, value, kind, [...path, name]);
    else if (kind.read(value) === undefined)
      throw refused(owner, [...path, name], `must be ${kind.expected} (got ${shown(value)})`);
  }
}

function isKind(kind: OptionKind | OptionKinds): kind is OptionKind {
  return typeof kind.read === "function";
}

function unknownOption(owner: string, path: readonly string[], known: readonly string[]): HoldfastError {
  const closest = closestName(path.at(-1) ?? "", known);
  const hint =
    closest === undefined ? `The options there are: ${known.join(", ")}.` : `Did you mean "${closest}"?`;
  return new HoldfastError("invalid_input", `${owner} has no option "${path.join(".")}". ${hint}`, {
    data: { option: path.join("."), ...(closest === undefined ? {} : { closest }) },
  });
}

function refused(owner: string, path: readonly string[], problem: string): HoldfastError {
  const what = path.length === 0 ? "The options of" : `The option "${path.join(".")}" of`;
  return new HoldfastError("invalid_input", `${what} ${owner} ${problem}.`, {
    data: { option: path.join(".") },
  });
}

/** A value in a message: short ones as they are, others by their type. */
export function shown(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const json = typeof value === "string" || Array.isArray(value) ? JSON.stringify(value) : "";
  return json !== "" && json.length <= 80 ? json : typeName(value);
}

/** The known name that a misspelt one most likely means; undefined if none is close. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const folded = name.toLowerCase();
  const same = known.find((each) => each.toLowerCase() === folded);
  if (same !== undefined) return same;
  for (const edits of [1, 2, 3]) {
    const near = known.find(
      (each) => edits < each.length / 2 && isWithinEdits(folded, each.toLowerCase(), edits),
    );
    if (near !== undefined) return near;
  }
  // A name without its group, or with one word more or less.
  return known.find(
    (each) =>
      name.length >= 4 &&
      (each.startsWith(name) || name.startsWith(each) || each.toLowerCase().endsWith(`.${folded}`)),
  );
}

/** Whether two words are at most so many insertions, deletions, substitutions or swaps apart: tries each at the first difference. */
function isWithinEdits(a: string, b: string, edits: number): boolean {
  if (Math.abs(a.length - b.length) > edits) return false;
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  const [restA, restB] = [a.slice(same), b.slice(same)];
  if (restA === "" || restB === "") return restA.length + restB.length <= edits;
  if (edits === 0) return false;
  const isSwap = restA[0] === restB[1] && restA[1] === restB[0];
  return (
    isWithinEdits(restA.slice(1), restB.slice(1), edits - 1) ||
    isWithinEdits(restA.slice(1), restB, edits - 1) ||
    isWithinEdits(restA, restB.slice(1), edits - 1) ||
    (isSwap && isWithinEdits(restA.slice(2), restB.slice(2), edits - 1))
  );
}
