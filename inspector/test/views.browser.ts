import assert from "node:assert/strict";
import { test } from "node:test";
import axeCore from "axe-core";
import type { Page } from "playwright-core";
import { Compaction } from "../../src/compaction/compaction.ts";
import { emptyCounters } from "../../src/engine/state.ts";
import { type Memory, openMemory } from "../../src/index.ts";
import { commitReceipt } from "../../src/sessions/commit-receipt.ts";
import { openStore } from "../../src/stores/open-store.ts";
import type { Store } from "../../src/stores/store.ts";
import type { JournalEntry } from "../../src/surfaces/operations.ts";
import { surfaceNames } from "../../src/surfaces/surfaces.ts";
import { call, startTestServer } from "../../test/support/server.ts";
import { serveAudit } from "./support/audited.ts";
import { inBrowser, openPage, resize } from "./support/browser.ts";
import { builtPage } from "./support/built-page.ts";

/** Each view, and an element that it shows once loaded. */
const views: Record<string, string> = {
  "#/": ".sessions",
  "#/audit/memory": ".card",
  "#/audit/window": ".pieces",
  "#/audit/window/9": ".talk",
  "#/audit/history": ".history-detail .panel",
  "#/audit/history/c2": ".states",
};

async function visit(page: Page, hash: string): Promise<void> {
  await page.goto(new URL(hash, page.url()).href);
  await page
    .locator(views[hash] ?? "#view")
    .first()
    .waitFor({ state: "attached" });
}

/** The axe-core rules of each look: the dark theme differs in its colors only, a narrow screen in everything else. */
const light = { colorScheme: "light", width: 1280, rules: {} } as const;
const dark = { colorScheme: "dark", width: 1280, rules: { runOnly: ["color-contrast"] } } as const;
const narrow = {
  colorScheme: "light",
  width: 360,
  rules: { rules: { "color-contrast": { enabled: false } } },
} as const;

/** The violations in what the page shows. */
async function violationsIn(page: Page, within = "document"): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, width, rules } of [light, dark, narrow]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const { violations } = await page.evaluate<{
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    }>(`axe.run(${within}, ${JSON.stringify({ resultTypes: ["violations"], ...rules })})`);
    found.push(
      ...violations.map(
        ({ id, nodes }) =>
          `${colorScheme}, ${width} px: ${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`,
      ),
    );
  }
  await page.setViewportSize({ width: light.width, height: 900 });
  return found;
}

/** Colors that carry meaning without text. */
const graphics = [
  "bar",
  "accent",
  "focus",
  "part-tools",
  "part-system",
  "part-memory",
  "part-summaries",
  "part-history",
  "part-results",
];

/** The contrast of a color with the ground of a panel. */
async function contrastOf(page: Page, name: string): Promise<number> {
  const colors = await page.evaluate<[string, string]>(`(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    const read = (color) => ((probe.style.color = "var(--" + color + ")"), getComputedStyle(probe).color);
    const pair = [read("${name}"), read("surface")];
    probe.remove();
    return pair;
  })()`);
  const [one = 0, other = 0] = colors.map(luminanceOf).sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05);
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test(
  "axe-core finds no violation in any view, light and dark, wide and narrow, and what has no text has a contrast of 3:1 [inspector.accessible]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context);
    const session = await memory.openSession("audit");
    await session.notes.add("A note\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted `code`", ["tag"]);
    await session.scratchpad.setPlan("- [x] one\n- [ ] two");
    await session.scratchpad.addRef("src/there.ts");
    const { page, problems } = await openPage(browser, server);
    await page.evaluate(axeCore.source);
    for (const hash of Object.keys(views)) {
      await visit(page, hash);
      assert.deepEqual(await violationsIn(page), [], hash);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await violationsIn(page, "'dialog'"), [], "help");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("EMEA");
    await page.locator(".answer").waitFor();
    assert.deepEqual(await violationsIn(page, "'dialog'"), [], "palette");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of graphics) {
        const contrast = await contrastOf(page, name);
        assert.ok(contrast >= 3, `${name}, ${colorScheme}: ${contrast.toFixed(2)}`);
      }
    }
    assert.deepEqual(problems, []);
  }),
);

/** Words of earlier versions for where something is. */
const otherWords =
  /\b(survived|kept|put back|before the model|in sight|out of sight|recallable|one call away|missing|followed)\b/i;

/** Figures that the page once showed: a circular comparison, a receipt that was always clean, a price for a script. */
const circular = /with(?:out| and without) memory|nothing was lost|\$\s?\d|\bcost/i;

