import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import type { Memory } from "../../src/index.ts";
import { projectNotes } from "../../src/server/project-files.ts";
import { startTestServer, type TestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { inBrowser, openPage } from "./support/browser.ts";
import { builtPage } from "./support/built-page.ts";
import { naughty } from "./support/naughty.ts";

async function serve(context: TestContext, options: Parameters<typeof startTestServer>[1] = {}) {
  return startTestServer(context, { page: await builtPage(), ...options });
}

const agent = { actor: { kind: "agent" as const } };

async function beginEdit(page: Page) {
  await page.getByRole("button", { name: "Edit the notepad" }).click();
  return page.getByRole("textbox", { name: "Text of the notepad" });
}

/** Resolves when the editor reports a concurrent change. */
const noticed = (page: Page) => page.getByText("The text changed while you were editing.").waitFor();

test(
  "a person edits while the agent writes: both edits are kept, and the person resolves conflicts [inspector.merge] [inspector.conflict]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    const session = await memory.createSession({ id: "audit" });
    await session.notepad.write("one\ntwo\nthree", agent);
    const { page, problems } = await openPage(browser, server, { hash: "#/audit/memory" });

    const editor = await beginEdit(page);
    await editor.fill("one\ntwo\nthree, says a person");
    await session.notepad.write("one, says the agent\ntwo\nthree", agent);
    await noticed(page);
    await editor.press("Control+Enter");
    await page.getByText("Saved and merged with concurrent changes.").waitFor();
    assert.equal(await session.notepad.read(), "one, says the agent\ntwo\nthree, says a person");

    const again = await beginEdit(page);
    await again.fill("one, says the agent\ntwo, mine\nthree, says a person");
    await session.notepad.write("one, says the agent\ntwo, theirs\nthree, says a person", agent);
    await noticed(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The agent changed the same lines while you were editing.").waitFor();
    await page
      .locator(".conflict-name")
      .getByText(/^The agent’s, (?:just now|\d+ s ago)$/)
      .waitFor();
    assert.deepEqual(await page.locator(".conflict-side mark").allTextContents(), ["mine", "theirs"]);
    assert.match(await session.notepad.read(), /two, theirs/, "nothing was saved");
    await page.locator(".conflict-side").getByText("two, mine").waitFor();
    await page.locator(".conflict-side").getByText("two, theirs").waitFor();
    assert.ok(
      await page.getByRole("button", { name: "Save" }).isDisabled(),
      "no conflict is resolved silently",
    );
    await page.getByRole("button", { name: "Keep both" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".prose").getByText("two, mine").waitFor();
    assert.equal(
      await session.notepad.read(),
      "one, says the agent\ntwo, mine\ntwo, theirs\nthree, says a person",
    );
    assert.deepEqual(problems, []);
  }),
);

test(
  "two tabs stay in sync with each other, the agent, and archiving with undo [inspector.tabs] [inspector.sessions] [inspector.delete-once]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    const parent = await memory.createSession({ id: "parent", title: "The parent" });
    await memory.forkSession("parent", { id: "child", title: "Its child" });
    const { page, context: profile } = await openPage(browser, server, { hash: "#/parent/memory" });
    const second = await profile.newPage();
    await second.goto(new URL("#/parent/memory", page.url()).href);
    await second.getByText("The agent has written nothing yet").waitFor();

    const editor = await beginEdit(page);
    await editor.fill("written in the first tab");
    await page.getByRole("button", { name: "Save" }).click();
    await second.locator(".prose").getByText("written in the first tab").waitFor();
    await parent.notepad.append("and by the agent", agent);
    for (const tab of [page, second]) await tab.locator(".prose").getByText("and by the agent").waitFor();

    await second.goto(new URL("#/", page.url()).href);
    const row = second.locator(".row", { hasText: "The parent" });
    await row.getByRole("button", { name: "1 child session" }).click();
    await second.locator(".row", { hasText: "Its child" }).waitFor();
    await page.locator("summary[aria-label='More']").click();
    await page.getByRole("button", { name: "Archive", exact: true }).click();
    await row.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).last().click();
    await row.waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).dblclick();
    await page.getByText("Session not found").waitFor();
    await second.locator(".row", { hasText: "Its child" }).waitFor();
    await page.getByRole("button", { name: "Restore it" }).click();
    await row.waitFor();

    // The tabs share one stream; when the tab that reads it closes, another takes over.
    await page.close();
    await parent.notepad.append("after the first tab was closed", agent);
    await second.goto(new URL("#/parent/memory", second.url()).href);
    await second.locator(".prose").getByText("after the first tab was closed").waitFor();
    await parent.notepad.append("and received live", agent);
    await second.locator(".prose").getByText("and received live").waitFor();
  }),
);

