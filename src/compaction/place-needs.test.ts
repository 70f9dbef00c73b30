import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result, says, stateWith, user } from "../../test/support/conversation.ts";
import type { Need, PlacedNeed } from "../engine/records.ts";
import { planWithNeeds } from "./checkpoint.ts";
import { countNeeds, placeNeeds } from "./place-needs.ts";

const countTokens = (text: string) => Math.ceil(text.length / 4);

const story = conversation(
  user("Never push to main. Fix the parser in src/parser.ts"),
  calls("read_file", { path: "src/parser.ts" }),
  result("export function parseTabs() {}"),
  calls("bash", { command: "npm test -- parser" }),
  result("ok"),
  says("parseTabs is next"),
  user("Then update the docs."),
);

function needsOf(contents: Record<string, string> = {}): Need[] {
  return planWithNeeds(
    {
      state: stateWith(),
      messages: story,
      to: story.length,
      contents: new Map(Object.entries(contents).map(([path, text]) => [path, { text }])),
      countTokens,
    },
    ["Never push to main."],
  ).needs;
}

const placeOf = (placed: readonly PlacedNeed[], text: string) =>
  placed.find((need) => need.text === text)?.place;

test("lists rules, asks, commands, files and names, most likely needed first [controller.receipt-needs]", () => {
  const needs = needsOf();
  assert.deepEqual(
    new Set(needs.map(({ kind, text }) => `${kind} ${text}`)),
    new Set([
      "rule Never push to main.",
      "ask Then update the docs.",
      "command npm test -- parser",
      "file src/parser.ts",
      "name parseTabs",
    ]),
  );
  const likelihoods = needs.map(({ likelihood }) => likelihood);
  assert.deepEqual(
    likelihoods,
    likelihoods.toSorted((a, b) => b - a),
  );
});

test("one call away is only what the context names the exact call for [controller.receipt-one-call]", () => {
  const needs = needsOf();
  const after = (context: string) => placeOf(placeNeeds(needs, context, "tool"), "npm test -- parser");
  assert.equal(after("Run npm test -- parser again."), "in context");
  assert.equal(after("The tests ran, see message 4."), "one call");
  assert.equal(after('Call recall_result with id "r4_0" to read it again.'), "one call");
  assert.equal(after("messages 1 to 6 were compacted"), "by search", "a range names no call");
  assert.equal(after("see message 3"), "by search", "another message");
  assert.equal(
    after("recall reads messages that were compacted away"),
    "by search",
    "the agent must know the words",
  );
  assert.equal(placeOf(placeNeeds(needs, "", "none"), "npm test -- parser"), "lost");
});

test("a number means nothing where no tool reads messages by number [controller.receipt-one-call]", () => {
  const placed = placeNeeds(needsOf(), "see message 4", "transcript");
  assert.equal(placeOf(placed, "npm test -- parser"), "by search");
});

test("a name in a file is one call away if the context names the file and the file still has it [controller.receipt-one-call]", () => {
  const kept = needsOf({ "src/parser.ts": "export function parseTabs() {}" });
  const named = placeNeeds(kept, "Files read: src/parser.ts", "transcript");
  assert.equal(placeOf(named, "parseTabs"), "one call");
  assert.equal(named.find(({ text }) => text === "parseTabs")?.call, "read src/parser.ts");
  assert.equal(
    placeOf(placeNeeds(kept, "", "transcript"), "parseTabs"),
    "by search",
    "the agent has lost the path",
  );
  const rewritten = needsOf({ "src/parser.ts": "export function parse() {}" });
  assert.equal(placeOf(placeNeeds(rewritten, "src/parser.ts", "transcript"), "parseTabs"), "by search");
  assert.equal(
    placeOf(placeNeeds(needsOf(), "src/parser.ts", "transcript"), "parseTabs"),
    "by search",
    "unread",
  );
});

const needed = (kind: Need["kind"], text: string, more: Partial<Need> = {}): Need => ({
  kind,
  text,
  likelihood: 0.9,
  ...more,
});

