import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { runAudit } from "../../src/cli/demo/audit.ts";
import { call, startTestServer } from "../../test/support/server.ts";
import { prices, serveAudit } from "./support/audited.ts";
import { inBrowser, openPage } from "./support/browser.ts";
import { builtPage } from "./support/built-page.ts";

const agent = { actor: { kind: "agent" as const } };

async function serve(context: TestContext, options: Parameters<typeof startTestServer>[1] = {}) {
  return startTestServer(context, { page: await builtPage(), priceOf: prices, ...options });
}

const isInView = (page: Page, selector: string) =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector("${selector}").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);

/** Marks the page once a line lights up. */
const watchFreshLines = (page: Page) =>
  page.evaluate(`new MutationObserver(() => {
    if (document.querySelector(".is-fresh")) document.body.dataset.fresh = "yes";
  }).observe(document.getElementById("app"), { subtree: true, childList: true, attributes: true })`);

test(
  "a compaction that happens while the page is open is an event, and after it the page shows the window with and without memory [inspector.live] [inspector.with-without] [inspector.at-work]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    let opened: Awaited<ReturnType<typeof openPage>> | undefined;
    const { promise: isOpen, resolve: goOn } = Promise.withResolvers<number>();
    const audit = runAudit(memory, {
      session: { id: "audit", title: "Workbook audit" },
      // The agent does not wait for those who listen to its events.
      thinking: (answer) => (answer <= 2 ? 0 : isOpen),
      onEvent: async (event) => {
        if (opened || event.type !== "tool-result") return;
        opened = await openPage(browser, server, { hash: "#/audit/memory" });
        await opened.page.locator(".prose").getByText("Findings").waitFor();
        await watchFreshLines(opened.page);
        goOn(0);
      },
    });
    await audit;
    assert.ok(opened);
    const { page, problems } = opened;
    const card = page.getByText(/^Compacted: [\d,]+ → [\d,]+ tokens\.$/);
    await card.waitFor();
    await page
      .getByText(/\d+ messages \(\d+ to \d+\) left the window\. They are retrievable with recall\./)
      .waitFor();
    // New lines light up.
    const session = await memory.openSession("audit");
    await session.notepad.append("- Checked twice", { actor: { kind: "agent" } });
    await page.locator("body[data-fresh]").waitFor({ state: "attached", timeout: 8_000 });
    await page.getByRole("meter", { name: "Context window" }).waitFor();
    assert.match(await page.title(), /^\d+\s% · Workbook audit · Holdfast$/);
    await page.locator(".session-facts").getByText("at work").waitFor();

    await page.getByRole("link", { name: /^Look at compaction/ }).click();
    await page.getByText(/^Verified against the request of call \d+\.$/).waitFor();
    await page.getByRole("button", { name: /^Compaction 1/ }).click();
    const then = await call(server, "compaction", { params: { id: "audit", epoch: 1 } });
    const { total, alone, kept } = await call(server, "window", {
      params: { id: "audit" },
      query: { revision: then.revision ?? undefined },
    });
    assert.ok(alone < total && kept === total, `${alone} and ${kept} of ${total}`);
    await page.getByRole("region", { name: `Without memory: ${alone} of ${total}` }).waitFor();
    await page.getByRole("region", { name: `With memory: ${total} of ${total}` }).waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "a person's edit does not mark a session as at work [inspector.at-work]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    const session = await memory.createSession({ id: "quiet" });
    const { page } = await openPage(browser, server, { hash: "#/quiet/memory" });
    await session.notepad.write("by a person", { actor: { kind: "person" } });
    await page.locator(".prose").getByText("by a person").waitFor();
    assert.equal(await page.locator(".live, .live-dot").count(), 0);
    await session.notepad.append("by the agent", agent);
    await page.locator(".session-facts .live").getByText("at work").waitFor();
  }),
);