test(
  "one number for one thing, and three words for where something is [inspector.numbers]",
  inBrowser(async (browser, context) => {
    const { server } = await serveAudit(context);
    const { page } = await openPage(browser, server, { hash: "#/audit/window" });
    await page.locator(".pieces").waitFor();
    const { session } = await call(server, "session", { params: { id: "audit" } });
    const tokens = session.window?.tokens ?? 0;
    const shown = new Intl.NumberFormat("en").format(tokens);
    // The bar of the header, the newest bar of the chart, the newest call, the title of the tab.
    const meter = page.getByRole("meter", { name: "Context window" });
    assert.equal(await meter.getAttribute("aria-valuenow"), String(tokens));
    const bar = page.getByRole("group", { name: /^Model calls/ }).getByRole("button", { pressed: true });
    for (const name of ["aria-label", "title"])
      assert.ok((await bar.getAttribute(name))?.includes(`${shown} of 4,100 tokens`), name);
    const share = `${Math.round((100 * tokens) / 4_100)}\u00a0%`;
    await page.getByText(`${shown} of 4,100 tokens (${share})`).waitFor();
    assert.ok((await page.title()).startsWith(`${share} · `), await page.title());
    const parts = await page.locator(".part-list li .number:nth-of-type(3)").allTextContents();
    const sum = parts.reduce((all, part) => all + Number(part.replaceAll(",", "")), 0);
    assert.equal(sum, tokens, "the parts add up");
    const pieces = await page.locator(".pieces .piece > summary > .number").allTextContents();
    assert.equal(
      pieces.reduce((all, piece) => all + Number(piece.replaceAll(",", "")), 0),
      tokens,
      "the pieces add up",
    );
    // The next warning and compaction are visible before they come, at the same place in every bar.
    const { warnAt, compactAt } = session.window ?? {};
    const ticks = await page.evaluate<number[]>(
      "[...document.querySelectorAll('.header .tick')].map(({ style }) => Number.parseFloat(style.left))",
    );
    assert.deepEqual(
      ticks.map((share) => Math.round((share * 4_100) / 100)),
      [warnAt, compactAt],
    );
    assert.deepEqual(await page.locator(".line-name").allTextContents(), ["warning", "compaction"]);
    await page.locator(".clock-text").getByText(`${session.window?.call} calls`).waitFor();
    // As many compactions everywhere.
    const cuts = await page.getByRole("img", { name: "Compaction" }).count();
    const inClock = await page.locator(".clock-cut").count();
    await page.keyboard.press("3");
    await page.locator(".entry-compaction").first().waitFor();
    const inHistory = await page.locator(".entry-compaction").count();
    assert.deepEqual([cuts, inClock, inHistory], Array(3).fill(session.compactions));
    await page.keyboard.press("h");
    const row = page.locator(".row", { hasText: "Workbook audit" });
    await row.getByText(share, { exact: true }).waitFor();
    assert.equal(await row.getByRole("meter").getAttribute("aria-valuenow"), String(tokens));

    for (const hash of Object.keys(views)) {
      if (hash === "#/audit/memory") continue;
      await visit(page, hash);
      // Texts by agents and models have words of their own.
      const text = await page.evaluate<string>(`(() => {
        const copy = document.getElementById("app").cloneNode(true);
        for (const element of copy.querySelectorAll("pre, .prose, .piece-title, .talk-line, .entry-text, .diff"))
          element.remove();
        return copy.textContent;
      })()`);
      assert.doesNotMatch(text, otherWords, hash);
      assert.doesNotMatch(text, circular, hash);
    }
    await visit(page, "#/audit/history/c2");
    assert.deepEqual(await page.locator(".states dt").allTextContents(), [
      "in context",
      "retrievable",
      "lost",
    ]);
  }),
);

