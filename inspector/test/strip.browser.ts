import assert from "node:assert/strict";
import { test } from "node:test";
import { call } from "../../test/support/server.ts";
import { prices, serveAudit } from "./support/audited.ts";
import { inBrowser, openPage } from "./support/browser.ts";

test(
  "the strip moves every view, and marks each write once [inspector.strip]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context, { priceOf: prices });
    const session = await memory.openSession("audit");
    const { page, problems } = await openPage(browser, server, { hash: "#/audit/compaction/1" });
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
    assert.equal(
      writes.reduce((total, value) => total + value, 0),
      writing.length,
    );
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