test(
  "the page answers whether something is still there, with its life, and where the rest is retrievable [inspector.still-there]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context, { priceOf: prices });
    const session = await memory.openSession("audit");
    const { page, problems } = await openPage(browser, server, { hash: "#/audit/compaction" });
    const field = page.getByRole("searchbox", { name: "Is it still there?" });
    await field.fill("July double-counted in rows 251-267");
    await field.press("Enter");
    const answer = page.locator(".still-verdict");
    const line = (await session.notepad.read()).split("\n").findIndex((text) => text.includes("EMEA")) + 1;
    await answer.getByText(/^In context:/).waitFor();
    assert.match(
      (await answer.textContent()) ?? "",
      new RegExp(`^In context: notepad line ${line}, since revision \\d+, in every call since\\.$`),
    );
    const { life } = await call(server, "whereabouts", {
      params: { id: "audit" },
      query: { q: "July double-counted in rows 251-267" },
    });
    assert.ok(life?.calls && life.calls.present === life.calls.checked && life.calls.present > 5);
    assert.ok(life.compactions >= 2 && life.actor?.kind === "agent" && (life.money ?? 0) > 0);
    const [entry] = await session.history({ from: life.since ?? 0, to: life.since ?? 0 });
    assert.match(JSON.stringify(entry?.operation), /EMEA/, "that revision wrote it");
    await page
      .locator(".life")
      .getByText(/^about \d+ tokens per call, \$/)
      .waitFor();

    // A row of a sheet left the window with its message.
    await field.fill("1;2024-01-01;20811.50");
    await field.press("Enter");
    await answer.getByText("Retrievable:").waitFor();
    await answer.getByRole("link", { name: /^message \d+$/ }).click();
    await page.locator(".talk-item.is-chosen pre").getByText("20811.50").waitFor();

    await page.goto(new URL(`#/audit/compaction?find=never%20said%20anywhere`, page.url()).href);
    await page.getByText("It is in no memory, message or revision of this session.").waitFor();
    await session.notepad.write("All done.", agent);
    await page.goto(new URL(`#/audit/compaction?find=growth%20hard-coded%20to%204%20%25`, page.url()).href);
    await answer.getByText(/^In context: the handoff of compaction \d+\.$/).waitFor();
    const others = page.locator(".still-answer details");
    await others.locator("summary").click();
    const message = others
      .getByRole("listitem")
      .filter({ hasText: /^message \d+/ })
      .first();
    await message.getByText("retrievable", { exact: true }).waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "what needs attention is listed with its action, and the palette goes anywhere [inspector.attention] [inspector.palette]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    const session = await memory.createSession({ id: "full", title: "A full notepad" });
    await session.notepad.write("x".repeat(30_400), agent);
    await session.notes.add("Rounding is half even", [], agent);
    await memory.createSession({ id: "other", title: "Another session" });
    const { page, problems } = await openPage(browser, server, { hash: "#/full/timeline" });
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByText("Notepad: 95 % full.").waitFor();
    await attention.getByRole("link", { name: "Shorten it" }).click();
    await page.getByRole("meter", { name: /^Notepad/ }).waitFor();

    const pins = page.getByRole("region", { name: "Pins" });
    await session.pins.pin("Never push to main");
    await pins.getByRole("button", { name: "Unpin: Never push to main" }).waitFor();

    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Go to" });
    await page.keyboard.type("another");
    await palette.getByRole("option", { selected: true }).getByText("Another session").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Another session", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("half even");
    await palette.getByRole("option").getByText("Rounding is half even").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/full\/memory/);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("revision 2");
    await palette.getByRole("option", { selected: true }).getByText("revision").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/#\/full\/timeline\/2/);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    assert.deepEqual(problems, []);
  }),
);

