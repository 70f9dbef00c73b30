import assert from "node:assert/strict";
import { test } from "node:test";
import {
  answer,
  everything,
  openTestMemory,
  openTestSession,
  refusal,
  rejection,
} from "../../test/support/memory.ts";
import type { Operation, Session } from "../index.ts";

async function filledSession(): Promise<Session> {
  const session = await openTestSession();
  await session.notepad.write("kept");
  await session.notes.add("kept", ["tag"]);
  await session.scratchpad.setPlan("kept");
  return session;
}

test("a wrong type is refused with the field's name [bad.types]", async () => {
  const session = await filledSession();
  const { id = "" } = (await session.notes.all())[0] ?? {};
  const cases: [tool: string, input: Record<string, unknown>, field: string][] = [
    ["write_notepad", { content: 5 }, "content"],
    ["write_notepad", { content: null }, "content"],
    ["write_notepad", { content: ["a"] }, "content"],
    ["update_notepad", { operation: 1, content: "x" }, "operation"],
    ["update_notepad", { operation: "append", content: {} }, "content"],
    [
      "update_notepad",
      { operation: "find_replace", find: "kept", replace: "", replace_all: "yes" },
      "replace_all",
    ],
    ["add_note", { content: "x", tags: "tag" }, "tags"],
    ["add_note", { content: "x", tags: ["a", 1] }, "tags.1"],
    ["search_notes", { query: 5 }, "query"],
    ["list_notes", { tag: ["tag"] }, "tag"],
    ["update_note", { id, tags: null }, "tags"],
    ["delete_note", { id: 17 }, "id"],
    ["session.scratchpad", { action: "set_plan", content: 1 }, "content"],
    ["session.scratchpad", { action: "refs.add", ref: 1 }, "ref"],
    ["session.scratchpad", { action: 7 }, "action"],
    ["session.scratchpad", { content: "x", mode: "prepend" }, "mode"],
  ];
  for (const [tool, input, field] of cases) {
    const { code, text } = await refusal(session, tool, input);
    assert.equal(code, "invalid_input", text);
    assert.ok(text.includes(`"${field}"`), `${tool} ${JSON.stringify(input)}: ${text}`);
  }
});

test("an out-of-range value is refused with the bound and the value [bad.types]", async () => {
  const memory = await openTestMemory({ surfaces: ["notes", "tasks"] });
  const session = await memory.createSession();
  const cases: [tool: string, input: Record<string, unknown>, says: string][] = [
    ["list_notes", { limit: 0 }, '"limit" must be at least 1 (got 0)'],
    ["list_notes", { limit: 1_000 }, '"limit" must be at most 200 (got 1000)'],
    ["list_notes", { offset: 1.5 }, '"offset" must be a whole number (got 1.5)'],
    ["begin_task", { description: "" }, '"description" must not be empty'],
  ];
  for (const [tool, input, says] of cases) {
    const { text } = await refusal(session, tool, input);
    assert.equal(text, `${tool}: ${says}. Nothing was changed.`);
  }
});

test("an unknown operation, action or tool is refused with the list of those that exist [bad.types]", async () => {
  const session = await filledSession();
  const operation = await refusal(session, "update_notepad", { operation: "clear", content: "kept" });
  for (const known of ["find_replace", "append", "prepend", "delete"])
    assert.ok(operation.text.includes(known));
  const long = "x".repeat(100_000);
  for (const [name, input] of [
    [long, {}],
    ["write_notepad", { content: "", [long]: 1 }],
  ] as const)
    assert.ok((await refusal(session, name, input)).text.length < 1_000);
  const tool = await refusal(session, "write_notepads", { content: "" });
  assert.equal(tool.code, "unknown_tool");
  for (const known of ["write_notepad", "add_note", "session.scratchpad"])
    assert.ok(tool.text.includes(known));
  for (const name of ["", "__proto__", "constructor", "toString"]) {
    assert.equal((await refusal(session, name, {})).code, "unknown_tool");
  }
});

test("an unknown field is refused with its name and a suggestion [bad.types]", async () => {
  const session = await filledSession();
  for (const [tool, input, wrong, meant] of [
    ["write_notepad", { content: "x", Content: "y" }, "Content", "content"],
    ["update_notepad", { operation: "append", content: "x", text: "y" }, "text", undefined],
    [
      "update_notepad",
      { operation: "find_replace", find: "kept", replace: "", replaceAll: true },
      "replaceAll",
      undefined,
    ],
    ["add_note", { content: "x", tag: ["a"] }, "tag", "tags"],
    ["read_notepad", { verbose: true }, "verbose", undefined],
  ] as const) {
    const { code, text } = await refusal(session, tool, input);
    assert.equal(code, "invalid_input");
    assert.ok(text.includes(`"${wrong}"`), text);
    if (meant) assert.ok(text.includes(`did you mean "${meant}"`), text);
  }
});

