import assert from "node:assert/strict";
import { test } from "node:test";
import axeCore from "axe-core";
import type { Page } from "playwright-core";
import { Compaction } from "../../src/compaction/compaction.ts";
import { emptyCounters } from "../../src/engine/state.ts";
import { openMemory } from "../../src/index.ts";
import { commitReceipt } from "../../src/sessions/commit-receipt.ts";
import { openStore } from "../../src/stores/open-store.ts";
import type { Store } from "../../src/stores/store.ts";
import type { JournalEntry } from "../../src/surfaces/operations.ts";
import { surfaceNames } from "../../src/surfaces/surfaces.ts";
import { call, startTestServer } from "../../test/support/server.ts";
import { serveAudit } from "./support/audited.ts";
import { inBrowser, openPage } from "./support/browser.ts";
import { builtPage } from "./support/built-page.ts";

/** An element that each view shows once loaded. */
const landmarks: Record<string, string> = {
  memory: ".card",
  context: ".pieces",
  compaction: ".steps .talk",
  conversation: "#title-messages",
  timeline: ".then",
};

/** The axe-core rules of each look: the dark theme differs in its colors only, a narrow screen in everything else. */
const light = { colorScheme: "light", width: 1280, rules: {} } as const;
const dark = { colorScheme: "dark", width: 1280, rules: { runOnly: ["color-contrast"] } } as const;
const narrow = {
  colorScheme: "light",
  width: 360,
  rules: { rules: { "color-contrast": { enabled: false } } },
} as const;

/** The violations in what the page shows; `within` leaves out what was checked before. */
async function violationsIn(
  page: Page,
  within = "document",
  looks: readonly (typeof light | typeof dark | typeof narrow)[] = [light, dark, narrow],
): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, width, rules } of looks) {
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
  return found;
}

test(
  "axe-core finds no violation in any view, light and dark, wide and narrow [inspector.accessible]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context);
    const session = await memory.openSession("audit");
    await session.notes.add("A note\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> quoted `code`", ["tag"]);
    await session.scratchpad.setPlan("- [x] one\n- [ ] two");
    await session.scratchpad.addRef("src/there.ts");
    const { page, problems } = await openPage(browser, server, { width: narrow.width });
    await page.evaluate(axeCore.source);
    await page.getByRole("tree", { name: "Sessions" }).getByText("Workbook audit").waitFor();
    // A wide page has the list beside each view.
    assert.deepEqual(await violationsIn(page, "document", [narrow]), [], "sessions");
    for (const [view, landmark] of Object.entries(landmarks)) {
      await page.goto(new URL(`#/audit/${view}`, page.url()).href);
      await page.locator(landmark).first().waitFor({ state: "attached" });
      assert.deepEqual(await violationsIn(page), [], view);
    }
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await violationsIn(page, "'dialog'"), [], "help");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog", { name: "Go to" }).getByRole("option").first().waitFor();
    assert.deepEqual(await violationsIn(page, "'dialog'"), [], "palette");
    assert.deepEqual(problems, []);
  }),
);

