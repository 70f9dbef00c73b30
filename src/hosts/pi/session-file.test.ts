import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isHoldfastError } from "../../errors.ts";
import type { EntryState } from "../plugin/scratchpad-entries.ts";
import { type PiSession, readPiSession, type WriteOptions, writePiState } from "./session-file.ts";

type Fields = Record<string, unknown>;

const header = {
  type: "session",
  version: 3,
  id: "0198-session",
  timestamp: "2026-03-01T10:00:00.000Z",
  cwd: "/repo",
};

function file(...lines: (Fields | string)[]): string {
  return [header, ...lines]
    .map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`)
    .join("");
}

function entry(id: string, parentId: string | null, fields: Fields): Fields {
  return { id, parentId, timestamp: "2026-03-01T10:00:01.000Z", ...fields };
}

function custom(id: string, parentId: string | null, customType: string, data?: unknown): Fields {
  return entry(id, parentId, { type: "custom", customType, data });
}

function message(id: string, parentId: string | null, content = id): Fields {
  return entry(id, parentId, { type: "message", message: { role: "user", content } });
}

function options(...ids: string[]): WriteOptions {
  let next = 0xa0000000;
  return { now: new Date("2026-03-02T00:00:00Z"), makeId: () => ids.shift() ?? (next++).toString(16) };
}

/** The appended entries, parsed. */
function appended(before: string, after: string): Fields[] {
  assert.ok(after.startsWith(before));
  const lines = after.slice(before.length).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

function ids(entries: { id?: unknown }[]): unknown[] {
  return entries.map(({ id }) => id);
}

function warnedLines({ warnings }: PiSession): number[] {
  return warnings.map(({ line }) => line);
}

function refused(text: string, pattern: RegExp): void {
  assert.throws(
    () => readPiSession(text),
    (error) => isHoldfastError(error) && error.code === "invalid_input" && pattern.test(error.message),
  );
}

const empty = { notes: "", plan: "", refs: [] };

describe("the header", () => {
  test("has an id and a time", () => {
    const session = readPiSession(JSON.stringify(header));
    assert.equal(session.id, "0198-session");
    assert.equal(session.timestamp, "2026-03-01T10:00:00.000Z");
    assert.deepEqual([session.title, session.notepad, session.scratchpad], [null, null, empty]);
    assert.deepEqual([session.branch, session.warnings], [[], []]);
  });

  test("is read after a byte order mark and after a damaged line, as pi does", () => {
    assert.equal(readPiSession(`\uFEFF${file()}`).id, "0198-session");
    assert.deepEqual(warnedLines(readPiSession(`{"type":"sess\n${file()}`)), [1]);
  });

  test("must be a pi header", () => {
    refused("", /no line with a JSON object.*expected a first line \{"type":"session","version":3/);
    refused("[1]\nplain text\n", /no line with a JSON object/);
    refused('{"type":"user"}\n', /a first line of type "user"/);
    refused("{}\n", /a first line of type \(none\)/);
    refused('{"type":"session","version":3}\n', /a header without an id/);
    refused('{"type":"session","version":"three","id":"a"}\n', /a header with version "three"/);
  });

  test("of another version is refused with advice", () => {
    refused(
      '{"type":"session","id":"a"}\n',
      /has version 1, Holdfast reads version 3\. Open the session once with pi/,
    );
    refused('{"type":"session","version":2,"id":"a"}\n', /version 2,.*once with pi/);
    refused('{"type":"session","version":4,"id":"a"}\n', /version 4,.*Update Holdfast/);
  });
});

