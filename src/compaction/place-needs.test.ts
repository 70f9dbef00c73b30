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
      contents: new Map(Object.entries(contents)),
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