test("an input that is not an object is refused [bad.types]", async () => {
  const session = await filledSession();
  for (const input of ["content", 5, true, ["content"], Symbol.iterator, () => 1]) {
    assert.equal((await refusal(session, "write_notepad", input)).code, "invalid_input");
  }
});

test("the library refuses wrong types too [bad.types]", async () => {
  const session = await filledSession();
  const before = await everything(session);
  const wrong = (value: unknown) => value as string;
  const calls: [call: () => Promise<unknown>, field: string][] = [
    [() => session.notepad.write(wrong(5)), "content"],
    [() => session.notepad.append(wrong(undefined)), "content"],
    [() => session.notepad.prepend(wrong(null)), "content"],
    [() => session.notepad.replace(wrong(1), "x"), "find"],
    [() => session.notepad.replace("kept", wrong(undefined)), "replace"],
    [() => session.notepad.delete(wrong({})), "content"],
    [() => session.notes.add(wrong(undefined)), "content"],
    [() => session.notes.add("x", wrong("tag") as never), "tags"],
    [() => session.notes.add("x", [wrong(1)]), "tags"],
    [() => session.notes.update(wrong(1), { content: "x" }), "id"],
    [() => session.notes.delete(wrong(undefined)), "id"],
    [() => session.notes.search({ query: wrong(5) }), "query"],
    [() => session.notes.search({ tags: wrong("tag") as never }), "tags"],
    [() => session.notes.search({ limit: -1 }), "limit"],
    [() => session.notes.search({ offset: 0.5 }), "offset"],
    [() => session.scratchpad.setNotes(wrong(undefined)), "content"],
    [() => session.scratchpad.addRef(wrong(7)), "ref"],
    [() => session.scratchpad.setRefs(wrong("abc") as never), "items"],
    [() => session.apply({ type: "notepad.write" } as Operation), "content"],
    [() => session.apply({ type: "notepad.clear" } as unknown as Operation), "notepad.clear"],
    [() => session.apply({} as Operation), "type"],
    [() => session.apply(undefined as unknown as Operation), "operation"],
  ];
  for (const [call, field] of calls) {
    const { message } = await rejection(call(), "invalid_input");
    assert.ok(message.includes(field), `${call}: ${message}`);
  }
  assert.deepEqual(await everything(session), before);
});

test("opening a memory with a misspelt or invalid limit is refused [bad.types]", async () => {
  assert.match(
    (await rejection(openTestMemory({ limits: { noteTag: 3 } as object }), "invalid_input")).message,
    /"limits\.noteTag".*noteTags/,
  );
  for (const value of [0, -1, 1.5, Number.NaN, "9" as unknown as number]) {
    assert.match(
      (await rejection(openTestMemory({ limits: { noteTags: value } }), "invalid_input")).message,
      /"limits\.noteTags"/,
    );
  }
  await rejection(openTestMemory({ store: undefined as unknown as string }), "invalid_input");
  await rejection(openTestMemory({ store: "redis://localhost" }), "invalid_input");
});

test("an unknown note id is refused with the next step [bad.ids]", async () => {
  const session = await filledSession();
  for (const id of ["note_1", "note_", "../etc/passwd", "NOTE_1", "__proto__", "🦞", "x".repeat(5_000)]) {
    for (const [tool, input] of [
      ["update_note", { id, content: "x" }],
      ["delete_note", { id }],
    ] as const) {
      const { code, text } = await refusal(session, tool, input);
      assert.equal(code, "not_found");
      assert.match(text, /list_notes or search_notes/);
      assert.ok(text.length < 500, "a long id is not repeated in full");
    }
    assert.equal(await session.notes.get(id), undefined);
  }
});

test("an unknown or malformed session id is refused with the next step [bad.ids]", async () => {
  const memory = await openTestMemory();
  assert.match(
    (await rejection(memory.resumeSession("missing"), "session_not_found")).message,
    /"missing".*create/,
  );
  for (const method of [
    "archiveSession",
    "deleteSession",
    "purgeSession",
    "forkSession",
    "spawnSession",
    "exportSession",
  ] as const) {
    await rejection(memory[method]("missing"), "session_not_found");
  }
  const malformed = [
    "",
    ".",
    "..",
    "a/b",
    "../a",
    "a..b",
    "a b",
    "-a",
    "é",
    "a\u0000b",
    "x".repeat(129),
    5,
    undefined,
    null,
    {},
  ];
  for (const id of malformed as string[]) {
    await rejection(memory.resumeSession(id), "invalid_input");
    await rejection(memory.openSession(id), "invalid_input");
    if (id !== undefined && id !== null) await rejection(memory.createSession({ id }), "invalid_input");
  }
  assert.deepEqual(await memory.listSessions(), []);
});

