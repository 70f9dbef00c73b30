import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { shownTexts, textsShown } from "../../scripts/pictures/inspector-shots.ts";
import { inBrowser } from "./support/browser.ts";

test(
  "the pictures of the docs show the page as it is [inspector.pictures]",
  inBrowser(async (browser) => {
    const texts = await textsShown(browser);
    assert.equal(texts, readFileSync(shownTexts, "utf8"), "Run: node scripts/take-pictures.ts");
  }),
);
