import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, openTestSession, refusal } from "../../../test/support/memory.ts";
import type { Session } from "../../index.ts";
import { schemaOf } from "../dispatch.ts";
import { scratchpadSurface } from "./tools.ts";

const use = (session: Session, input: object) => answer(session, "session.scratchpad", input);
const misuse = (session: Session, input: object) => refusal(session, "session.scratchpad", input);
const read = (session: Session) => session.scratchpad.read();

test("set_notes and set_plan replace their own space only [scratchpad.set]", async () => {
  const session = await openTestSession();
  await use(session, { action: "set_notes", content: "finding" });
  await use(session, { action: "set_plan", content: "1. Fix auth bug\n2. Add test" });
  await use(session, { action: "set_plan", content: "1. Add test" });
  assert.deepEqual(await read(session), { notes: "finding", plan: "1. Add test", refs: [] });
  await use(session, { action: "set_notes", content: "" });
  assert.deepEqual(await read(session), { notes: "", plan: "1. Add test", refs: [] });
});

test("over budget they truncate and warn [scratchpad.set]", async () => {
  const session = await openTestSession({ scratchpad: { maxTokens: 20_000 } });
  for (const [action, space, budget] of [
    ["set_notes", "notes", 4_000],
    ["set_plan", "plan", 2_000],
  ] as const) {
    const full = await use(session, { action, content: "x".repeat(budget) });
    assert.equal(full.truncated ?? false, false);
    const { message, truncated } = await use(session, { action, content: `${"🦞".repeat(budget)}rest` });
    assert.equal((await read(session))[space], "🦞".repeat(budget));
    assert.equal(truncated, true);
    assert.match(message, new RegExp(`truncated to ${budget} characters \\(original: ${budget + 4}\\)`));
  }
  const small = await openTestSession({ limits: { spaceNotesCharacters: 3, spacePlanCharacters: 2 } });
  await use(small, { action: "set_notes", content: "12345" });
  await use(small, { action: "set_plan", content: "12345" });
  assert.deepEqual(await read(small), { notes: "123", plan: "12", refs: [] });
});

test("append_notes adds a line, and is rejected in full if it does not fit [scratchpad.append]", async () => {
  const session = await openTestSession();
  await use(session, { action: "append_notes", content: "one" });
  await use(session, { action: "append_notes", content: "two" });
  assert.equal((await read(session)).notes, "one\ntwo");
  await use(session, { action: "set_notes", content: "x".repeat(3_990) });
  const { code, text, data } = await misuse(session, { action: "append_notes", content: "y".repeat(11) });
  assert.equal(code, "over_limit");
  assert.match(text, /set_notes/);
  assert.equal(data.fits, 10);
  assert.equal((await read(session)).notes, "x".repeat(3_990));
  await use(session, { action: "append_notes", content: "y".repeat(9) });
  assert.equal((await read(session)).notes.length, 4_000);
  // The room that the refusal reports is really there.
  await use(session, { action: "set_notes", content: "x".repeat(3_990) });
  await use(session, { action: "append_notes", content: "y".repeat(10) });
  assert.equal((await read(session)).notes, `${"x".repeat(3_990)}${"y".repeat(10)}`);
});

test("refs.add drops the oldest at capacity and makes an existing ref the newest [scratchpad.refs-add]", async () => {
  const session = await openTestSession({ limits: { refs: 3 } });
  for (const ref of ["a", "b", "c"]) await use(session, { action: "refs.add", ref });
  const { message } = await use(session, { action: "refs.add", ref: "d" });
  assert.ok(message.includes(`"a"`), "the answer says what was dropped");
  assert.deepEqual((await read(session)).refs, ["b", "c", "d"]);
  await use(session, { action: "refs.add", ref: "b" });
  assert.deepEqual((await read(session)).refs, ["c", "d", "b"]);
});

test("fifty refs fit, and a long one is never cut [scratchpad.refs-add]", async () => {
  const session = await openTestSession();
  for (let index = 0; index < 51; index++)
    await use(session, { action: "refs.add", ref: `src/file-${index}.ts` });
  const { refs } = await read(session);
  assert.deepEqual([refs.length, refs[0], refs.at(-1)], [50, "src/file-1.ts", "src/file-50.ts"]);
  const url = `https://example.com/${"x".repeat(1_900)}`;
  await use(session, { action: "refs.add", ref: url });
  assert.equal((await read(session)).refs.at(-1), url);
  assert.equal((await misuse(session, { action: "refs.add", ref: "x".repeat(2_001) })).code, "over_limit");
});