test(
  "a person adds, filters, searches, edits and deletes notes with undo; the page shows stale references and NOTES.md with findings; the search covers everything [inspector.memory] [inspector.search]",
  inBrowser(async (browser, context) => {
    const root = temporaryDirectory();
    mkdirSync(join(root, "grimoires/loa"), { recursive: true });
    writeFileSync(join(root, "there.md"), "");
    writeFileSync(
      join(root, "grimoires/loa/NOTES.md"),
      "# Project\n\n## Decisions\n\nA decision without a number.\n",
    );
    const { server, memory } = await serve(context, { project: projectNotes(root), projectDirectory: root });
    const session = await memory.createSession({ id: "audit" });
    await session.scratchpad.setPlan("- [x] first\n- [ ] second", agent);
    for (const ref of ["there.md", "gone.md"]) await session.scratchpad.addRef(ref, agent);
    await session.notes.add("Rounding is half up", ["money"], agent);
    const { page, problems } = await openPage(browser, server, { hash: "#/audit/memory" });

    await page.locator(".ref-stale").getByText("gone.md").waitFor();
    await page.getByText("no longer exists", { exact: true }).waitFor();
    assert.equal(await page.locator(".ref-stale").count(), 1);
    assert.equal(await page.locator(".task-done").count(), 1);
    await page.getByLabel("Needs you: 1").click();
    await page.getByText("gone.md no longer exists, but memory refers to it.").waitFor();
    await page.getByLabel("Needs you: 1").click();
    await page.locator(".finding").first().waitFor();
    await page.locator("summary", { hasText: "Show the text" }).click();
    await page.getByText("A decision without a number.").waitFor();

    await page.getByRole("button", { name: "Add a note" }).click();
    await page.getByRole("textbox", { name: "New note", exact: true }).fill("Dates are **ISO**");
    await page.getByRole("textbox", { name: /^Tags of the new note/ }).fill("dates, format");
    await page.keyboard.press("Control+Enter");
    await page.locator(".card strong").getByText("ISO").waitFor();
    await page.getByRole("group", { name: "Filter by tags" }).getByRole("button", { name: /money/ }).click();
    await page.locator(".card").getByText("Dates are").waitFor({ state: "detached" });
    await page.getByRole("group", { name: "Filter by tags" }).getByRole("button", { name: /money/ }).click();
    await page.getByRole("searchbox", { name: "Search the notes of this session" }).fill("rounding");
    await page.locator(".card").getByText("Dates are").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Edit this note" }).click();
    await page.getByRole("textbox", { name: "Note", exact: true }).fill("Rounding is half even");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".card").getByText("half even").waitFor();
    await page.getByRole("button", { name: "Delete this note" }).click();
    await page.getByText("No note matches").waitFor();
    await page.locator(".toast", { hasText: "Note deleted." }).getByRole("button", { name: "Undo" }).click();
    await page.locator(".card").getByText("half even").waitFor();

    // Each edit can be taken back: a pin, a reference, a tick.
    await page.getByRole("textbox", { name: "Add a rule" }).fill("Never push.");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByRole("button", { name: "Unpin: Never push." }).click();
    await page.locator(".toast", { hasText: "Unpinned." }).getByRole("button", { name: "Undo" }).click();
    await page.locator(".pin").getByText("Never push.").waitFor();
    await page.getByRole("button", { name: "Remove the reference there.md" }).click();
    await page
      .locator(".toast", { hasText: "Removed there.md." })
      .getByRole("button", { name: "Undo" })
      .click();
    await page.locator(".ref").getByText("there.md").waitFor();
    const box = page.getByRole("checkbox").nth(1);
    await box.click();
    await page.locator(".toast", { hasText: "Ticked." }).getByRole("button", { name: "Undo" }).click();
    // A toast of the undo before may still be there.
    await page.getByRole("checkbox", { checked: false }).first().waitFor();
    assert.equal((await session.scratchpad.read()).plan, "- [x] first\n- [ ] second");
    const left = await page.evaluate<number>(
      "(() => { const box = document.querySelectorAll('.task-box')[1]; return box.getBoundingClientRect().left - box.closest('.panel').getBoundingClientRect().left; })()",
    );
    assert.ok(left >= 4, `the checkbox is cut at ${left} px`);

    const editor = await beginEdit(page);
    await editor.fill("- a line by a person");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".prose").getByText("a line by a person").waitFor();
    await page
      .locator(".toast", { hasText: /^Saved\./ })
      .last()
      .getByRole("button", { name: "Undo" })
      .click();
    await page.getByText("The agent has written nothing yet").waitFor();

    await page.locator("h1").click();
    await page.keyboard.press("/");
    await page.keyboard.type("half even");
    await page.locator(".palette-choice").getByText("Rounding is half even").first().waitFor();
    await page.locator(".answer-state").getByText("retrievable").waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "a notepad that is longer than the model sees has a fold line, the marks of who wrote what, and needs a person [inspector.memory] [inspector.attention]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    const session = await memory.createSession({ id: "long", title: "Log triage" });
    const lines = Array.from({ length: 50 }, (_, line) => `- line ${line} of the notepad`);
    await session.notepad.write(lines.join("\n"), agent);
    const shown = [...lines.slice(0, 20), "[Not shown here]", ...lines.slice(40)].join("\n");
    const cut = { surface: "notepad", text: `## Session Notepad\n${shown}`, cutFrom: lines.join("\n") };
    await session.apply({ type: "context.open", blocks: [cut] });
    await session.notepad.replace("line 7 of", "line 7, corrected, of", { actor: { kind: "person" } });
    const { page, problems } = await openPage(browser, server);
    const row = page.locator(".row", { hasText: "Log triage" });
    await row.getByText("model sees 30 of 50 lines").waitFor();
    await page.getByText("1 needs you").waitFor();
    await row.getByRole("link", { name: "Log triage" }).click();
    await page.getByText("The model does not see the next 20 lines.").waitFor();
    await page.getByText("The model sees the rest.").waitFor();
    for (const [line, count] of [
      ["line 6 of the notepad", 20],
      ["line 30 of the notepad", 20],
      ["line 49 of the notepad", 10],
    ] as const)
      assert.equal(await page.locator(".prose", { hasText: line }).locator("li").count(), count, line);
    for (const [line, state] of [
      ["line 30 of the notepad", "retrievable"],
      ["line 49 of the notepad", "in context"],
    ] as const) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(line);
      await page.locator(".answer-state").getByText(state).waitFor();
      await page.keyboard.press("Escape");
    }
    await page.locator(".is-foreign").getByText("line 7, corrected").waitFor();
    await page.getByText("by a person").waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "a palette that is opened right after another closed stays open and takes each key [inspector.palette]",
  inBrowser(async (browser, context) => {
    const { server, memory } = await serve(context);
    await memory.createSession({ id: "quick", title: "Quick fingers" });
    const { page, problems } = await openPage(browser, server, { hash: "#/quick/memory" });
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    // All keys are pressed before the browser reports that the first dialog is closed.
    await page.evaluate(`(async () => {
      const press = async (on, init) => {
        on.dispatchEvent(new KeyboardEvent("keydown", { ...init, bubbles: true, cancelable: true }));
        for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      };
      for (let round = 0; round < 3; round++) {
        await press(document.querySelector("dialog"), { key: "Escape" });
        await press(document.body, { key: "k", ctrlKey: true });
      }
    })()`);
    await page.waitForTimeout(300);
    await page.keyboard.type("quick");
    await page.locator(".palette-choice").getByText("Quick fingers").first().waitFor();
    assert.deepEqual(problems, []);
  }),
);

