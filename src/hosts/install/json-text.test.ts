import assert from "node:assert/strict";
import { test } from "node:test";
import { appendJson, restoreJson, setJson } from "./json-text.ts";

test("an edit keeps comments, commas and the layout of its neighbors [init.merges] [uninstall.edits]", () => {
  const set = (text: string) => setJson(text, ["a", "ours"], [1], "x.json");
  assert.equal(
    set('{\n  "z": { "b": 1 }\n}\n'),
    '{\n  "z": { "b": 1 },\n  "a": {\n    "ours": [\n      1\n    ]\n  }\n}\n',
  );
  assert.equal(
    set('{\r\n\t"a": {},\r\n}\r\n'),
    '{\r\n\t"a": {\r\n\t\t"ours": [\r\n\t\t\t1\r\n\t\t]\r\n\t},\r\n}\r\n',
  );
  assert.equal(
    set("{\n  // none yet\n}\n"),
    '{\n  "a": {\n    "ours": [\n      1\n    ]\n  }\n  // none yet\n}\n',
  );
  assert.equal(set('{"a":{"b":1}}'), '{"a":{"b":1, "ours": [1]}}');
  assert.equal(
    appendJson('{\n  "a": { "list": ["x"] }\n}\n', ["a", "list"], "ours", "x.json"),
    '{\n  "a": { "list": ["x", "ours"] }\n}\n',
  );
  const remove = (text: string) => restoreJson(text, ["ours"], {}, "x.json");
  assert.equal(remove('{\n  "z": 2, // why, here\n  "ours": 1\n}\n'), '{\n  "z": 2 // why, here\n}\n');
  assert.equal(remove('{\n  // why\n  "ours": 1,\n  "z": 2\n}\n'), '{\n  // why\n  "z": 2\n}\n');
  assert.equal(remove('{\n  "ours": 1,\n}\n'), "{}\n");
});