test("refs.remove removes an exact match; a missing ref is an error [scratchpad.refs-remove]", async () => {
  const session = await openTestSession();
  await use(session, { action: "refs.set", items: ["src/a.ts", "src/A.ts"] });
  await use(session, { action: "refs.remove", ref: "src/a.ts" });
  assert.deepEqual((await read(session)).refs, ["src/A.ts"]);
  const { code, text } = await misuse(session, { action: "refs.remove", ref: "src/a.ts" });
  assert.equal(code, "not_found");
  assert.ok(text.includes("src/A.ts"), "the error lists the existing refs");
  assert.equal((await misuse(session, { action: "refs.remove", ref: "A.ts" })).code, "not_found");
});

test("refs.set replaces all, caps to the first fifty and drops non-strings [scratchpad.refs-set]", async () => {
  const session = await openTestSession();
  await use(session, { action: "refs.add", ref: "old" });
  const items = Array.from({ length: 60 }, (_, index) => `ref-${index}`);
  await use(session, { action: "refs.set", items });
  assert.deepEqual((await read(session)).refs, items.slice(0, 50));
  await use(session, { action: "refs.set", items: [1, "a", null, { b: "\u0000" }, ["c"], "b", true, "a"] });
  assert.deepEqual((await read(session)).refs, ["a", "b"]);
  await use(session, { action: "refs.set", items: [] });
  assert.deepEqual((await read(session)).refs, []);
});

test("a missing parameter is an error that names it, and wipes nothing [scratchpad.missing-parameter]", async () => {
  const session = await openTestSession();
  await use(session, { action: "set_notes", content: "n" });
  await use(session, { action: "set_plan", content: "p" });
  await use(session, { action: "refs.add", ref: "r" });
  for (const [input, field] of [
    [{ action: "set_notes" }, "content"],
    [{ action: "append_notes" }, "content"],
    [{ action: "set_plan" }, "content"],
    [{ action: "set_plan", ref: "x" }, "content"],
    [{ action: "refs.add" }, "ref"],
    [{ action: "refs.add", ref: "" }, "ref"],
    [{ action: "refs.remove" }, "ref"],
    [{ action: "refs.remove", ref: "" }, "ref"],
    [{ action: "refs.set" }, "items"],
    [{ action: "refs.set", items: "r" }, "items"],
    [{ mode: "append" }, "action"],
    [{ mode: "replace" }, "content"],
  ] as const) {
    const { code, text } = await misuse(session, input);
    assert.equal(code, "invalid_input");
    assert.ok(text.includes(`"${field}"`), `${JSON.stringify(input)}: ${text}`);
  }
  const unknown = await misuse(session, { action: "clear" });
  for (const action of ["set_notes", "append_notes", "set_plan", "refs.add", "refs.remove", "refs.set"]) {
    assert.ok(unknown.text.includes(action), unknown.text);
  }
  assert.deepEqual(await read(session), { notes: "n", plan: "p", refs: ["r"] });
});

test("the history keeps truncated text in full, at the revision the answer names [scratchpad.truncation-kept]", async () => {
  const session = await openTestSession();
  const content = `${"x".repeat(4_000)}the end that was cut`;
  for (const input of [
    { action: "set_notes", content },
    { action: "set_plan", content },
    { content: "word ".repeat(5_000) },
  ]) {
    const { message } = await use(session, input);
    const [, revision] = / in the history as revision (\d+)\.$/.exec(message) ?? [];
    const [entry] = await session.history({ from: Number(revision), to: Number(revision) });
    assert.ok(entry && "content" in entry.operation);
    assert.equal(entry.operation.content, input.content);
  }
});

