import assert from "node:assert/strict";
import { test } from "node:test";
import stringWidth from "string-width";
import { textWidth } from "./wrap-text.ts";

test("widths are those of string-width, also where its tables are not asked [people.width]", () => {
  const texts = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code));
  for (const text of texts)
    assert.equal(textWidth(text), stringWidth(text), `U+${text.charCodeAt(0).toString(16)}`);
  for (const text of [
    "☑\ufe0f",
    "e\u0301",
    "日本 · naïve",
    "→│☐",
    "👩‍👩‍👧",
    texts.slice(0xc0, 0x2000).join(""),
  ])
    assert.equal(textWidth(text), stringWidth(text), JSON.stringify(text));
});