test(
  "the header is at most 120 px high, 200 on a phone, and the facts of a compaction are in the first 400 [inspector.layout]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context);
    await recordCalls(memory);
    const { page } = await openPage(browser, server, { hash: "#/audit/history/c2" });
    for (const [width, max] of [
      [1440, 120],
      [1024, 120],
      [390, 200],
    ] as const) {
      await resize(page, width, 844);
      await page.locator(".states").waitFor();
      const header = await page.locator(".header").boundingBox();
      assert.ok(header && header.height <= max, `${width} px: ${header?.height}`);
      const facts = await page.locator(".states").boundingBox();
      assert.ok(facts && facts.y + facts.height <= 400, `${width} px: ${facts && facts.y + facts.height}`);
      assert.ok((await page.evaluate<number>("document.documentElement.scrollWidth")) <= width);
    }
    // The longest facts of a header.
    await page.goto(new URL("#/long-name/memory", page.url()).href);
    await page.locator(".window-text").getByText("about 110K of 200K, about 10 calls left").waitFor();
    for (const [width, max] of [
      [1440, 120],
      [1024, 120],
      [390, 200],
      [360, 200],
    ] as const) {
      await resize(page, width, 844);
      const header = await page.locator(".header").boundingBox();
      assert.ok(header && header.height <= max, `${width} px: ${header?.height}`);
      for (const part of [".window-text", ".head-title", ".window-track"]) {
        const box = await page.locator(`.header ${part}`).boundingBox();
        const isInside = box && box.x >= 0 && box.x + box.width <= width && box.width >= 24;
        assert.ok(isInside, `${part} at ${width} px: ${JSON.stringify(box)}`);
      }
    }
    await page.goto(new URL("#/audit/history/c2", page.url()).href);
    // Views start at their top.
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.evaluate("document.getElementById('main').scrollTop = 500");
    await page.keyboard.press("1");
    await page.locator("#title-pins").waitFor();
    // The view scrolls once it is drawn.
    await page.waitForFunction("document.getElementById('main').scrollTop === 0");
    const narrowest = await page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('.clock-bar')].map((bar) => bar.getBoundingClientRect().width))",
    );
    assert.ok(narrowest <= 14, "a few calls make no wide bars");
    // The bars stay below the pointer that moves the clock.
    await page.setViewportSize({ width: 1024, height: 844 });
    const start = async () => (await page.locator(".clock-body").boundingBox())?.x;
    const now = await start();
    await page.goto(new URL("#/audit/memory?at=20&call=5", page.url()).href);
    await page.locator(".past").waitFor();
    assert.equal(await start(), now);
  }),
);

/** A session with a long name and a few calls, each larger than the one before. */
async function recordCalls(memory: Memory): Promise<void> {
  const session = await memory.createSession({
    id: "long-name",
    title: "Migrate the billing ledger, the invoices and all of their exports to bigint",
  });
  for (const history of [100_000, 105_000, 110_000]) {
    const parts = { system: 0, tools: 0, memory: 0, summaries: 0, history, results: 0 };
    const fills = { contextWindow: 200_000, warnAt: 155_000, compactAt: 160_000 };
    await session.calls.record([], { purpose: "turn", epoch: 1, ...fills, parts }, 0);
  }
}

test(
  "an empty store shows the first steps [inspector.layout]",
  inBrowser(async (browser, context) => {
    const { server } = await startTestServer(context, { page: await builtPage() });
    const { page } = await openPage(browser, server);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await page.getByText("npx holdfast init").waitFor();
  }),
);