test("the block shows only the non-empty spaces, in the specified format [scratchpad.block]", async () => {
  const session = await openTestSession({ surfaces: ["scratchpad"] });
  const block = async () => (await session.context()).message;
  assert.equal(await block(), "");
  assert.deepEqual((await session.context()).blocks, []);
  await use(session, { action: "refs.set", items: ["src/auth/login.ts", "https://example.com/42"] });
  assert.equal(
    await block(),
    "[Session Scratchpad]\nReferences:\n• src/auth/login.ts\n• https://example.com/42\n[End Scratchpad]",
  );
  await use(session, { action: "set_plan", content: "1. Fix\n2. Test" });
  await use(session, { action: "set_notes", content: "Root cause: timezone" });
  assert.equal(
    await block(),
    "[Session Scratchpad]\nRoot cause: timezone\n\nPlan:\n1. Fix\n2. Test\n\nReferences:\n• src/auth/login.ts\n• https://example.com/42\n[End Scratchpad]",
  );
  const [placed] = (await session.context()).blocks;
  assert.deepEqual([placed?.surface, placed?.placement], ["scratchpad", "message"]);
});

test("the tool is called session.scratchpad and also answers to session_scratchpad [scratchpad.name]", async () => {
  const session = await openTestSession();
  assert.deepEqual(
    scratchpadSurface.tools.map(({ name }) => name),
    ["session.scratchpad"],
  );
  await answer(session, "session.scratchpad", { action: "set_plan", content: "dotted" });
  await answer(session, "session_scratchpad", { action: "append_notes", content: "plain" });
  assert.deepEqual(await read(session), { notes: "plain", plan: "dotted", refs: [] });
  const schema = schemaOf(scratchpadSurface.tools[0]?.input as never, "input") as {
    properties: Record<string, { enum?: string[] }>;
  };
  assert.deepEqual(schema.properties.action?.enum, [
    "set_notes",
    "append_notes",
    "set_plan",
    "refs.add",
    "refs.remove",
    "refs.set",
  ]);
  assert.deepEqual(schema.properties.mode?.enum, ["replace", "append"]);
  assert.deepEqual(schema.properties.items, {
    type: "array",
    items: { type: "string" },
    description: "For refs.set: all refs (array of strings)",
  });
});

/** Counts words, so that tests know exactly what fits. */
const words = {
  name: "words",
  count: (text: string) => text.split(/\s+/).filter((word) => word !== "").length,
};

test("the older call replaces by default and appends with mode append [scratchpad.old-call]", async () => {
  const session = await openTestSession({ tokenizer: words });
  const { message } = await use(session, { content: "w ".repeat(44).concat("w") });
  assert.equal(message, "Scratchpad updated (45 tokens / 2000 budget)");
  assert.equal(
    (await session.call("session.scratchpad", { content: "a b" })).text,
    "Scratchpad updated (2 tokens / 2000 budget)",
  );
  assert.equal(
    (await use(session, { content: "c", mode: "append" })).message,
    "Scratchpad updated (3 tokens / 2000 budget)",
  );
  assert.equal((await read(session)).notes, "a b\nc");
  await use(session, { content: "only this", mode: "replace" });
  assert.equal((await read(session)).notes, "only this");
  assert.match((await session.context()).message, /^\[Session Scratchpad\]\nonly this\n\[End Scratchpad\]$/);
});

test("the older call's token budget truncates a replace and rejects an append [scratchpad.old-budget]", async () => {
  const session = await openTestSession({ tokenizer: words });
  const { message, truncated } = await use(session, { content: "w ".repeat(3_200).trim() });
  assert.ok(
    message.startsWith("Scratchpad truncated to 2000 tokens (original: 3200). Consider summarizing."),
    message,
  );
  assert.equal(truncated, true);
  assert.equal(words.count((await read(session)).notes), 2_000);
  await use(session, { content: "w ".repeat(1_800).trim() });
  const { code, text } = await misuse(session, { content: "w ".repeat(500).trim(), mode: "append" });
  assert.equal(code, "over_limit");
  assert.equal(
    text,
    "Append would exceed 2000 token budget (current: 1800, append: 500). Use mode 'replace' to rewrite, or reduce content.",
  );
  const small = await openTestSession({ tokenizer: words, scratchpad: { maxTokens: 3 } });
  assert.match((await use(small, { content: "a b c d" })).message, /truncated to 3 tokens \(original: 4\)/);
});

test("a write of which nothing would be left is refused, and the spaces stay as they are [scratchpad.max-tokens]", async () => {
  const session = await openTestSession({ surfaces: ["scratchpad"] });
  const notes = "漢字".repeat(1_750);
  assert.ok((await session.call("session.scratchpad", { action: "set_notes", content: notes })).ok);
  const before = await session.scratchpad.read();
  for (const write of [
    { action: "set_plan", content: "1. Fix the double count in July" },
    { action: "refs.set", items: ["src/auth/login.ts"] },
  ]) {
    const answer = await session.call("session.scratchpad", write);
    assert.equal(answer.ok, false);
    assert.match(answer.text, /^The scratchpad has no room for (?:plan|refs): .* Nothing was changed\./);
  }
  assert.deepEqual(await session.scratchpad.read(), before);
});

