import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hostSessions } from "../../src/cli/host-sessions.ts";
import { keepFailure } from "../../src/hosts/failures.ts";
import { openMemory } from "../../src/index.ts";
import { runNode } from "../../test/support/command-line.ts";
import { call, startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { inBrowser, openPage } from "./support/browser.ts";
import { builtPage } from "./support/built-page.ts";
import { codingSession, firstAsk, playCodingSession } from "./support/coding-session.ts";

async function serveCodingSession(context: TestContext) {
  const played = await playCodingSession(temporaryDirectory());
  const memory = await openMemory({ store: played.database, surfaces: ["notepad", "notes", "scratchpad"] });
  const { server } = await startTestServer(context, {
    memory,
    page: await builtPage(),
    hosts: hostSessions(played.project),
    priceOf: () => ({ input: 3, cacheWrite: 3.75, cacheRead: 0.3, output: 15, basis: "test-prices" }),
  });
  return { ...played, server };
}

test(
  "a coding agent's session has its first ask as title, its host, its context from the transcript, and shows what a compaction removed [inspector.hosts] [inspector.survived]",
  inBrowser(async (browser, context) => {
    const { server, project, transcript } = await serveCodingSession(context);
    const params = { id: codingSession };
    const { page, problems } = await openPage(browser, server, { hash: `#/${codingSession}/compaction` });
    await page.getByRole("heading", { name: firstAsk, level: 1 }).waitFor();
    const row = page.getByRole("treeitem", { name: new RegExp(firstAsk) });
    await row.getByText("Claude Code").waitFor();
    await row.getByText("Today").waitFor();
    await page.locator(".session-ids").getByText(codingSession).waitFor();
    await page.locator(".session-project").getByText(project.root).waitFor();

    // What the compaction removed, by message, with the provider's counts.
    const { tokensBefore, tokensAfter, tokensBy, removed, readWith } = await call(server, "compaction", {
      params: { ...params, epoch: 1 },
    });
    assert.deepEqual([tokensBefore, tokensAfter, tokensBy], [110_000, 14_000, "provider"]);
    assert.equal(removed, 11);
    await page.getByText(`11 messages left the window. They are retrievable with ${readWith}.`).waitFor();
    const step = page.locator(".step", { hasText: "Removed messages" });
    await step.locator("summary").getByText("11 messages").waitFor();
    assert.equal(await step.locator(".talk-item").count(), 11, "each message is listed");
    await step.locator(".talk-item", { hasText: firstAsk }).waitFor();
    const read = step.locator(".talk-item", { hasText: "TKT-4701" });
    await read.locator("summary").click();
    await read.locator("pre").getByText("amount1: number").waitFor();
    await page.locator(".step pre").getByText(`- ${firstAsk}`).waitFor();
    await page.getByRole("region", { name: "With memory: 3 of 3" }).waitFor();

    // The context, call by call, with the compaction as a cut.
    await page.keyboard.press("2");
    const bars = page.getByRole("group", { name: /^Model calls/ });
    await bars.getByRole("img", { name: /^Compaction/ }).waitFor();
    assert.equal(await bars.getByRole("button").count(), 7);
    const { calls } = await call(server, "calls", { params });
    for (const { parts, usage, contextWindow } of calls) {
      const { free, ...used } = parts;
      assert.equal(
        Object.values(used).reduce((sum, tokens) => sum + tokens, 0),
        usage.input,
        "the parts add up to the provider's count",
      );
      assert.equal(free + (usage.input ?? 0), contextWindow);
    }
    // 12 fresh tokens, 21,988 written to the cache, 90 answered.
    assert.ok(Math.abs((calls[0]?.money?.total ?? 0) - (12 * 3 + 21_988 * 3.75 + 90 * 15) / 1e6) < 1e-9);
    await page.getByText("Read from the host's transcript").waitFor();

    await page.keyboard.press("4");
    await page.locator(".talk-line").getByText(firstAsk).waitFor();
    await page.getByText("The window begins here").waitFor();

    // The search finds what only the transcript has, and opens its place.
    await page.keyboard.press("/");
    await page.keyboard.type("TKT-4703");
    const hits = page.locator(".results").getByRole("region", { name: firstAsk });
    await hits.getByText(/^message \d+$/).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.locator(".talk-item.is-chosen mark").getByText("TKT-4703").waitFor();
    await page.getByRole("searchbox", { name: /^Search the notes/ }).fill("");

    // The host drops its transcript: a line of each message is kept.
    rmSync(transcript);
    await page.goto(new URL(`#/${codingSession}/compaction/1`, page.url()).href);
    await page.reload();
    await page.getByText("The host's transcript is gone. This is one line of each message.").waitFor();
    assert.equal(await step.locator(".talk-item").count(), 11);
    await page.getByRole("heading", { name: firstAsk, level: 1 }).waitFor();
    await page
      .getByText(/about [\d,]+ tokens/)
      .first()
      .waitFor();
    assert.deepEqual(problems, []);
  }),
);

test("the command line searches the transcripts of coding agents [people.search] [inspector.search]", async (context) => {
  const { server, project } = await serveCodingSession(context);
  const cli = join(import.meta.dirname, "../../src/cli.ts");
  const { stdout } = await runNode([cli, "search", "TKT-4703", "--json"], process.execPath, {
    cwd: project.root,
    env: { HOLDFAST_DB: "" },
  });
  const { hits } = await call(server, "search", { query: { q: "TKT-4703" } });
  assert.deepEqual(
    JSON.parse(stdout).hits.map((hit: Record<string, unknown>) => [hit.kind, hit.message ?? null, hit.text]),
    hits.map(({ kind, message, excerpt }) => [kind, message, excerpt]),
  );
  assert.deepEqual([hits[0]?.kind, hits[0]?.title], ["message", firstAsk]);
});

test("a coding agent's failed hooks need attention [inspector.attention]", async (context) => {
  const { server, project } = await serveCodingSession(context);
  const failure = { host: "claude-code", event: "Stop", code: "deadline", message: "It took too long." };
  keepFailure(project.directory, { ...failure, at: Date.now() - 2 * 24 * 3_600_000 });
  const params = { id: codingSession };
  const before = await call(server, "attention", { params });
  assert.deepEqual(before.items, [], "an old failure is history");
  keepFailure(project.directory, { ...failure, at: Date.now() });
  const { items } = await call(server, "attention", { params });
  const hook = items.find(({ kind }) => kind === "hook");
  assert.equal(hook?.text, "A hook failed in the last day: It took too long.");
  assert.equal(hook?.action.command, "holdfast doctor");
});