test("NUL is refused in every text input, with the field's name [bad.text]", async () => {
  const session = await filledSession();
  for (const [tool, input, field] of [
    ["write_notepad", { content: "a\u0000b" }, "content"],
    ["update_notepad", { operation: "append", content: "\u0000" }, "content"],
    ["update_notepad", { operation: "find_replace", find: "kept", replace: "\u0000" }, "replace"],
    ["add_note", { content: "\u0000" }, "content"],
    ["add_note", { content: "x", tags: ["ok", "a\u0000"] }, "tags"],
    ["session.scratchpad", { action: "set_plan", content: "\u0000" }, "content"],
    ["session.scratchpad", { action: "refs.add", ref: "\u0000" }, "ref"],
    ["session.scratchpad", { action: "refs.set", items: ["a", "\u0000"] }, "items"],
    ["session.scratchpad", { content: "\u0000" }, "content"],
  ] as const) {
    const { code, text } = await refusal(session, tool, input);
    assert.equal(code, "invalid_input");
    assert.ok(text.includes("NUL") && text.includes(field), text);
  }
  await rejection(session.notepad.append("\u0000"), "invalid_input");
  await rejection(session.notepad.append("x", { key: "a\u0000" }), "invalid_input");
  await rejection(
    session.notepad.append("x", { actor: { kind: "person", name: "a\u0000" } }),
    "invalid_input",
  );
  const memory = await openTestMemory();
  await rejection(memory.createSession({ title: "a\u0000" }), "invalid_input");
  assert.deepEqual(await memory.listSessions(), []);
});

test("lone surrogates become U+FFFD; pairs and everything else are unchanged [bad.text]", async () => {
  const session = await filledSession();
  await answer(session, "write_notepad", { content: "a\ud800b\udc00 🦞\r\n\ufeff\u202e" });
  assert.equal(await session.notepad.read(), "a\ufffdb\ufffd 🦞\r\n\ufeff\u202e");
  const { note_id } = await answer(session, "add_note", { content: "\udfff", tags: ["\ud83e"] });
  assert.deepEqual(
    [(await session.notes.get(note_id))?.content, (await session.notes.get(note_id))?.tags],
    ["\ufffd", ["\ufffd"]],
  );
  await answer(session, "session.scratchpad", { action: "refs.add", ref: "\ud800" });
  assert.deepEqual((await session.scratchpad.read()).refs, ["\ufffd"]);
  const memory = await openTestMemory();
  await memory.createSession({ title: "a\ud800" });
  assert.equal((await memory.listSessions())[0]?.title, "a\ufffd");
});

test("every input refuses a hundred megabytes with a typed error [bad.huge]", async () => {
  const session = await filledSession();
  const huge = "x".repeat(100 * 1024 * 1024);
  for (const [tool, input] of [
    ["write_notepad", { content: huge }],
    ["update_notepad", { operation: "append", content: huge }],
    ["update_notepad", { operation: "find_replace", find: "kept", replace: huge }],
    ["add_note", { content: huge }],
    ["add_note", { content: "x", tags: [huge] }],
    ["session.scratchpad", { action: "append_notes", content: huge }],
    ["session.scratchpad", { action: "refs.add", ref: huge }],
    ["update_notepad", { operation: "find_replace", find: huge, replace: "x" }],
  ] as const) {
    const { code, text } = await refusal(session, tool, input);
    assert.equal(code, "over_limit", tool);
    assert.ok(text.length < 1_000);
  }
  // The library has no call to refuse: the surface's limit does, before the text is searched for secrets.
  await rejection(session.notepad.write(huge), "over_limit");
  await rejection(session.notes.add(huge), "over_limit");
});

test("ten thousand tags and a hundred thousand levels of nesting are refused [bad.huge]", async () => {
  const session = await filledSession();
  const tags = Array.from({ length: 10_000 }, (_, index) => `tag-${index}`);
  assert.equal((await refusal(session, "add_note", { content: "x", tags })).code, "over_limit");
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  for (const input of [{ content: deep }, deep, { content: "x", deep }]) {
    const { code, text } = await refusal(session, "write_notepad", input);
    assert.equal(code, "invalid_input");
    assert.ok(text.length < 1_000);
  }
  await rejection(session.apply({ type: "messages.add", messages: [deep] }), "invalid_input");
});