test("maxTokens caps all spaces together, whichever action writes [scratchpad.max-tokens]", async () => {
  const session = await openTestSession({
    surfaces: ["scratchpad"],
    tokenizer: words,
    scratchpad: { maxTokens: 12 },
  });
  const shown = async () =>
    words.count((await session.context()).message) - words.count("[Session Scratchpad] [End Scratchpad]");
  const truncated = /^Scratchpad truncated to 12 tokens \(original: \d+\)\. Consider summarizing\./;
  await use(session, { action: "set_notes", content: "a b c d" });
  await use(session, { action: "set_plan", content: "1. x" });
  assert.equal(await shown(), 7);
  assert.equal(
    (await misuse(session, { action: "append_notes", content: "e f g h i j" })).text,
    "Append would exceed 12 token budget (current: 7, append: 6). Use mode 'replace' to rewrite, or reduce content.",
  );
  assert.match(
    (await use(session, { action: "set_notes", content: "n ".repeat(20).trim() })).message,
    truncated,
  );
  assert.equal(await shown(), 12);
  assert.match(
    (await misuse(session, { action: "refs.add", ref: "src/a.ts" })).text,
    /^Append would exceed 12 token/,
  );
  await use(session, { action: "set_notes", content: "a" });
  assert.match(
    (await use(session, { action: "refs.set", items: ["r1", "r2", "r3", "r4", "r5"] })).message,
    truncated,
  );
  assert.deepEqual((await read(session)).refs, ["r1", "r2", "r3"]);
  assert.match(
    (await use(session, { action: "set_plan", content: "p ".repeat(20).trim() })).message,
    truncated,
  );
  assert.ok((await shown()) <= 12);
  await use(session, { action: "refs.set", items: [] });
  await use(session, { action: "set_plan", content: "" });
  await use(session, { action: "set_notes", content: "n ".repeat(10).trim() });
  const { revision } = await session.scratchpad.setNotes("");
  await use(session, { action: "set_plan", content: "p ".repeat(5).trim() });
  await assert.rejects(session.undo(revision), /the scratchpad would exceed 12 tokens/);
});

test("the older call keeps to the notes' characters [scratchpad.old-budget]", async () => {
  const session = await openTestSession({ tokenizer: words });
  const { message } = await use(session, { content: "x".repeat(9_999) });
  assert.match(message, /^notes truncated to 4000 characters \(original: 9999\)\. Consider summarizing\./);
  assert.equal((await read(session)).notes.length, 4_000);
  assert.match(
    (await misuse(session, { content: "y", mode: "append" })).text,
    /^Append would exceed 4000 characters \(current: 4000, append: 1/,
  );
});

test("enabled: false means no tool, no block, no guidance [scratchpad.disabled]", async () => {
  const session = await openTestSession({ scratchpad: { enabled: false } });
  await session.scratchpad.setNotes("written by a program");
  for (const name of ["session.scratchpad", "session_scratchpad"]) {
    assert.equal((await refusal(session, name, { content: "x" })).code, "unknown_tool");
  }
  const { guidance, system, message, blocks } = await session.context();
  for (const text of [guidance, system, message, JSON.stringify(blocks)])
    assert.ok(!/session.scratchpad/i.test(text), text);
});

test("the guidance describes the tool, its budget and its modes [scratchpad.guidance]", async () => {
  const { guidance } = await (
    await openTestSession({ surfaces: ["scratchpad"], scratchpad: { maxTokens: 700 } })
  ).context();
  for (const line of [
    "## Session Scratchpad",
    "You have a persistent scratchpad tool (session.scratchpad) that survives context compaction.",
    "Use it to save: multi-step plans, key findings, important decisions, accumulated state.",
  ]) {
    assert.ok(guidance.split("\n").includes(line), line);
  }
  assert.ok(
    guidance.includes("The scratchpad is prepended to each message you receive. Budget: ~700 tokens."),
  );
  assert.match(guidance, /mode "replace" to overwrite.*or "append" to add incrementally/);
});