describe("the branch", () => {
  test("runs from the root to the last entry and leaves the other branches out", () => {
    const text = file(
      message("00000001", null),
      custom("00000002", "00000001", "openclaw:scratchpad:plan", "abandoned"),
      message("00000003", "00000002"),
      entry("00000004", "00000001", { type: "compaction", summary: "so far" }),
      message("00000005", "00000004"),
      entry("00000006", "00000005", { type: "context_edit", from: "a later pi" }),
    );
    const session = readPiSession(text);
    assert.deepEqual(
      session.branch.map(({ type }) => type),
      ["message", "compaction", "message", "context_edit"],
    );
    assert.equal(session.branch.at(-1)?.from, "a later pi");
    const time = "2026-03-01T10:00:01.000Z";
    assert.deepEqual(session.messages, [
      { id: "00000001", timestamp: time, message: { role: "user", content: "00000001" } },
      { id: "00000005", timestamp: time, message: { role: "user", content: "00000005" } },
    ]);
    assert.deepEqual(session.scratchpad, empty);
    assert.deepEqual(session.warnings, []);
  });

  test("skips bad lines and reports them", () => {
    const text = file(
      message("00000001", null),
      '{"type":"message","id":"000',
      { type: "message" },
      { id: "00000002" },
      { type: "message", id: "00000003", parentId: 7 },
      header,
      "",
      message("00000004", "00000001"),
      entry("00000005", "00000004", { type: "message" }),
      "null",
    );
    const session = readPiSession(text);
    assert.deepEqual(ids(session.messages), ["00000001", "00000004"]);
    assert.deepEqual(warnedLines(session), [3, 4, 5, 6, 7, 10, 11]);
    assert.match(session.warnings[1]?.message ?? "", /type "message" without an id/);
  });

  test("starts where a parent is missing", () => {
    const orphan = message("00000003", "00000002");
    const session = readPiSession(file(message("00000001", null), orphan, message("00000004", "00000003")));
    assert.deepEqual(ids(session.branch), ["00000003", "00000004"]);
    assert.deepEqual(warnedLines(session), [3]);
    assert.match(session.warnings[0]?.message ?? "", /Parent "00000002" of "00000003" is not in the file/);
  });

  test("ends at a cycle", () => {
    const loop = readPiSession(file(message("00000001", "00000002"), message("00000002", "00000001")));
    assert.deepEqual(ids(loop.branch), ["00000001", "00000002"]);
    assert.match(loop.warnings[0]?.message ?? "", /is also its descendant/);
    assert.equal(readPiSession(file(message("00000001", "00000001"))).branch.length, 1);
  });

  test("uses the later of two entries with the same id", () => {
    const text = file(
      message("00000001", null, "early"),
      message("00000001", null, "late"),
      message("00000002", "00000001"),
    );
    const session = readPiSession(text);
    assert.equal(session.messages[0]?.message.content, "late");
    assert.match(session.warnings[0]?.message ?? "", /Id "00000001" is used twice/);
  });

  test("has the title of its last session_info", () => {
    const name = (id: string, parentId: string | null, fields: Fields) =>
      entry(id, parentId, { type: "session_info", ...fields });
    const first = name("00000001", null, { name: " Auth bug " });
    assert.equal(readPiSession(file(first)).title, "Auth bug");
    assert.equal(readPiSession(file(first, name("00000002", "00000001", {}))).title, null);
    assert.equal(readPiSession(file(first, name("00000002", null, { name: "Other" }))).title, "Other");
  });
});

