import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineCutter } from "./cut-lines.ts";

function cut(chunks: readonly Uint8Array[], maxBytes: number): unknown[] {
  const events: unknown[] = [];
  const cutter = new LineCutter(maxBytes, {
    line: (text) => events.push(text),
    tooLong: (id) => events.push({ id }),
  });
  for (const chunk of chunks) cutter.push(chunk);
  cutter.end();
  return events;
}

test("lines are the same however the bytes are chunked [mcp.frames]", () => {
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

test("for an oversized line only the outermost id is found, wherever it is [mcp.size]", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const anyId = fc.oneof(fc.string(), fc.integer());
  fc.assert(
    fc.property(anyId, json, json, fc.integer({ min: 1, max: 9 }), (id, before, after, size) => {
      const message = { params: { id: "inner", arguments: before }, id, extra: [{ id: 1 }, after] };
      const bytes = Buffer.from(`${JSON.stringify(message)}\nnext`.toWellFormed());
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const known = typeof id === "string" ? id.toWellFormed() : id;
      assert.deepEqual(cut(chunks, 10), [{ id: known }, "next"]);
    }),
  );
});

test("no id is invented where there is none [mcp.size]", () => {
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
