import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineCutter } from "./cut-lines.ts";

function cut(chunks: readonly Uint8Array[], mostBytes: number): unknown[] {
  const heard: unknown[] = [];
  const cutter = new LineCutter(mostBytes, {
    line: (text) => heard.push(text),
    tooLong: (id) => heard.push({ id }),
  });
  for (const chunk of chunks) cutter.push(chunk);
  cutter.end();
  return heard;
}

test("lines come out the same wherever the bytes were cut [mcp.frames]", () => {
  const line = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !text.includes("\n"));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 5 }), fc.integer({ min: 1, max: 7 }), (lines, size) => {
      const bytes = Buffer.from(lines.join("\n").toWellFormed());
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      assert.deepEqual(
        cut(chunks, 10_000),
        lines.map((text) => text.toWellFormed()),
      );
    }),
  );
});

test("of a line that is too long only the outermost id is found, wherever it stands [mcp.size]", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const id = fc.oneof(fc.string(), fc.integer());
  fc.assert(
    fc.property(id, json, json, fc.integer({ min: 1, max: 9 }), (wanted, before, after, size) => {
      const message = { params: { id: "inner", arguments: before }, id: wanted, extra: [{ id: 1 }, after] };
      const bytes = Buffer.from(`${JSON.stringify(message)}\nnext`.toWellFormed());
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const known = typeof wanted === "string" ? wanted.toWellFormed() : wanted;
      assert.deepEqual(cut(chunks, 10), [{ id: known }, "next"]);
    }),
  );
});

test("no id is made up where there is none [mcp.size]", () => {
  const long = "x".repeat(50);
  for (const text of [
    `{"params":{"id":5},"x":"${long}"}`,
    `[{"id":5}, "${long}"]`,
    long,
    `{"id":null,"x":"${long}"}`,
    `{"x":"\\"id\\":5 ${long}`,
  ])
    assert.deepEqual(cut([Buffer.from(text)], 20), [{ id: undefined }], text);
});
