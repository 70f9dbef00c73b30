import assert from "node:assert/strict";
import { test } from "node:test";
import { calls, conversation, result } from "../../../test/support/conversation.ts";
import type { StoredMessage } from "../../context/conversation.ts";
import { compareReads } from "./compare-reads.ts";
import { touchedFiles } from "./files.ts";
import type { FileNow } from "./part-status.ts";
import { pathKey } from "./path-key.ts";
import { readParts } from "./reads.ts";

const numbered = (from: number, ...lines: string[]) =>
  lines.map((line, index) => `${String(from + index).padStart(6)}→${line}`).join("\n");

const readAt = 1_000_000;
const before = readAt - 60_000;
const after = readAt + 1;

type Call = [tool: string, input: Record<string, unknown>, result: string];

function told(steps: readonly Call[], at = readAt): StoredMessage[] {
  const messages = steps.flatMap(([tool, input, text], index) => [
    calls(tool, input, String(index)),
    result(text, String(index)),
  ]);
  // A call counts from the message before it.
  return conversation(result("", "none"), ...messages).map((stored) => ({ ...stored, at }));
}

function compared(messages: readonly StoredMessage[], now: Record<string, FileNow>, folder = "") {
  const keyOf = pathKey(folder);
  const contents = new Map(Object.entries(now).map(([path, file]) => [keyOf(path), file]));
  const files = touchedFiles(messages, [], 0, keyOf);
  return compareReads(readParts(messages, [], 0, keyOf), files, contents, keyOf);
}

function statusOf(seen: string, now: FileNow, path = "a.ts", at = readAt): string {
  const { unchanged, changed } = compared(told([["Read", { path }, seen]], at), { [path]: now });
  return unchanged.has(path) ? "unchanged" : changed.has(path) ? "changed" : "unknown";
}

test("line ends, blank lines at the end and bytes that a numbered result does not show are the same only if nothing touched the file since [controller.read-ledger]", () => {
  const seen = numbered(1, "one", "two");
  const invalid = numbered(1, "one\ufffd");
  for (const touchedAt of [before, readAt - 1_000, after])
    assert.equal(statusOf(seen, { text: "one\ntwo\n", touchedAt }), "unchanged", "there is nothing to hide");
  for (const [shown, text] of [
    [seen, "one\r\ntwo\r\n"],
    [seen, "one\ntwo\n\n\n"],
    [seen, "\ufeffone\ntwo\n"],
    [invalid, "one\ufffd\n"],
  ] as const) {
    assert.equal(statusOf(shown, { text, touchedAt: before }), "unchanged", text);
    assert.equal(statusOf(shown, { text, touchedAt: after }), "unknown", text);
    assert.equal(statusOf(shown, { text, touchedAt: readAt - 1_000 }), "unknown", "times are rounded");
    assert.equal(statusOf(shown, { text, touchedAt: before }, "a.ts", 0), "unknown", "no time of the read");
  }
  assert.equal(statusOf(seen, { text: "one\nTWO\n", touchedAt: after }), "changed");
  assert.equal(
    statusOf("one\ntwo\n", { text: "one\ntwo\n", touchedAt: after }),
    "unchanged",
    "the text itself",
  );
});

test("a file that is gone or has grown has changed [controller.read-ledger]", () => {
  const seen = numbered(1, "one", "two");
  assert.equal(statusOf(seen, { text: undefined }), "changed");
  const grown = "one\ntwo\nthree\n";
  assert.equal(statusOf(seen, { text: grown, touchedAt: after }), "changed");
  assert.equal(statusOf(seen, { text: grown, touchedAt: before }), "unchanged", "the tool cut it");
  assert.equal(statusOf(seen, { text: grown }), "unknown");
  assert.equal(statusOf(`${seen}\n(1 more line)`, { text: grown, touchedAt: after }), "unknown");
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
  const more = { text: `${lines.join("\n")}\nmore\n`, touchedAt: after };
  assert.equal(statusOf(numbered(1, ...lines), more), "unknown", "a tool may cut after 100 lines");
});

test("a table whose rows begin with their numbers has not changed because of them [controller.read-ledger]", () => {
  const rows = "1\tfoo\n2\tbar\n";
  assert.equal(statusOf(rows, { text: rows, touchedAt: after }, "data.tsv"), "unknown");
  assert.equal(statusOf(rows, { text: rows, touchedAt: before }, "data.tsv"), "unchanged");
  assert.equal(statusOf(rows, { text: "foo\nbar\n" }, "data.tsv"), "unknown", "the numbers may be gone");
  assert.equal(statusOf(rows, { text: "a\tfoo\n" }, "data.tsv"), "changed");
  assert.equal(statusOf(numbered(1, "1\tfoo"), { text: "1\tfoo\n", touchedAt: before }), "unchanged");
});

test("each part of a file has a status of its own [controller.read-ledger]", () => {
  const messages = told([
    ["Read", { path: "a.ts", offset: 1, limit: 2 }, numbered(1, "one", "two")],
    ["Read", { path: "a.ts", offset: 4, limit: 2 }, numbered(4, "four", "five")],
  ]);
  const { files, unchanged, changed } = compared(messages, {
    "a.ts": { text: "ONE\ntwo\nthree\nfour\nfive\n" },
  });
  assert.deepEqual(
    files.map(({ path, lines }) => [path, lines]),
    [
      ["a.ts", "1-2"],
      ["a.ts:4-5", ""],
    ],
  );
  assert.deepEqual([[...changed], [...unchanged]], [["a.ts"], ["a.ts:4-5"]]);
  const touched = compared(messages, {
    "a.ts": { text: "ONE\ntwo\nthree\nfour\nfive\n", touchedAt: after },
  });
  assert.deepEqual([[...touched.changed], touched.files[0]?.lines], [["a.ts"], "1-2"]);
});

test("what the agent read after its own edit is compared, what it read before is not [controller.read-ledger]", () => {
  const read: Call = ["Read", { path: "a.ts" }, numbered(1, "one")];
  const edit: Call = ["Edit", { path: "a.ts", old_string: "zero", new_string: "one" }, "ok"];
  const replaced = { "a.ts": { text: "other\n" } };
  const again = compared(told([edit, read]), replaced);
  assert.deepEqual([[...again.changed], again.files[0]?.done], [["a.ts"], "read"]);
  const same = compared(told([edit, read]), { "a.ts": { text: "one\n" } });
  assert.deepEqual([same.files[0]?.done, same.unchanged.size], ["edited", 0]);
  assert.equal(compared(told([read, edit]), replaced).changed.size, 0);
  const search: Call = ["Grep", { path: "a.ts", pattern: "one" }, "1\tone"];
  assert.deepEqual(readParts(told([edit, search])), [], "neither an edit nor a search shows the file");
});

test("a file is listed once, however its path is spelled [controller.read-ledger]", () => {
  const messages = told(
    ["/p/src/a.ts", "./src/a.ts", "src/../src/a.ts", "src/a.ts"].map(
      (path): Call => ["Read", { path }, numbered(1, "one")],
    ),
  );
  const { files, unchanged } = compared(messages, { "src/a.ts": { text: "one\n" } }, "/p");
  assert.deepEqual(
    files.map(({ path }) => path),
    ["src/a.ts"],
  );
  assert.deepEqual([...unchanged], ["src/a.ts"]);
  assert.equal(readParts(messages, [], 0, pathKey("/p")).length, 1);
  assert.equal(touchedFiles(messages).length, 2, "without the folder, an absolute path is another");
});
