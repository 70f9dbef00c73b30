import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { startServe } from "../../test/support/serve-process.ts";
import { startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { inBrowser, openPage } from "./support/browser.ts";

test(
  "a new user opens the address that `npm start` prints and sees, within a minute, an agent that is warned, writes its notepad, is compacted and goes on [inspector.newcomer] [inspector.live]",
  inBrowser(async (browser, context) => {
    const begun = Date.now();
    const server = await startServe(context, ["--demo"], temporaryDirectory());
    const [, hash = ""] = /\?token=[^\s#]+(#\S+)/.exec(server.output()) ?? [];
    assert.equal(hash, "#/audit/window", "the address opens the running session");
    await server.printed(/reads Revenue/);
    const { page, problems } = await openPage(browser, server, { hash });
    assert.ok(!page.url().includes("token"), "the token leaves the address bar");
    await page.getByText("A scripted agent audits a workbook").waitFor();
    await page.locator(".state-working").waitFor();
    await page.getByRole("meter", { name: "Context window" }).waitFor();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    /** Where the chart begins on a phone, below the legend. */
    const chartOnPhone = async () => {
      await page.locator(".bar").first().waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      const top = await page.evaluate<number>(
        "document.querySelector('.bars-frame').getBoundingClientRect().top",
      );
      await page.setViewportSize({ width: 1280, height: 900 });
      return top;
    };
    const chart = await chartOnPhone();
    await page.getByRole("tab", { name: "Memory" }).click();
    await page.locator(".prose").getByText("Expenses: 180 rows").waitFor();
    /** Where everything above the growing notepad begins. */
    const places = () =>
      page.evaluate<number[]>(
        "['.header', '#view', '#title-pins', '#title-notepad', '.memory-side'].map((place) => document.querySelector(place).getBoundingClientRect().top)",
      );
    const before = await places();
    await page.getByText("The agent is warned and writes down what it needs.").waitFor({ timeout: 60_000 });
    const saving = /⚠[\s\S]*?✎ (\w+: \d+ rows)/;
    await server.printed(saving);
    const [, saved = "?"] = saving.exec(server.output()) ?? [];
    await page.locator(".prose").getByText(saved).waitFor();
    const news = page.locator(".toast", { hasText: /^Compacted: notepad whole, 1 of 1 user message\./ });
    await news.waitFor({ timeout: 60_000 });
    assert.ok(Date.now() - begun < 60_000, "within a minute");
    // It goes on.
    await server.printed(/Compacted[\s\S]*? reads \w+/);
    await page.getByRole("slider", { name: "Time" }).waitFor();
    assert.deepEqual(await places(), before, "nothing moves at a warning and a compaction");
    const perSecond = requests.length / ((Date.now() - begun) / 1_000);
    assert.ok(perSecond < 1.5, `${requests.length} requests: changes come with the stream`);
    await news.getByRole("button", { name: "Look" }).click();
    await page.getByRole("heading", { name: /^Compaction 1/ }).waitFor();
    await page.keyboard.press("2");
    await page.locator(".part-list").waitFor();
    assert.equal(await chartOnPhone(), chart, "nothing moves on a phone either");
    assert.deepEqual(problems, []);
  }),
);

test(
  "an address without its token is a page with the next step [serve.no-token]",
  inBrowser(async (browser, context) => {
    const { server } = await startTestServer(context);
    const page = await (await browser.newContext()).newPage();
    const response = await page.goto(server.url);
    assert.equal(response?.status(), 401);
    await page.getByRole("heading", { name: "This address needs its token" }).waitFor();
    await page.getByText("open the whole address that it printed").waitFor();
    const margin = await page.evaluate("getComputedStyle(document.body).maxWidth");
    assert.notEqual(margin, "none", "its style passes the policy");
    const api = await fetch(new URL("/api/sessions", server.url), { headers: { Accept: "text/html" } });
    assert.equal(api.headers.get("Content-Type"), "application/json");
    await page.close();
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
    const first = await startServe(context, ["--store", db], directory);
    const { page } = await openPage(browser, first, { hash: "#/audit/memory" });
    await page.getByRole("button", { name: "Edit the notepad" }).click();
    const editor = page.getByRole("textbox", { name: "Text of the notepad" });
    await editor.fill("typed before the fall");
    first.process.kill("SIGKILL");
    await page.getByText("The server is offline.").waitFor();
    assert.equal(
      await page.locator(".state-working").count(),
      0,
      "nothing is at work while the server is down",
    );
    assert.equal(await editor.inputValue(), "typed before the fall");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Cannot reach the server. Nothing was saved").waitFor();

    const port = Number(new URL(first.url).port);
    await first.ended;
    const second = await startTestServer(context, { path: db, port, token: first.token });
    await page.getByText("The server is offline.").waitFor({ state: "detached" });
    await page.locator(".link-live").waitFor();
    assert.equal(await editor.inputValue(), "typed before the fall");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".prose").getByText("typed before the fall").waitFor();

    // With another token, the page cannot reconnect and shows the next step.
    await second.server.stop();
    await startTestServer(context, { path: db, port, token: "another-token-than-before" });
    await page.getByText("The server restarted with another token.").waitFor();
  }),
);