test(
  "numbers are true: parts add up, bars are proportional, and a turn after a compaction is compared with the last turn [inspector.numbers] [inspector.context]",
  inBrowser(async (browser, context) => {
    const { server } = await serveAudit(context, { priceOf: prices });
    const params = { id: "audit" };
    const { calls } = await call(server, "calls", { params });
    const turns = calls.filter(({ purpose }) => purpose === "turn");
    assert.equal(new Set(turns.map(({ parts }) => parts.tools)).size, 1, "the same tools count the same");
    for (const { number, parts, contextWindow, usage } of calls) {
      const { pieces } = await call(server, "call", { params: { ...params, number } });
      const { free, ...used } = parts;
      const sum = Object.values(used).reduce((total, tokens) => total + tokens, 0);
      assert.equal(sum + free, contextWindow, `call ${number}`);
      assert.equal(
        pieces.reduce((total, { tokens }) => total + tokens, 0),
        sum,
        `the pieces of call ${number} add up to its parts`,
      );
      assert.equal(usage.cached, null, "the provider reported nothing about its cache");
    }
    const after = turns.find(({ epoch }) => epoch === 2);
    const lastTurn = turns.findLast(({ epoch }) => epoch === 1);
    assert.ok(after && lastTurn);
    const detail = await call(server, "call", { params: { ...params, number: after.number } });
    assert.equal(detail.against, lastTurn.number, "not the summary call");
    assert.ok(detail.prefix.tokens >= after.parts.tools, "tools and system prompt are the same");

    const { page, problems } = await openPage(browser, server, { hash: `#/audit/context/${after.number}` });
    await page.getByText(new RegExp(`^Same as call ${lastTurn.number} up to here: about`)).waitFor();
    const cache = page.locator(".facts > div", { hasText: "From its cache" });
    assert.equal(await cache.locator("dd").textContent(), "not reported");
    await page.getByRole("combobox", { name: "Compared with call" }).selectOption("1");
    await page
      .getByText(/^Same as call 1 up to here: about [\d,]+ tokens that a cache can serve, for \$/)
      .waitFor();

    await page.goto(new URL(`#/audit/compaction/1`, page.url()).href);
    const { tokensBefore, tokensAfter } = await call(server, "compaction", {
      params: { ...params, epoch: 1 },
    });
    await page.locator(".window-bar").first().waitFor();
    const [before = 0, left = 0] = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.window-bar-fill')].map((bar) => bar.getBoundingClientRect().width)",
    );
    assert.ok(before > 100);
    assert.ok(Math.abs(left / before - tokensAfter / tokensBefore) < 0.01, `${left} of ${before} px`);
    const limit = calls[0]?.contextWindow.toLocaleString("en");
    await page.getByText(new RegExp(`^Why: \\d+\\u00a0% full \\([\\d,]+ of ${limit} tokens\\)`)).waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "the timeline shows the entry that it marks, by default the newest change of memory, in a sentence [inspector.sentences]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    const session = await memory.createSession({ id: "s" });
    await session.notepad.write("## Plan\n- [ ] Read all 10 sheets\n- [ ] Explain the gap", agent);
    await session.notepad.replace("- [ ] Read", "- [x] Read", agent);
    const { revision: ticked } = await session.notepad.append("- EMEA: 310 rows", agent);
    await session.apply({ type: "session.rename", title: "Renamed" }, { actor: { kind: "system" } });
    const { page } = await openPage(browser, server, { hash: "#/s/timeline" });
    const journal = page.getByRole("listbox", { name: "Journal, newest first" });
    const marked = journal.getByRole("option", { selected: true });
    await marked.getByText("Added to the notepad: EMEA: 310 rows").waitFor();
    await page.getByRole("heading", { name: `Revision ${ticked}` }).waitFor();
    await page.locator(".scrub-label").getByText(`Revision ${ticked} of 5`).waitFor();
    await page.locator(".entry-summary-full").getByText("Added to the notepad: EMEA: 310 rows").waitFor();
    await marked.press("ArrowDown");
    await marked.getByText("Ticked: Read all 10 sheets").waitFor();
    await page.locator(".entry-summary-full").getByText("Ticked: Read all 10 sheets").waitFor();
    await page.getByRole("slider", { name: /^Revision/ }).fill("4");
    await marked.getByText("Added to the notepad").waitFor();
    await page.getByRole("heading", { name: `Revision ${ticked}` }).waitFor();
  }),
);

test(
  "a double click on Delete deletes one session, and Undo brings it back [inspector.delete-once]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    for (const id of ["one", "two", "three"]) await memory.createSession({ id, title: `Session ${id}` });
    const { page } = await openPage(browser, server, { hash: "#/two/memory" });
    await page.getByRole("button", { name: "Delete", exact: true }).dblclick();
    await page.getByText("The session is in the list of deleted ones.").waitFor();
    const left = await memory.listSessions({ status: "all" });
    assert.deepEqual(left.map(({ id }) => id).sort(), ["one", "three"]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("heading", { name: "Session two", level: 1 }).waitFor();
  }),
);

