import assert from "node:assert/strict";
import { test } from "node:test";
import { answer, openTestMemory, openTestSession, refusal } from "../../../test/support/memory.ts";
import { memoryStore } from "../../stores/memory.ts";
import { schemaOf } from "../dispatch.ts";
import { notepadSurface } from "./tools.ts";

test("read_notepad returns an empty string until something is written, then the text [notepad.read]", async () => {
  const session = await openTestSession();
  assert.deepEqual(await answer(session, "read_notepad"), { content: "" });
  assert.equal((await session.state()).row.notepad, null);
  await answer(session, "write_notepad", { content: "## Plan\r\n- [ ] survey\n" });
  assert.deepEqual(await answer(session, "read_notepad", {}), { content: "## Plan\r\n- [ ] survey\n" });
  assert.deepEqual(await answer(session, "read_notepad", undefined), {
    content: "## Plan\r\n- [ ] survey\n",
  });
});

test("write_notepad replaces everything, and an empty string clears it [notepad.write]", async () => {
  const session = await openTestSession();
  assert.deepEqual(await answer(session, "write_notepad", { content: "first" }), { ok: true });
  await answer(session, "write_notepad", { content: "second" });
  assert.equal(await session.notepad.read(), "second");
  assert.deepEqual(await answer(session, "write_notepad", { content: "" }), { ok: true });
  assert.deepEqual(await answer(session, "read_notepad"), { content: "" });
});

test("append starts on a new line only when it needs one [notepad.append]", async () => {
  const session = await openTestSession();
  const append = (content: string) => answer(session, "update_notepad", { operation: "append", content });
  assert.deepEqual(await append("one"), { ok: true });
  assert.equal(await session.notepad.read(), "one");
  await append("two\n");
  assert.equal(await session.notepad.read(), "one\ntwo\n");
  await append("three");
  assert.equal(await session.notepad.read(), "one\ntwo\nthree");
  await append("");
  assert.equal(await session.notepad.read(), "one\ntwo\nthree");
  await append("\nfour");
  assert.match(await session.notepad.read(), /^one\ntwo\nthree\n+four$/);
});

test("prepend keeps the existing text on its own line [notepad.prepend]", async () => {
  const session = await openTestSession();
  const prepend = (content: string) => answer(session, "update_notepad", { operation: "prepend", content });
  assert.deepEqual(await prepend("three"), { ok: true });
  assert.equal(await session.notepad.read(), "three");
  await prepend("two\n");
  assert.equal(await session.notepad.read(), "two\nthree");
  await prepend("one");
  assert.equal(await session.notepad.read(), "one\ntwo\nthree");
});

test("find_replace changes the first match and reports how many others remain [notepad.find-replace]", async () => {
  const session = await openTestSession();
  await session.notepad.write("- [ ] a\n- [ ] b\n- [ ] c");
  const edited = await answer(session, "update_notepad", {
    operation: "find_replace",
    find: "[ ]",
    replace: "[x]",
  });
  assert.equal(edited.ok, true);
  assert.equal(edited.other_matches, 2);
  assert.match(edited.message, /2 other matches.*replace_all/);
  assert.equal(await session.notepad.read(), "- [x] a\n- [ ] b\n- [ ] c");

  const all = await answer(session, "update_notepad", {
    operation: "find_replace",
    find: "[ ]",
    replace: "[x]",
    replace_all: true,
  });
  assert.deepEqual(
    { ok: all.ok, replaced: all.replaced, others: all.other_matches ?? 0 },
    { ok: true, replaced: 2, others: 0 },
  );
  assert.equal(await session.notepad.read(), "- [x] a\n- [x] b\n- [x] c");
  const only = { operation: "find_replace", find: "b", replace: "B" };
  assert.deepEqual(await answer(session, "update_notepad", only), { ok: true });
});

