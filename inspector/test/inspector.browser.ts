import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { startServe } from "../../test/support/serve-process.ts";
import { startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { inBrowser, openPage } from "./support/browser.ts";

test(
  "a new user opens the address that `npm start` prints and sees an agent at work, a compaction and its receipt [inspector.newcomer] [inspector.survived]",
  inBrowser(async (browser, context) => {
    const server = await startServe(context, ["--demo"], temporaryDirectory());
    await server.printed(/reads Revenue/);
    const { page, problems } = await openPage(browser, server);
    assert.ok(!page.url().includes("token"), "the token leaves the address bar");

    const tree = page.getByRole("tree", { name: "Sessions" });
    await tree.getByText("Workbook audit, running").waitFor();
    await tree.getByText("at work").first().waitFor();
    // The demo opens on what it demonstrates.
    await page.getByRole("heading", { name: "Workbook audit, running", level: 1 }).waitFor();
    await page.getByText("A scripted agent audits a workbook of ten sheets").waitFor();
    // The agent writes while the page is open.
    await page
      .getByRole("region", { name: /^With memory: \d+ of \d+/ })
      .getByText("Revenue: 500 rows")
      .waitFor();
    const jump = await page.evaluate<number>(`new Promise((resolve) => {
      const report = (list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0));
      new PerformanceObserver(report).observe({ type: "layout-shift", buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(0))));
    })`);
    assert.ok(jump < 0.1, `the page jumped by ${jump}`);

    await page.getByRole("link", { name: "See a finished audit." }).click();
    await page.getByRole("region", { name: "With memory: 10 of 10" }).waitFor();
    const alone = page.getByRole("region", { name: /^Without memory: [0-4] of 10/ });
    await alone.getByRole("img", { name: "not in context" }).first().waitFor();
    const receipt = page.getByRole("region", { name: "Receipt" });
    await receipt
      .getByText(/^\d+ messages \(\d+ to \d+\) left the window\. They are retrievable with recall\.$/)
      .waitFor();
    await receipt.getByText(/^The notepad: (\d+) of \1 lines in context\.$/).waitFor();
    await receipt.getByText(/^\[Receipt: \d+ messages compacted\. Above: /).waitFor();

    // Each step of a compaction, down to the words of a removed message.
    await page.getByRole("button", { name: "Compaction 2" }).click();
    const steps = page.getByRole("region", { name: "Steps" });
    await steps.locator(".talk-item", { hasText: "EMEA" }).first().locator("summary").click();
    await steps.locator(".talk-item pre").getByText("EMEA").first().waitFor();
    assert.deepEqual(await steps.locator(".step-title").allTextContents(), [
      "Warning turn",
      "Handoff",
      "Summary",
      "Removed messages",
    ]);
    await steps
      .locator("pre")
      .getByText(/^\[Handoff:[\s\S]*\[End of handoff\]$/)
      .waitFor();
    await page.locator(".step-title").getByText("Warning turn").click();
    await page.getByText("Context is approaching the token limit").waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "when the server is killed, the page reports it, keeps unsaved text and reconnects [inspector.gone]",
  inBrowser(async (browser, context) => {
    const directory = temporaryDirectory();
    const db = join(directory, "memory.db");
    const memory = await openTestMemory({ store: db });
    await (await memory.createSession({ id: "audit" })).notepad.write("- a");
    await memory.close();
    const first = await startServe(context, ["--db", db], directory);
    const { page } = await openPage(browser, first, { hash: "#/audit/memory" });
    await page.getByRole("button", { name: "Edit the notepad" }).click();
    const editor = page.getByRole("textbox", { name: "Text of the notepad" });
    await editor.fill("typed before the fall");
    first.process.kill("SIGKILL");
    await page.getByText("Disconnected from the server.").waitFor();
    assert.equal(await editor.inputValue(), "typed before the fall");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Cannot reach the server. Nothing was saved").waitFor();

    const port = Number(new URL(first.url).port);
    await first.ended;
    const second = await startTestServer(context, { path: db, port, token: first.token });
    await page.getByText("Disconnected from the server.").waitFor({ state: "detached" });
    await page.locator(".link-live").waitFor();
    assert.equal(await editor.inputValue(), "typed before the fall");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".prose").getByText("typed before the fall").waitFor();

    // With another token, the page cannot reconnect and says what to do.
    await second.server.stop();
    await startTestServer(context, { path: db, port, token: "another-token-than-before" });
    await page.getByText("The server restarted with another token.").waitFor();
  }),
);