describe("the scratchpad", () => {
  const read = (customType: string, data: unknown) =>
    readPiSession(file(custom("00000001", null, customType, data)));

  test("is read in every shape seen in the wild", () => {
    for (const data of ["kept", { content: "kept" }, { text: "kept" }]) {
      assert.equal(read("openclaw:scratchpad", data).scratchpad.notes, "kept");
      assert.equal(read("openclaw:scratchpad:notes", data).scratchpad.notes, "kept");
      assert.equal(read("openclaw:scratchpad:plan", data).scratchpad.plan, "kept");
      assert.equal(read("holdfast:notepad", data).notepad, "kept");
    }
    assert.equal(read("openclaw:scratchpad:notes", { notes: "kept" }).scratchpad.notes, "kept");
    assert.equal(read("openclaw:scratchpad:plan", { plan: "kept" }).scratchpad.plan, "kept");
    for (const data of [["a", 1, "b", null], { items: ["a", {}, "b"] }, { refs: ["a", "b"] }]) {
      assert.deepEqual(read("openclaw:scratchpad:refs", data).scratchpad.refs, ["a", "b"]);
    }
  });

  test("has the later notes, under the old key or the new one", () => {
    const old = (id: string, parentId: string | null) => custom(id, parentId, "openclaw:scratchpad", "old");
    const young = (id: string, parentId: string | null) =>
      custom(id, parentId, "openclaw:scratchpad:notes", "new");
    const notes = (...lines: Fields[]) => readPiSession(file(...lines)).scratchpad.notes;
    assert.equal(notes(old("00000001", null), young("00000002", "00000001")), "new");
    assert.equal(notes(young("00000001", null), old("00000002", "00000001")), "old");
    assert.equal(notes(young("00000001", null), old("00000002", null)), "old");
  });

  test("is emptied by an entry without data, and keeps its value if the data is unreadable", () => {
    const plan = "openclaw:scratchpad:plan";
    const after = (data?: unknown) =>
      readPiSession(
        file(custom("00000001", null, plan, "1. Fix"), custom("00000002", "00000001", plan, data)),
      );
    assert.equal(after().scratchpad.plan, "");
    const session = after({ steps: 2 });
    assert.equal(session.scratchpad.plan, "1. Fix");
    assert.match(session.warnings[0]?.message ?? "", /Unknown shape of data in "openclaw:scratchpad:plan"/);
    assert.equal(read("openclaw:scratchpad:refs", "a").warnings.length, 1);
    assert.equal(read("openclaw:scratchpad:notes", 4).warnings.length, 1);
    assert.equal(read("holdfast:notepad", []).warnings.length, 1);
  });

  test("ignores a custom_message", () => {
    const text = file(
      entry("00000001", null, { type: "custom_message", customType: "openclaw:scratchpad", data: "no" }),
    );
    assert.deepEqual(readPiSession(text).scratchpad, empty);
  });
});

describe("writing", () => {
  test("appends one entry for each value that differs, each the child of the previous one", () => {
    const text = file(
      message("00000001", null),
      custom("00000002", "00000001", "openclaw:scratchpad:plan", "1. Fix"),
    );
    const scratchpad = { notes: "found", plan: "1. Fix", refs: ["src/a.ts"] };
    const written = writePiState(text, { scratchpad, notepad: "Ship on Friday." }, options());
    const timestamp = "2026-03-02T00:00:00.000Z";
    assert.deepEqual(appended(text, written), [
      { ...custom("a0000000", "00000002", "openclaw:scratchpad:notes", "found"), timestamp },
      { ...custom("a0000001", "a0000000", "openclaw:scratchpad:refs", ["src/a.ts"]), timestamp },
      { ...custom("a0000002", "a0000001", "holdfast:notepad", { content: "Ship on Friday." }), timestamp },
    ]);
    assert.ok(!written.includes("\n\n"));
    assert.equal(writePiState(written, { scratchpad, notepad: "Ship on Friday." }, options()), written);
  });

  test("starts at the root of a session without entries", () => {
    assert.equal(appended(file(), writePiState(file(), { notepad: "x" }, options()))[0]?.parentId, null);
  });

  test("keeps values that are not passed, and removes a notepad", () => {
    const text = file(custom("00000001", null, "holdfast:notepad", { content: "old" }));
    assert.equal(writePiState(text, {}, options()), text);
    assert.equal(writePiState(text, { scratchpad: empty }, options()), text);
    assert.equal(readPiSession(writePiState(text, { notepad: null }, options())).notepad, null);
    assert.equal(readPiSession(writePiState(text, { notepad: "" }, options())).notepad, "");
  });

  test("does not repeat notes that the old key already has", () => {
    const text = file(custom("00000001", null, "openclaw:scratchpad", "old"));
    assert.equal(writePiState(text, { scratchpad: { ...empty, notes: "old" } }, options()), text);
  });

  test("keeps every byte: CRLF, damaged lines, unknown entries, a torn last line", () => {
    const lines = file(
      entry("00000001", null, { type: "usage" }),
      "not json",
      message("00000002", "00000001"),
    );
    const text = `${lines.replaceAll("\n", "\r\n")}{"type":"message","id":"0000`;
    const written = writePiState(text, { notepad: "x" }, options());
    assert.ok(written.startsWith(`${text}\n{"type":"custom"`));
    assert.ok(written.endsWith("}\n"));
    assert.equal(appended(text, written)[0]?.parentId, "00000002");
    assert.deepEqual(warnedLines(readPiSession(written)), [3, 5]);
  });

  test("never reuses an id in the file, even from a damaged line or of a missing parent", () => {
    const text = file('{"id":"00000001","type', message("00000002", "00000003"));
    const scripted = options("00000001", "00000002", "00000003", "00000004", "00000004", "00000005");
    const written = writePiState(text, { scratchpad: { ...empty, notes: "n", plan: "p" } }, scripted);
    assert.deepEqual(ids(appended(text, written)), ["00000004", "00000005"]);
  });
});

