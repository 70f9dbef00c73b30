import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { call } from "../../test/support/server.ts";
import { prices, serveAudit } from "./support/audited.ts";
import { inBrowser, openPage } from "./support/browser.ts";

test(
  "a compaction can be played, stepped and saved as a picture, and the strip moves every view [inspector.replay] [inspector.strip]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context, { priceOf: prices });
    const session = await memory.openSession("audit");
    await session.apply({ type: "session.rename", title: "An <audit> & more" });
    const { page, problems } = await openPage(browser, server, { hash: "#/audit/compaction/1" });
    const replay = page.getByRole("region", { name: "Replay of the cut" });
    const status = replay.getByRole("status");
    await status.getByText(/^Step (\d+) of \1$/).waitFor();
    await replay.getByRole("button", { name: "Play" }).click();
    await status.getByText(/^Step 1 of \d+$/).waitFor();
    await replay.getByRole("button", { name: "Pause" }).click();
    await replay.getByRole("button", { name: "‹ Step back" }).click();
    const arrived = async () =>
      (await replay.locator(".replay-home .number").allTextContents()).map((text) =>
        Number.parseInt(text, 10),
      );
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    const before = sum(await arrived());
    await replay.getByRole("button", { name: "Step ›" }).click();
    assert.ok(sum(await arrived()) >= before);
    const moves = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('.replay-fill')).transitionDuration",
    );
    assert.equal(moves, "0s", "no motion when reduced motion is asked for");
    const download = page.waitForEvent("download");
    await replay.getByRole("button", { name: "Save as SVG" }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), "compaction-1.svg");
    const svg = readFileSync((await file.path()) ?? "", "utf8");
    assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<\/svg>$/);
    assert.ok(svg.includes("An &lt;audit&gt; &amp; more, compaction 1"));
    assert.equal((svg.match(/<text /g) ?? []).length > 6, true);

    const strip = page.getByRole("slider", { name: "Move through the session" });
    await strip.fill("0");
    await page.waitForURL(/#\/audit\/context\/1$/);
    await strip.fill("3");
    await page.getByRole("heading", { name: /^Call 4/ }).waitFor();
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.locator(".entry-row").first().waitFor();
    await strip.fill("10");
    await page.waitForURL(/#\/audit\/timeline\/\d+$/);
    const { calls } = await call(server, "calls", { params: { id: "audit" } });
    assert.match(page.url(), new RegExp(`/${calls[10]?.revision}$`));

    // Each write is counted once, with the call that led to it, on every page.
    const writing = (await session.history({ limit: 1_000 })).filter(({ operation }) =>
      /^(?:notepad|notes)\./.test(operation.type),
    );
    const writes = calls.map((each) => each.writes);
    assert.equal(sum(writes), writing.length);
    const { calls: older } = await call(server, "calls", {
      params: { id: "audit" },
      query: { before: 5, limit: 3 },
    });
    assert.deepEqual(
      older.map((each) => each.writes),
      writes.slice(1, 4),
    );
    assert.equal(
      await page.locator(".strip-write").count(),
      writes.filter((each) => each > 0).length,
      "the strip marks them",
    );
    await page.locator(".strip-facts").getByText(`, ${writing.length} writes`).waitFor();
    assert.deepEqual(problems, []);
  }),
);