test("a part of other words, or of a longer command, is not in context [controller.receipt-whole]", () => {
  const place = (kind: Need["kind"], text: string, context: string) =>
    placeOf(placeNeeds([needed(kind, text)], context, "tool"), text);
  for (const [kind, text, context] of [
    ["command", "make", "It makes sense."],
    ["command", "make", "We should make sure that it works."],
    ["command", "go test", "Commands run here: cargo test (ok)"],
    ["command", "npm test", "Commands run here: npm test:e2e (ok)"],
    ["command", "npm test", "Run npm test -- parser again."],
    ["rule", "use tabs", "we use tabs-or-spaces"],
    ["ask", "Fix it", "Fix items"],
    ["ask", "Fix it", "Prefix it"],
  ] as const)
    assert.equal(place(kind, text, context), "by search", `${text} in ${context}`);
  for (const [kind, text, context] of [
    ["command", "make", "Commands run here: npm ci (ok); make (ok, 3 runs)"],
    ["command", "make", "Steps:\n- make\n- npm test"],
    ["command", "make", "I built it with `make`."],
    ["command", "npm test", "cd app && npm test 2>&1 | tail -3"],
    ["command", "npm test", "Run npm test again."],
    ["rule", "use tabs", "The user said: use tabs."],
    ["ask", "Fix it", 'Asked: "Fix it"'],
  ] as const)
    assert.equal(place(kind, text, context), "in context", `${text} in ${context}`);
});

test("a number behind the word message names a message only where it is referred to [controller.receipt-one-call]", () => {
  const place = (context: string) =>
    placeOf(placeNeeds([needed("name", "parseTabs", { message: 404 })], context, "tool"), "parseTabs");
  for (const context of [
    "The server answered with error message 404.",
    "The commit message 404 characters long.",
    "The variable r404_0 is unused.",
  ])
    assert.equal(place(context), "by search", context);
  for (const context of [
    "Call recall with message 404 and offset 9 to read the rest.",
    "Done (message 404).",
  ])
    assert.equal(place(context), "one call", context);
});

test("a name that one read of its file does not show takes more than one call [controller.receipt-one-call]", () => {
  const filler = (lines: number, width: number) => `${"x".repeat(width - 1)}\n`.repeat(lines);
  const place = (content: string) => {
    const placed = placeNeeds(needsOf({ "src/parser.ts": content }), "Files: src/parser.ts", "transcript");
    return placeOf(placed, "parseTabs");
  };
  assert.equal(place(`${filler(1_999, 10)}parseTabs()`), "one call", "the last line that a read shows");
  assert.equal(place(`${filler(2_000, 10)}parseTabs()`), "by search", "behind 2,000 lines");
  assert.equal(place(`${filler(400, 100)}parseTabs()`), "by search", "behind 40,000 characters");
  assert.equal(place(`parseTabs()\n${filler(1_000, 101)}`), "by search", "the host refuses so large a file");
  assert.equal(place("parseTabsOfOldFiles()"), "by search", "another name");
});

test("what is behind the first page of a long message takes more than one call [controller.receipt-one-call]", () => {
  const long = conversation(
    calls("bash", { command: "npm run build" }),
    result(`${"word ".repeat(4_000)} BUILD_7741`),
    says("Noted."),
    calls("bash", { command: "echo BUILD_7741 > x" }),
  ).slice(0, 2);
  const input = { state: stateWith(), messages: long, to: 2, countTokens };
  const { needs } = planWithNeeds(input, []);
  assert.equal(placeOf(placeNeeds(needs, "see message 2", "tool"), "BUILD_7741"), "by search");
});

test("counts needs by kind and place, names by rank [controller.receipt-needs]", () => {
  const name = (index: number): PlacedNeed => ({
    kind: "name",
    text: `name_${index}`,
    likelihood: 1 - index / 100,
    place: index < 30 ? "in context" : "lost",
  });
  const rule: PlacedNeed = { kind: "rule", text: "Never", likelihood: 1, place: "in context" };
  const needs = [rule, ...Array.from({ length: 40 }, (_, index) => name(index))];
  assert.deepEqual(
    countNeeds(needs).map(({ label, total, places }) => [label, total, places["in context"], places.lost]),
    [
      ["rules", 1, 1, 0],
      ["names 1–25", 25, 25, 0],
      ["names 26–40", 15, 5, 10],
    ],
  );
});