test(
  "the keyboard alone is enough to move through calls, read a prompt, go back in time and undo [inspector.keyboard] [inspector.context] [inspector.timeline] [inspector.clock]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context);
    const session = await memory.openSession("audit");
    const { page, problems } = await openPage(browser, server);
    await page.locator(".name").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Workbook audit", level: 1 }).waitFor();

    await page.keyboard.press("2");
    const bars = page.getByRole("group", { name: /^Model calls/ });
    await bars.getByRole("button", { pressed: true }).focus();
    await page.keyboard.press("Home");
    await page.getByRole("heading", { name: /^Call 1/ }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { name: /^Call 2/ }).waitFor();
    await page.getByText(/Same as call 1 up to here: about [\d,]+ tokens/).waitFor();
    await page.getByRole("button", { name: "Conversation" }).click();
    await page.getByText(/^1–3 of 3 as of call 2/).waitFor();
    assert.equal(await page.locator(".talk-item .badge").count(), 0, "all of it is in context then");
    await page.getByRole("button", { name: "Prompt by piece" }).click();
    const recorded = await session.calls.read(2);
    const piece = page.locator(".pieces details").nth(3);
    await piece.locator("summary").press("Enter");
    const exact = piece.getByRole("button", { name: "Exact" });
    if ((await exact.count()) > 0) await exact.press("Enter");
    assert.equal(await piece.locator("pre").textContent(), recorded?.pieces[3]?.text, "byte for byte");

    // The clock is one for the page: the memory is that of call 2.
    await page.locator("h1").click();
    await page.keyboard.press("1");
    await page.getByText(/^Memory at revision/).waitFor();
    await page.locator(".prose").getByText("Read all 10 sheets").waitFor();
    assert.equal(await page.getByText("EMEA: 310 rows").count(), 0, "not written yet");
    // The header's bar is of the same time, and what comes next is known for the present only.
    const meter = page.getByRole("meter", { name: "Context window" });
    const { calls } = await call(server, "calls", { params: { id: "audit" } });
    assert.equal(await meter.getAttribute("aria-valuenow"), String(calls[1]?.tokens));
    assert.equal(await page.locator(".header .tick").count(), 0);
    assert.doesNotMatch((await page.locator(".header .window-text").textContent()) ?? "", /left|next/);
    assert.equal(await page.getByRole("button", { name: "Edit the notepad" }).count(), 0);
    const clock = page.getByRole("slider", { name: "Time" });
    await clock.focus();
    await page.keyboard.press("End");
    await page.locator(".prose").getByText("EMEA: 310 rows").waitFor();
    await page.getByRole("button", { name: "Edit the notepad" }).waitFor();
    assert.equal(await page.locator(".header .tick").count(), 2);
    const { session: shown } = await call(server, "session", { params: { id: "audit" } });
    assert.equal(await meter.getAttribute("aria-valuenow"), String(shown.window?.tokens));

    await page.locator("h1").click();
    await page.keyboard.press("3");
    const list = page.locator(".history-list");
    await list.locator('[aria-current="true"]').focus();
    await page.keyboard.press("End");
    await page.getByRole("heading", { name: /^Wrote the notepad/ }).waitFor();
    await page.keyboard.press("Home");
    await list.getByText("Ticked: Read all 10 sheets").click();
    await page.getByRole("heading", { name: "Ticked: Read all 10 sheets; Explain the Q3 gap" }).waitFor();
    await page.getByRole("button", { name: "Undo this change" }).press("Enter");
    await page.locator(".toast", { hasText: /^Undid revision \d+\./ }).waitFor();
    assert.match(await session.notepad.read(), /\[ \] Explain the Q3 gap/);
    await list.getByText(/^Undid revision/).waitFor();
    await list.getByText("Person").first().waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "Where is …? says where the agent has a text, and goes to it, to sessions and to actions [inspector.still-there] [inspector.palette] [inspector.search] [inspector.places]",
  inBrowser(async (browser, context) => {
    const { server } = await serveAudit(context);
    const { page, problems } = await openPage(browser, server, { hash: "#/audit/history" });
    await page.getByRole("button", { name: "Where is …?" }).click();
    await page.keyboard.type("July double-counted");
    await page.locator(".answer-state").getByText("in context").waitFor();
    await page
      .getByText(/^ · notepad line 9|notepad line 9/)
      .first()
      .waitFor();
    await page.getByText(/in (\d+) of \1 calls since · 3 compactions since/).waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".is-found").getByText("July double-counted").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("2024-03-01");
    await page.locator(".palette-choice", { hasText: "retrievable" }).first().click();
    await page.locator(".talk-item.is-chosen mark").waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("compaction 2");
    await page.locator(".palette-choice", { hasText: "compaction" }).first().click();
    await page.getByRole("heading", { name: /^Compaction 2/ }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("never written by anyone");
    await page.getByText("The agent never had this").waitFor();
    // The next key belongs to the page at once.
    await page.keyboard.press("Escape");
    await page.keyboard.press("1");
    await page.locator(".prose li", { hasText: "APAC" }).hover();
    await page.locator(".prose li", { hasText: "APAC" }).getByRole("button").click();
    await page.locator(".answer-state").getByText("in context").waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "announces a compaction in another session, with what is lost [inspector.survived] [inspector.live]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await startTestServer(context, { page: await builtPage() });
    const session = await memory.createSession({ id: "hosted", title: "The setup" });
    await session.notepad.write("The port is 5432");
    const stored = (number: number, content: string) => ({
      number,
      at: 0,
      message: { role: "user" as const, content },
    });
    const removed = [stored(1, "Use port 5432, see docs/setup.md"), stored(2, "The ticket is E-1041")];
    const compaction = new Compaction({
      session,
      trigger: "host",
      skipped: "the host does not say",
      readWith: "",
      countTokens: (text) => text.length,
      contextAfter: async ({ summary }) => ({ text: `The port is 5432\n${summary}`, tokens: 10 }),
      commit: (receipt) => commitReceipt(session, receipt),
      notify: async () => {},
    });
    await memory.createSession({ id: "other", title: "Another session" });
    const { page, problems } = await openPage(browser, server, { hash: "#/other/memory" });
    await page.locator(".link-live").waitFor();
    await compaction.begin({ messages: removed, to: 2 });
    await compaction.finish({ text: "See docs/setup.md", by: "model" });
    const news = page.locator(".toast", {
      hasText: /^The setup: Compacted: notepad whole, 2 of 2 user messages, 2 messages lost\./,
    });
    await news.getByRole("button", { name: "Look" }).click();
    await page.waitForURL(/#\/hosted\/history\/c1$/);
    await page.locator(".where-lost.has-facts").getByText("2 removed messages").waitFor();
    await page.getByText("The agent was not warned: the host does not say.").waitFor();
    await page.getByLabel("Needs you: 1").click();
    await page.getByText("2 messages of the last compaction are lost").waitFor();
    await page.getByText("This is one line of each message.").waitFor();
    await page.locator(".talk-item", { hasText: "The ticket is E-1041" }).waitFor();
    const { handoff } = await call(server, "compaction", { params: { id: "hosted", epoch: 1 } });
    assert.match(handoff.text, /Use port 5432, see docs\/setup\.md/);
    await page.keyboard.press("h");
    await page.locator(".cell-last.needs").getByText("2 messages lost").waitFor();
    assert.deepEqual(problems, []);
  }),
);

const entries = 100_000;
const start = Date.UTC(2026, 0, 1);

function newRow(id: string) {
  return {
    id,
    owner: "local",
    agent: "default",
    title: `Session ${id}`,
    status: "active" as const,
    origin: "created" as const,
    parent: null,
    lineage: [],
    createdAt: start,
    updatedAt: start,
    revision: 1,
    lastFork: 0,
    counters: emptyCounters(),
    notepad: null as string | null,
  };
}

const firstEntry: JournalEntry = {
  revision: 1,
  at: start,
  actor: { kind: "system" },
  surface: "session",
  operation: { type: "session.create" },
  changes: [],
  key: null,
  result: null,
};

/** Stores a session with 100,000 journal entries and a full notepad. */
async function writeLongSession(store: Store): Promise<void> {
  const full = "- a line of the notepad\n".repeat(1_333);
  const textAt = (revision: number) => (revision < 2 ? "" : revision === entries ? full : `At ${revision}`);
  const journal = Array.from({ length: entries }, (_, index): JournalEntry => {
    const revision = index + 1;
    if (revision === 1) return firstEntry;
    const [removed, inserted] = [textAt(index), textAt(revision)];
    return {
      ...firstEntry,
      revision,
      at: start + revision,
      actor: { kind: "agent" },
      surface: "notepad",
      operation: { type: "notepad.write", content: inserted },
      changes: [
        {
          type: "text",
          target: "notepad",
          at: 0,
          removed,
          inserted,
          ...(revision === 2 ? { first: true } : {}),
        },
      ],
    };
  });
  const row = { ...newRow("long"), revision: entries, notepad: full, updatedAt: start + entries };
  assert.ok(await store.create({ row, records: [], entries: journal }));
}

test(
  "1,000 sessions and 100,000 journal entries: the first session is there in half a second, and every view renders a page of them [inspector.large]",
  inBrowser(async (browser, context) => {
    const store = await openStore("memory:");
    await writeLongSession(store);
    for (let index = 0; index < 1_000; index++)
      assert.ok(await store.create({ row: newRow(`s${index}`), records: [], entries: [firstEntry] }));
    const memory = await openMemory({ store, surfaces: surfaceNames });
    const { server } = await startTestServer(context, { memory, page: await builtPage() });
    const { page, problems } = await openPage(browser, server);
    await page.locator(".row").nth(29).waitFor();
    await page.reload();
    await page.locator(".row").first().waitFor();
    const shown = await page.evaluate<number>("performance.now()");
    assert.ok(shown < 2_000, `${shown} ms`);
    const begun = performance.now();
    await call(server, "listSessions", { query: { parent: "none" } });
    assert.ok(performance.now() - begun < 500, "the list is read in half a second");
    assert.ok((await page.locator(".row").count()) <= 30);
    await page.getByText("1–30 of 1,001 sessions").waitFor();
    await page.getByRole("button", { name: "Older" }).click();
    await page.getByText("31–60 of 1,001 sessions").waitFor();

    await page.goto(new URL("#/long/history", page.url()).href);
    await page.locator(".entry").nth(59).waitFor();
    assert.ok((await page.locator(".entry").count()) <= 60);
    await page.getByRole("button", { name: "Older" }).click();
    await page.locator(".entry").getByText("At 99,9").waitFor({ state: "detached" });
    const clock = page.getByRole("slider", { name: "Time" });
    await clock.fill("98000");
    await page.keyboard.press("1");
    await page
      .locator(".prose")
      .getByText(/^At 98000/)
      .waitFor();
    await page.getByText(/^Memory at revision 98,000 of 100,000/).waitFor();
    assert.deepEqual(problems, []);
  }),
);
