import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isSource } from "../scripts/boundaries.ts";
import { HoldfastError } from "../src/errors.ts";
import { type Attack, attacksOn, attackText } from "./support/growth/attack-texts.ts";
import { findTextFunctions } from "./support/growth/find-functions.ts";
import { type FoundPattern, findPatterns } from "./support/growth/find-patterns.ts";
import { hostileTexts } from "./support/growth/hostile-texts.ts";
import { findSlowest, maxGrowth } from "./support/growth/measure.ts";
import { patternsBuiltBy } from "./support/growth/record-patterns.ts";
import { builtPatterns, exempt, moreArguments, subjects } from "./support/growth/subjects.ts";

const root = join(import.meta.dirname, "..");
const files = globSync(["src/**/*.ts", "inspector/src/**/*.{ts,tsx}"], { cwd: root }).filter(isSource).sort();
const read = (path: string) => readFileSync(join(root, path), "utf8");
const patterns = files.flatMap((path) => findPatterns(path, read(path)));

/** Quadratic work on four times as much takes 20 ms and more. */
const textLength = 2_000;

/** Patterns that passed; some are in several files. */
const linear = new Set<string>();

/** Without something that repeats without a limit, a pattern looks at a fixed number of characters from each place. */
const repeats = /[*+]|\{\d{1,9},\}/;

/** The first attack at which a pattern takes more than linear time, in words. */
function attackPattern({ path, line, splits }: FoundPattern, source: string, flags: string): string[] {
  const key = `${splits} /${source}/${flags}`;
  if (!repeats.test(source) || linear.has(key)) return [];
  const pattern = new RegExp(source, flags);
  const run = (attack: Attack, length: number) => {
    const text = attackText(attack, length);
    if (splits) text.split(pattern);
    else if (flags.includes("g")) text.replaceAll(pattern, "");
    else pattern.test(text);
  };
  const attack = findSlowest(attacksOn(source, flags), run, textLength);
  if (!attack) linear.add(key);
  return attack ? [`${path}:${line}: /${source}/${flags} is slow on ${JSON.stringify(attack)}`] : [];
}

test("every pattern in the sources takes linear time on texts made to slow it down [repo.growth]", () => {
  assert.ok(patterns.length > 300, "too few patterns were found");
  const slow = patterns.flatMap((found) => {
    const { pattern } = found;
    return pattern ? attackPattern(found, pattern.source, pattern.flags) : [];
  });
  assert.deepEqual(slow, []);
});

test("patterns that are put together at run time are listed, and are linear [repo.growth]", async () => {
  const built = patterns.filter(({ pattern }) => !pattern);
  const places = [...new Set(built.map(({ path }) => path))];
  assert.deepEqual(places.sort(), Object.keys(builtPatterns).sort(), "list them in builtPatterns");
  for (const [path, listed] of Object.entries(builtPatterns)) {
    const made = listed === "loaded" ? await patternsBuiltBy(join(root, path)) : listed;
    assert.ok(made.length > 0, `${path} built no pattern`);
    for (const { source, flags } of made) {
      const place = { path, line: 0, pattern: undefined, splits: false };
      assert.deepEqual(attackPattern(place, source, flags), []);
    }
  }
});

test("every exported function that takes a text takes linear time on hostile ones [repo.growth]", async () => {
  const names = files
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => findTextFunctions(path, read(path)));
  assert.ok(names.length > 50, "too few functions were found");
  for (const known of [...Object.keys(exempt), ...Object.keys(moreArguments)])
    assert.ok(names.includes(known), `${known} no longer exists`);
  const slow: string[] = [];
  const failed = new Map<string, string>();
  for (const name of names.filter((each) => !(each in exempt))) {
    const [path = "", exported = ""] = name.split(" ");
    const module = (await import(join(root, path))) as Record<string, (...given: unknown[]) => unknown>;
    const rest = moreArguments[name] ?? (() => []);
    const work = (text: string) => {
      try {
        const answer = module[exported]?.(text, ...rest(text));
        if (answer instanceof Promise) answer.catch(() => undefined);
      } catch (error) {
        // A refusal is an answer; anything else means that the function needs more arguments.
        if (!(error instanceof HoldfastError)) failed.set(name, String(error));
      }
    };
    slow.push(...slowTexts(name, work));
  }
  assert.deepEqual(Object.fromEntries(failed), {}, "add their arguments to moreArguments");
  assert.deepEqual(slow, []);
});

for (const [name, prepare] of Object.entries(subjects)) {
  test(`${name} takes linear time on hostile input [repo.growth]`, async () => {
    assert.deepEqual(slowTexts(name, await prepare()), []);
  });
}

function slowTexts(name: string, work: (text: string) => unknown): string[] {
  const run = (attack: Attack, length: number) => void work(attackText(attack, length));
  const slow = findSlowest(hostileTexts, run, textLength / 2);
  return slow ? [`${name} is slow on ${JSON.stringify(slow)}`] : [];
}

test("the growth check finds planted slow patterns and functions [repo.growth]", () => {
  const planted = [
    "const a = /\\s+$/;",
    "const a = /^(#{1,6})\\s+(.*?)(?:\\s+#+)?$/;",
    "const a = /^(?:a+)+$/;",
    "text.split(/[ \\t]*\\n/);",
    "text.replace(/\\[[^\\]]*\\]\\n/g, '');",
  ];
  for (const source of planted) {
    const [found] = findPatterns("planted.ts", source);
    assert.ok(found?.pattern, source);
    assert.equal(attackPattern(found, found.pattern.source, found.pattern.flags).length, 1, source);
  }
  const quadratic = (text: string) => {
    let pairs = 0;
    for (const one of text) for (const other of text) if (one < other) pairs++;
    return pairs;
  };
  assert.equal(slowTexts("planted", quadratic).length, 1);
  assert.deepEqual(findTextFunctions("a.ts", "export function f(text: string, x = 1) {}"), ["a.ts f"]);
  assert.equal(findPatterns("a.ts", "new RegExp(source)")[0]?.pattern, undefined);
  assert.ok(maxGrowth < 16, "quadratic work must be told apart");
});