test("find_replace takes every character literally [notepad.find-replace]", async () => {
  const session = await openTestSession();
  for (const replace of ["$&", "$$", "$1", "$`", "$'", "\\1", ".*"]) {
    await session.notepad.write("cost (.*) cost");
    await answer(session, "update_notepad", { operation: "find_replace", find: "(.*)", replace });
    assert.equal(await session.notepad.read(), `cost ${replace} cost`);
    await answer(session, "update_notepad", {
      operation: "find_replace",
      find: "cost",
      replace,
      replace_all: true,
    });
    assert.equal(await session.notepad.read(), `${replace} ${replace} ${replace}`);
  }
  await session.notepad.write("Aa");
  await answer(session, "update_notepad", { operation: "find_replace", find: "a", replace: "" });
  assert.equal(await session.notepad.read(), "A");
});

test("delete removes the first exact occurrence [notepad.delete]", async () => {
  const session = await openTestSession();
  await session.notepad.write("old\nkeep\nold\n");
  const first = await answer(session, "update_notepad", { operation: "delete", content: "old\n" });
  assert.equal(first.ok, true);
  assert.equal(await session.notepad.read(), "keep\nold\n");
  assert.match(first.message, /1 other match/);
  assert.deepEqual(await answer(session, "update_notepad", { operation: "delete", content: "old\n" }), {
    ok: true,
  });
  assert.equal(await session.notepad.read(), "keep\n");
});

test("editing a text that is not there is an error that shows the closest line [notepad.not-found]", async () => {
  const session = await openTestSession();
  await session.notepad.write("## Plan\n- [x] Analyze Sheet 1 (revenue by region)\n- [ ] Fix Q3 totals");
  const replaced = await refusal(session, "update_notepad", {
    operation: "find_replace",
    find: "- [ ] Analyze sheet 1",
    replace: "-",
  });
  assert.equal(replaced.code, "text_not_found");
  assert.ok(replaced.text.includes("- [x] Analyze Sheet 1 (revenue by region)"), replaced.text);
  const deleted = await refusal(session, "update_notepad", {
    operation: "delete",
    content: "- [ ] Fix Q4 totals",
  });
  assert.ok(deleted.text.includes("- [ ] Fix Q3 totals"), deleted.text);
  const unlike = await refusal(session, "update_notepad", { operation: "delete", content: "zzzz" });
  assert.match(unlike.text, /read/i);
});

test("find_replace in an empty notepad is an error with the next step [notepad.not-found]", async () => {
  const session = await openTestSession();
  const { code, text } = await refusal(session, "update_notepad", {
    operation: "find_replace",
    find: "x",
    replace: "y",
  });
  assert.equal(code, "text_not_found");
  assert.match(text, /empty.*append/);
});

test("a missing or empty parameter is refused by name and wipes nothing [notepad.missing-parameter]", async () => {
  const session = await openTestSession();
  await session.notepad.write("precious");
  const cases: [input: object, field: string][] = [
    [{}, "operation"],
    [{ operation: "append" }, "content"],
    [{ operation: "prepend" }, "content"],
    [{ operation: "delete" }, "content"],
    [{ operation: "delete", content: "" }, "content"],
    [{ operation: "find_replace" }, "find"],
    [{ operation: "find_replace", find: "precious" }, "replace"],
    [{ operation: "find_replace", replace: "x" }, "find"],
    [{ operation: "find_replace", find: "", replace: "x" }, "find"],
    [{ operation: "find_replace", content: "precious", replace: "x" }, "find"],
  ];
  for (const [input, field] of cases) {
    const { code, text } = await refusal(session, "update_notepad", input);
    assert.equal(code, "invalid_input");
    assert.ok(text.includes(`"${field}"`), `${JSON.stringify(input)}: ${text}`);
  }
  assert.ok((await refusal(session, "write_notepad", {})).text.includes(`"content"`));
  assert.equal(await session.notepad.read(), "precious");
});

test("a notepad over its limit is refused with the size that would fit [notepad.limit]", async () => {
  const session = await openTestSession();
  await answer(session, "write_notepad", { content: "x".repeat(32_000) });
  assert.match((await refusal(session, "write_notepad", { content: "x".repeat(32_001) })).text, /32000/);

  const small = await openTestSession({ limits: { notepadCharacters: 10 } });
  await small.notepad.write("12345");
  const { code, text, data } = await refusal(small, "update_notepad", {
    operation: "append",
    content: "678901",
  });
  assert.equal(code, "over_limit");
  assert.equal(data.fits, 5);
  assert.match(text, /\b5\b/);
  for (const operation of ["append", "prepend"]) {
    const room = await openTestSession({ limits: { notepadCharacters: 10 } });
    await room.notepad.write("12345");
    await answer(room, "update_notepad", { operation, content: "6789" });
    assert.equal((await room.notepad.read()).length, 10);
  }
  await refusal(small, "update_notepad", { operation: "find_replace", find: "1", replace: "1234567" });
});