test(
  "the keyboard alone is enough to move through calls, read a prompt, go back in time and undo [inspector.keyboard] [inspector.context] [inspector.timeline]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serveAudit(context, {
      priceOf: () => ({ input: 2, cacheRead: 0.2, cacheWrite: 2.5, output: 10, basis: "test-prices" }),
    });
    const session = await memory.openSession("audit");
    const { page, problems } = await openPage(browser, server, { hash: "#/audit/memory" });
    await page.locator("h1").waitFor();

    await page.keyboard.press("2");
    const bars = page.getByRole("group", { name: /^Model calls/ });
    await bars.waitFor();
    assert.ok((await bars.getByRole("img", { name: /^Compaction/ }).count()) >= 3, "compactions are cuts");
    await bars.getByRole("button", { pressed: true }).focus();
    await page.keyboard.press("Home");
    await page.getByRole("heading", { name: /^Call 1/ }).waitFor();
    await page.keyboard.press("ArrowRight");
    await page.getByRole("heading", { name: /^Call 2/ }).waitFor();
    await page.getByText(/Same as call 1 up to here: about [\d,]+ tokens/).waitFor();
    await page.getByText(/prices from test-prices/).waitFor();
    await page.getByRole("button", { name: "Exact", exact: true }).press("Enter");
    const recorded = await session.calls.read(2);
    const piece = page.locator(".pieces details").nth(3);
    await piece.locator("summary").press("Enter");
    assert.equal(await piece.locator("pre").textContent(), recorded?.pieces[3]?.text, "byte for byte");

    await page.locator("h1").click();
    await page.keyboard.press("5");
    const journal = page.getByRole("listbox", { name: "Journal, newest first" });
    await page
      .getByRole("region", { name: /^What changed in/ })
      .first()
      .waitFor();
    await journal.getByRole("option", { selected: true }).focus();
    await page.keyboard.press("End");
    await journal.getByRole("option", { selected: true }).getByText("Wrote the notepad").waitFor();
    await page
      .locator('.timeline-detail[aria-busy="false"]')
      .getByRole("region", { name: "What changed in notepad" })
      .getByText("Explain the Q3 gap")
      .waitFor();
    assert.equal(
      await page.locator(".then").getByText("Revenue: 500 rows").count(),
      0,
      "not written yet at that revision",
    );
    await page.keyboard.press("Home");
    await page.locator(".entry-summary-full").getByText("Ticked: Read all 10 sheets").waitFor();
    await page.getByRole("button", { name: "Undo this change" }).press("Enter");
    await page.getByText(/^Undid revision \d+\.$/).waitFor();
    assert.match(await session.notepad.read(), /\[ \] Explain the Q3 gap/);
    await journal.getByText(/^Undid revision/).waitFor();
    await journal.getByText("Person").first().waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "announces a compaction in another session, and shows the receipt of a host's own [inspector.survived] [inspector.live]",
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
      hasText: /^The setup was compacted: \d+ → 10 tokens\. 2 messages left the window\. They are lost\./,
    });
    await news.getByRole("button", { name: "Look" }).click();
    await page.waitForURL(/#\/hosted\/compaction\/1$/);
    const receipt = page.getByRole("region", { name: "Receipt" });
    await receipt.locator(".bad").getByText("2 messages left the window. They are lost.").waitFor();
    await receipt
      .getByText("The user's messages: 2 in context whole, 0 in context cut, 0 left out.")
      .waitFor();
    await receipt.getByText("The notepad: 1 of 1 line in context.").waitFor();
    await receipt.getByText("The agent was not warned: the host does not say.").waitFor();
    await receipt.getByText("Not verified against a request.").waitFor();
    await page.getByRole("button", { name: /^Compaction 1.*2 messages · lost$/ }).waitFor();
    // Without a transcript, each removed message is a line.
    const steps = page.getByRole("region", { name: "Steps" });
    await steps.getByText("The host's transcript is gone. This is one line of each message.").waitFor();
    await steps.locator(".talk-item", { hasText: "The ticket is E-1041" }).waitFor();
    const { handoff } = await call(server, "compaction", { params: { id: "hosted", epoch: 1 } });
    assert.match(handoff?.text ?? "", /Use port 5432, see docs\/setup\.md/);
    const shown = steps.getByRole("region", { name: "Text of the handoff" });
    assert.equal(await shown.textContent(), handoff?.text, "as the agent gets it");
    await page.getByText("The host wrote its own summary").waitFor();
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
  "1,000 sessions, 100,000 journal entries and a full notepad: the page renders one screenful and can jump anywhere [inspector.large]",
  inBrowser(async (browser, context) => {
    const store = await openStore("memory:");
    await writeLongSession(store);
    for (let index = 0; index < 1_000; index++)
      assert.ok(await store.create({ row: newRow(`s${index}`), records: [], entries: [firstEntry] }));
    const memory = await openMemory({ store, surfaces: surfaceNames });
    const { server } = await startTestServer(context, { memory, page: await builtPage() });
    const { page, problems } = await openPage(browser, server, { hash: "#/long/memory" });
    const tree = page.getByRole("tree", { name: "Sessions" });
    await tree.getByRole("treeitem").nth(5).waitFor();
    assert.ok((await tree.getByRole("treeitem").count()) < 60);
    await page.locator(".prose li").nth(1_300).waitFor();
    await tree.getByRole("treeitem", { selected: true }).focus();
    await page.keyboard.press("PageDown");
    await tree.hover();
    await page.mouse.wheel(0, 1_000_000);
    await tree.getByRole("treeitem").last().waitFor();
    assert.ok((await tree.getByRole("treeitem").count()) < 60);

    await page.goto(new URL(`#/long/timeline`, page.url()).href);
    await page.getByRole("button", { name: "Everything" }).click();
    const journal = page.getByRole("listbox", { name: "Journal, newest first" });
    await journal.getByRole("option").nth(3).waitFor();
    assert.ok((await journal.getByRole("option").count()) < 60);
    // The End key works before the first entry is loaded.
    await page.route(/\/journal\?before=101&/, async (route) => {
      await page.getByRole("heading", { name: "Revision 1", exact: true }).waitFor();
      await route.continue();
    });
    await journal.getByRole("option", { selected: true }).press("End");
    await journal.getByRole("option", { selected: true }).getByText("Created the session").waitFor();
    assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-selected')"), "true");
    const scrub = page.getByRole("slider", { name: /^Revision/ });
    await scrub.fill("98000");
    await page.locator(".then").getByText("At 98000", { exact: true }).waitFor();
    await journal.getByRole("option", { selected: true }).getByText("98000", { exact: true }).waitFor();
    await scrub.fill("1");
    await page.getByText("Memory was empty.").waitFor();
    assert.deepEqual(problems, []);
  }),
);
