import { isNumber, type Stated } from "./content.ts";

const address = /^\d+(?:\.\d+){3}/;

/** Whether two values are of one kind: db-1 and db-2, /v1 and /v2, 0.0.0.0 and 127.0.0.1. */
function areAlike(a: string, b: string): boolean {
  if (address.test(a) && address.test(b)) return true;
  if (isNumber(a) || isNumber(b)) return false;
  const [parts, others] = [partsOf(a), partsOf(b)];
  const same = parts.filter((part) => others.includes(part));
  const isSame = same.some((part) => part.length > 1);
  if (isSame && same.length >= Math.min(parts.length, others.length) / 2) return true;
  return a.startsWith("/") && b.startsWith("/") && parts.length === 1 && others.length === 1;
}

/** Each value is compared with many. */
const knownParts = new Map<string, readonly string[]>();
const maxKnown = 1_000;

function partsOf(value: string): readonly string[] {
  const known = knownParts.get(value);
  if (known) return known;
  const parts = value.split(/[=:/@_-]+|(?<=[a-z])(?=\d)/).filter((part) => part !== "");
  if (knownParts.size < maxKnown) knownParts.set(value, parts);
  return parts;
}

/** What is measured in these units; a number without one may count anything but the time of day. */
const units: readonly [kind: string, pattern: RegExp][] = [
  ["time", /(?:am|pm)$|^\d{1,2}:\d\d/],
  ["size", /\d(?:[kmgt]i?b|k)$/],
  ["share", /%$/],
  ["duration", /\d(?:ms|s|sec|min|h|hrs?|d)$/],
];

/** Whether two numbers may take each other's place: 200mb and 4pm never do. */
function areComparable(a: string, b: string): boolean {
  const [one, other] = [unitOf(a), unitOf(b)];
  return one === other || (one === "" && other !== "time") || (other === "" && one !== "time");
}

function unitOf(value: string): string {
  return units.find(([, pattern]) => pattern.test(value))?.[0] ?? "";
}

/** Whether each has a number of its own, and the two may take each other's place. */
export function numbersDiffer({ about: now }: Stated, { about: before }: Stated): boolean {
  if (now.numbers.size === 0 || before.numbers.size === 0) return false;
  const others = [...before.numbers.difference(now.numbers)];
  return [...now.numbers.difference(before.numbers)].some((value) =>
    others.some((other) => areComparable(value, other)),
  );
}

/** Whether a sentence has a value of the rule, and another of its kind: "five is not enough, make it ten". */
export function setsBesideValue({ about: now }: Stated, { about: before }: Stated): boolean {
  if (now.values.isDisjointFrom(before.values)) return false;
  const fresh = [...now.values.difference(before.values)];
  return [...now.values.intersection(before.values)].some((value) =>
    fresh.some((other) => (now.numbers.has(value) && now.numbers.has(other)) || areAlike(value, other)),
  );
}

/** Whether both have a value of their own, and the two are alike: db-1 and db-2, /v1 and /v2, 0.0.0.0 and 127.0.0.1. */
export function hasLikeValue({ about: now }: Stated, { about: before }: Stated): boolean {
  if (now.values.size === 0 || before.values.size === 0) return false;
  const others = [...before.values.difference(now.values)];
  return [...now.values.difference(before.values)].some((value) =>
    others.some((other) => areAlike(value, other)),
  );
}