test("the limit counts characters, not code units [notepad.limit]", async () => {
  const session = await openTestSession({ limits: { notepadCharacters: 3 } });
  await answer(session, "write_notepad", { content: "🦞🦞🦞" });
  await refusal(session, "write_notepad", { content: "🦞🦞🦞🦞" });
});

test("after the limit is lowered, a longer notepad can be shortened but not lengthened [notepad.limit]", async () => {
  const store = memoryStore();
  await (await openTestSession({ store })).notepad.write("one two three");
  const memory = await openTestMemory({ store, limits: { notepadCharacters: 5 } });
  const session = await memory.resumeSession("test");
  await refusal(session, "update_notepad", { operation: "append", content: "x" });
  await answer(session, "update_notepad", { operation: "delete", content: " three" });
  assert.equal(await session.notepad.read(), "one two");
});

test("the tools have the seed's names, parameters, enums and required lists [notepad.schema]", () => {
  const schemas = Object.fromEntries(
    notepadSurface.tools.map((tool) => [tool.name, schemaOf(tool.input, "input")]),
  );
  const closed = { additionalProperties: false };
  assert.deepEqual(schemas, {
    read_notepad: { type: "object", properties: {}, ...closed },
    write_notepad: {
      type: "object",
      properties: {
        content: { type: "string", description: "The new notepad content (replaces everything)" },
      },
      required: ["content"],
      ...closed,
    },
    update_notepad: {
      type: "object",
      properties: {
        operation: {
          type: "string",
          enum: ["find_replace", "append", "prepend", "delete"],
          description: "The type of edit to perform",
        },
        content: {
          type: "string",
          description: "For append/prepend: text to add. For delete: text to remove.",
        },
        find: { type: "string", description: "For find_replace: exact substring to find" },
        replace: { type: "string", description: "For find_replace: replacement text" },
        replace_all: {
          type: "boolean",
          description: "For find_replace: replace all occurrences. Default: false.",
        },
      },
      required: ["operation"],
      ...closed,
    },
  });
});

test("the block is the whole text under its heading, or the hint [notepad.block]", async () => {
  const session = await openTestSession({ surfaces: ["notepad"] });
  const block = async () =>
    (await session.context()).blocks.map(({ surface, placement, text }) => ({ surface, placement, text }));
  const hint =
    "(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)";
  assert.deepEqual(await block(), [
    { surface: "notepad", placement: "system", text: `## Session Notepad\n${hint}` },
  ]);
  const content = "## Findings\n- Q3 discrepancy: $1.2M against $1.155M\n".repeat(200);
  await session.notepad.write(content);
  assert.deepEqual(await block(), [
    {
      surface: "notepad",
      placement: "system",
      text: `## Session Notepad\n${content}`,
    },
  ]);
  await session.notepad.write("");
  assert.equal((await block())[0]?.text, `## Session Notepad\n${hint}`);
});

test("the guidance is the seed's instruction, before the notepad's section [notepad.guidance]", async () => {
  const session = await openTestSession({ surfaces: ["notepad"] });
  await session.notepad.write("findings");
  const instruction =
    "For multi-step or complex tasks, use the session notepad to track your plan and record findings as you work. The notepad survives context compaction — conversation details may be summarized, but the notepad is preserved in full. Update it after significant findings or completed steps.";
  const { guidance, system } = await session.context();
  assert.equal(guidance, instruction);
  assert.equal(system, `${instruction}\n\n## Session Notepad\nfindings`);
});

test("a notepad that contains the hint of an empty one parses back as itself [notepad.block]", async () => {
  const { parseNotepad, renderNotepad } = await import("./block.ts");
  const hint = renderNotepad("").slice("## Session Notepad\n".length);
  for (const content of [hint, `\\${hint}`, `${hint}\nmore`])
    assert.equal(parseNotepad(renderNotepad(content)), content);
});