test(
  "shows naughty strings verbatim as notepad, notes, tags, titles, references and plans; nothing runs, nothing breaks [inspector.naughty]",
  inBrowser(async (browser, context) => {
    const { server, memory }: TestServer = await serve(context);
    await writeNaughty(memory);
    const { page, problems } = await openPage(browser, server, { hash: "#/naughty/memory" });
    await page.locator(".card").first().waitFor();
    await page.locator(".card").nth(20).waitFor();
    for (const word of ["<script>window.pwned = 1</script>", "javascript:window.pwned=1", "田中さん", "שלום"])
      await page.locator("#view").getByText(word).first().waitFor();
    assert.equal(await page.locator("#view a[href^='javascript' i], #view a[href^='data' i]").count(), 0);
    await page
      .locator(".panel", { has: page.locator("#title-notepad") })
      .getByRole("button", { name: "As text" })
      .click();
    const shown = await page.locator("section.source pre").first().textContent();
    const session = await memory.openSession("naughty");
    assert.equal(shown, await session.notepad.read(), "the page shows the stored text verbatim");

    await page.keyboard.press("2");
    await page.locator("#view > *").first().waitFor();
    await page.keyboard.press("3");
    await page.locator(".entry").first().waitFor();
    await page.locator(".diff-text").first().waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("window.pwned");
    await page.locator(".palette-choice").nth(3).waitFor();
    // The next key belongs to the page at once.
    await page.keyboard.press("Escape");
    await page.keyboard.press("h");
    await page.locator(".row").nth(10).waitFor();
    assert.equal(await page.evaluate("window.pwned"), undefined);
    const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    assert.ok(overflow <= 0, `the page is ${overflow} px too wide`);
    assert.deepEqual(problems, []);

    await page.setViewportSize({ width: 360, height: 900 });
    await page.goto(new URL("#/naughty/memory", page.url()).href);
    await page.locator(".card").first().waitFor();
    const main = 'document.querySelector(".main")';
    assert.equal(await page.evaluate<number>(`${main}.scrollWidth - ${main}.clientWidth`), 0);
    assert.deepEqual(problems, []);
  }),
);

/** Writes each string to every field; strings that the memory rejects never reach the page. */
async function writeNaughty(memory: Memory): Promise<void> {
  const session = await memory.createSession({ id: "naughty", title: naughty[0] as string });
  await session.notepad.write(naughty.join("\n\n"), agent);
  await session.scratchpad.setPlan(naughty.slice(0, 12).join("\n"), agent);
  for (const [index, text] of naughty.entries()) {
    const name = text.slice(0, 40).replaceAll(/\s/g, " ").trim();
    const tags = name === "" ? [] : [name];
    await session.call("add_note", { content: text, tags });
    await session.call("session.scratchpad", { action: "refs_add", ref: text.slice(0, 200) });
    await memory.createSession({ id: `title-${index}`, title: text.slice(0, 200) }).catch(() => {});
  }
}