test(
  "search covers messages, groups hits by session, fits its pane, takes the arrow keys and opens the place [inspector.places] [inspector.search]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context, { priceOf: prices });
    const other = await memory.createSession({ id: "other", title: "Other" });
    await other.notepad.write(
      `# Long\n${"filler\n".repeat(80)}- the leavers E-1041 are ${"w".repeat(200)}`,
      agent,
    );
    const { page, problems } = await openPage(browser, server, { hash: "#/other/memory" });
    await page.locator("h1").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("E-1041");
    const results = page.locator(".results");
    await results
      .getByRole("region", { name: "Workbook audit" })
      .getByText(/^message \d+$/)
      .first()
      .waitFor();
    await results.getByRole("region", { name: "Other" }).waitFor();
    const overflow = await page.evaluate<number>(
      "(() => { const pane = document.querySelector('.results'); return pane.scrollWidth - pane.clientWidth; })()",
    );
    assert.equal(overflow, 0, "no hit is wider than the pane");
    const hit = results.getByRole("region", { name: "Other" }).getByRole("link");
    await page.keyboard.press("ArrowDown");
    const place = await hit.getAttribute("href");
    const focused = () => page.evaluate<string>("document.activeElement.getAttribute('href')");
    for (let step = 0; step < 20 && (await focused()) !== place; step++)
      await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".prose .is-found", { hasText: "the leavers E-1041" }).waitFor();
    assert.ok(await isInView(page, ".prose .is-found"));
    await results
      .getByText(/^message \d+$/)
      .first()
      .click();
    await page.locator(".talk-item.is-chosen pre").getByText("E-1041").first().waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "views start at their top, a long notepad has an outline and a limit, its checkboxes work, an empty store shows the first steps, and the last days have figures [inspector.layout] [inspector.memory] [people.stats]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    const { page, problems } = await openPage(browser, server);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await page.getByText("holdfast init", { exact: true }).waitFor();
    const session = await memory.createSession({ id: "long", title: "Long" });
    const sections = Array.from({ length: 20 }, (_, index) => `## Part ${index}\n${"- a line\n".repeat(20)}`);
    await session.notepad.write(`# All\n- [ ] first step\n- [x] second step\n${sections.join("\n")}`, agent);
    await session.notes.add("One note", [], agent);
    // It appears by itself, and the page opens it.
    await page.getByRole("heading", { name: "Long", level: 1 }).waitFor();
    const row = page.getByRole("treeitem", { name: /Long/ });
    await row.getByText("1 note", { exact: false }).waitFor();
    assert.doesNotMatch((await row.textContent()) ?? "", /1 notes/);

    await page.getByRole("button", { name: /^Show all \d+ lines$/ }).waitFor();
    const height = () => page.evaluate<number>("document.querySelector('.main').scrollHeight");
    assert.ok((await height()) < 3_000, `the page is ${await height()} px high`);
    await page.getByRole("navigation", { name: "Outline" }).getByRole("button", { name: "Part 12" }).click();
    assert.ok(await isInView(page, "#heading-part-12"));
    await page.locator("#title-plan").getByText("1 of 2 done").waitFor();
    await page.getByRole("checkbox", { name: "Open; mark as done" }).first().click();
    await page.locator("#title-plan").getByText("2 of 2 done").waitFor();
    assert.match(await session.notepad.read(), /- \[x\] first step/);

    await page.getByRole("button", { name: /^Show all/ }).click();
    await page.evaluate("document.querySelector('.main').scrollTop = 4000");
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.locator(".entry-row").first().waitFor();
    const top = await page.evaluate<number>("document.querySelector('.main').scrollTop");
    assert.ok(top < 400, `scrolled by ${top}`);

    await page.getByRole("link", { name: "Last 7 days" }).click();
    await page.getByRole("heading", { name: "The last seven days" }).waitFor();
    const figure = (name: string) => page.locator(".week-facts > div", { hasText: name }).locator("dd");
    assert.equal(await figure("Writes by agents").textContent(), "2");
    assert.equal(await figure("Writes by you").textContent(), "1");
    assert.equal(await figure("Retrievable").textContent(), "0 messages");
    assert.equal(await figure("Lost").textContent(), "0 messages");
    assert.deepEqual(problems, []);
  }),
);

test(
  "on a narrow screen, a long list of sessions starts at its newest [inspector.layout] [inspector.sessions]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    for (let index = 0; index < 120; index++) await memory.createSession({ id: `s${index}` });
    const { page } = await openPage(browser, server, { width: 390 });
    await page.locator(".session-row").first().waitFor();
    await page.locator(".link-live").waitFor();
    assert.equal(await page.evaluate("document.querySelector('.virtual').scrollTop"), 0);
    await page.locator(".session-day").getByText("Today").waitFor();
    // The tabs do not all fit; the chosen one is in view.
    await page.goto(new URL("#/s0/timeline", page.url()).href);
    const box = await page.getByRole("tab", { name: "Timeline", selected: true }).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
  }),
);