// Lone surrogates too: JSON escapes them, so they survive in a UTF-8 file.
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
);
const plain = { noNullPrototype: true };
const anyScratchpad = fc.record({ notes: text, plan: text, refs: fc.array(text, { maxLength: 5 }) }, plain);
const anyState: fc.Arbitrary<EntryState> = fc.record(
  { scratchpad: anyScratchpad, notepad: fc.option(text) },
  plain,
);

interface Node {
  parent: number;
  customType: string | null;
  value: string;
}

const customTypes = [
  "openclaw:scratchpad",
  "openclaw:scratchpad:notes",
  "openclaw:scratchpad:plan",
  "openclaw:scratchpad:refs",
  "holdfast:notepad",
];
const anyTree: fc.Arbitrary<Node[]> = fc.array(
  fc.record({
    parent: fc.nat(),
    customType: fc.option(fc.constantFrom(...customTypes), { freq: 3 }),
    value: text,
  }),
  { maxLength: 40 },
);

/** The parent of a node is any earlier node, or none. */
function parentOf(node: Node, index: number): number | null {
  return node.parent % (index + 1) === index ? null : node.parent % (index + 1);
}

function name(index: number): string {
  return `f${String(index).padStart(7, "0")}`;
}

function plant(nodes: Node[]): string {
  const lines = nodes.map((node, index) => {
    const parent = parentOf(node, index);
    const parentId = parent === null ? null : name(parent);
    if (node.customType === null) return message(name(index), parentId, node.value);
    const data = node.customType.endsWith(":refs") ? [node.value, node.value] : node.value;
    return custom(name(index), parentId, node.customType, data);
  });
  return file(...lines);
}

/** A naive reference implementation: recursion from the leaf. */
function walkNaively(nodes: Node[], index: number | null): EntryState & { messages: string[] } {
  const node = index === null ? undefined : nodes[index];
  if (index === null || node === undefined) return { scratchpad: { ...empty }, notepad: null, messages: [] };
  const before = walkNaively(nodes, parentOf(node, index));
  const { scratchpad } = before;
  if (node.customType === null) return { ...before, messages: [...before.messages, node.value] };
  if (node.customType === "holdfast:notepad") return { ...before, notepad: node.value };
  if (node.customType.endsWith(":refs"))
    return { ...before, scratchpad: { ...scratchpad, refs: [node.value, node.value] } };
  if (node.customType.endsWith(":plan"))
    return { ...before, scratchpad: { ...scratchpad, plan: node.value } };
  return { ...before, scratchpad: { ...scratchpad, notes: node.value } };
}

describe("for any session", () => {
  test("state and messages match a naive walk from the leaf", () => {
    fc.assert(
      fc.property(anyTree, (nodes) => {
        const { scratchpad, notepad, messages, warnings } = readPiSession(plant(nodes));
        const contents = messages.map(({ message }) => message.content);
        assert.deepEqual({ scratchpad, notepad, messages: contents }, walkNaively(nodes, nodes.length - 1));
        assert.deepEqual(warnings, []);
      }),
    );
  });

  test("a write reads back, keeps the old text as its prefix, and a second write adds nothing", () => {
    const damage = fc.constantFrom("", '{"type":"mess', "\r\n", "\n\n", "null\n");
    fc.assert(
      fc.property(anyTree, damage, anyState, (nodes, tail, state) => {
        const before = plant(nodes) + tail;
        const written = writePiState(before, state, options());
        assert.ok(written.startsWith(before));
        const { scratchpad, notepad, branch } = readPiSession(written);
        assert.deepEqual({ scratchpad, notepad }, state);
        const kept = readPiSession(before).branch;
        assert.deepEqual(branch.slice(0, kept.length), kept);
        assert.equal(writePiState(written, state, options()), written);
      }),
    );
  });
});
