import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { hostSessions } from "../../src/cli/host-sessions.ts";
import { keepFailure } from "../../src/hosts/failures.ts";
import { openMemory } from "../../src/index.ts";
import { defaultSurfaces } from "../../src/surfaces/surfaces.ts";
import { runNode } from "../../test/support/command-line.ts";
import { call, startTestServer } from "../../test/support/server.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { inBrowser, openPage } from "./support/browser.ts";
import { builtPage } from "./support/built-page.ts";
import { codingSession, firstAsk, playCodingSession } from "./support/coding-session.ts";

type Played = Awaited<ReturnType<typeof playCodingSession>>;

async function serveCodingSession(context: TestContext, prepare?: (played: Played) => Promise<void>) {
  const played = await playCodingSession(temporaryDirectory());
  await prepare?.(played);
  const memory = await openMemory({ store: played.database, surfaces: defaultSurfaces.server });
  const { server } = await startTestServer(context, {
    memory,
    page: await builtPage(),
    hosts: hostSessions(played.project),
  });
  return { ...played, server };
}

test(
  "a coding agent's session shows its injected memory byte for byte, its cache, its summary and what a compaction removed [inspector.hosts] [inspector.survived]",
  inBrowser(async (browser, context) => {
    const { server, project, transcript } = await serveCodingSession(context);
    const params = { id: codingSession };
    const { page, problems } = await openPage(browser, server);
    const row = page.locator(".row", { hasText: firstAsk });
    await row.getByText("Claude Code").waitFor();
    await row.getByText("1/3").waitFor();
    await row.getByText("notepad whole, 1 of 1 user message").click();
    await page.getByRole("heading", { name: firstAsk, level: 1 }).waitFor();
    await page.locator("summary[aria-label='More']").click();
    await page.locator(".menu-facts").getByText(project.root).waitFor();
    await page.keyboard.press("Escape");

    // The text that the hook injected after the compaction, as the transcript has it.
    const injected = readFileSync(transcript, "utf8")
      .split("\n")
      .filter((line) => line.includes("hook_additional_context"))
      .map((line) => JSON.parse(line).attachment.content[0] as string)
      .at(-1);
    assert.ok(injected?.startsWith("[Holdfast] The conversation was compacted."));
    const shown = page.getByRole("region", { name: "Text: Handoff as the model got it" });
    assert.equal(await shown.textContent(), injected, "byte for byte");
    await page.getByText("from the coding agent's transcript, byte for byte").waitFor();
    const summary = page.getByRole("region", { name: "Text: Summary" });
    await summary.getByText("The ledger is moving from number to bigint.").waitFor();

    const facts = await call(server, "compaction", { params: { ...params, epoch: 1 } });
    assert.deepEqual([facts.tokensBefore, facts.tokensBy], [110_000, "provider"]);
    await page.getByText(`${facts.removed} removed messages, with ${facts.readWith}`).waitFor();
    await page.getByRole("searchbox", { name: "Search the removed messages" }).fill("TKT-4701");
    const read = page.locator(".talk-item", { hasText: "amount1: number" });
    await read.locator("summary").click();
    await read.locator("mark").getByText("TKT-4701").waitFor();

    // Nobody is invited to write where this agent does not read.
    await page.keyboard.press("1");
    await page.getByRole("heading", { name: "Notepad" }).waitFor();
    for (const name of ["Notes", "References"])
      assert.equal(await page.getByRole("heading", { name }).count(), 0, name);

    // The window: Memory is a part, and the prefix is what the provider read from its cache.
    await page.keyboard.press("2");
    const bars = page.getByRole("group", { name: /^Model calls/ });
    await bars.getByRole("img", { name: "Compaction" }).waitFor();
    assert.equal(await bars.getByRole("button").count(), 7);
    await page.getByRole("list", { name: "Parts of the window" }).last().getByText("Memory").waitFor();
    const { calls } = await call(server, "calls", { params });
    for (const { parts, tokens } of calls)
      assert.equal(
        Object.values(parts).reduce((sum, each) => sum + each, 0),
        tokens,
        "the parts add up to the provider's count",
      );
    const last = calls.at(-1);
    assert.ok(last && last.parts.memory > 0, "Memory is above 0");
    const detail = await call(server, "call", { params: { ...params, number: last.number } });
    assert.deepEqual([detail.prefix.tokens, detail.prefix.basis], [14_000, "provider"]);
    assert.ok(detail.prefix.pieces > 0, "the prefix is above 0");
    assert.equal(detail.pieces.find(({ part }) => part === "memory")?.text, injected);
    await page.getByText("14,000 tokens from the provider's cache").waitFor();

    await page.getByRole("button", { name: "Conversation" }).click();
    await page.locator(".talk-line").getByText(firstAsk).waitFor();
    await page.getByText("The window begins here.").waitFor();
    assert.ok((await page.locator(".role-memory").count()) >= 1);

    // As of the call before the compaction, all of the conversation was in context.
    const [now, then] = await Promise.all([
      call(server, "messages", { params }),
      call(server, "messages", { params, query: { call: 5 } }),
    ]);
    assert.ok(then.last < now.last && now.messages.some(({ state }) => state === "retrievable"));
    assert.ok(then.messages.every(({ state }) => state === "in context"));

    // The question finds what only the transcript has, and opens its place.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("TKT-4703");
    await page.locator(".answer-state").getByText("retrievable").waitFor();
    await page.locator(".palette-choice", { hasText: "message" }).first().click();
    await page.locator(".talk-item.is-chosen mark").getByText("TKT-4703").waitFor();

    // The coding agent drops its transcript: a line of each message is kept, and the record of the handoff.
    rmSync(transcript);
    await page.goto(new URL(`#/${codingSession}/history/c1`, page.url()).href);
    await page.reload();
    await page
      .getByText("The coding agent's transcript is gone. This is one line of each message.")
      .waitFor();
    await page.getByText("from the record of it").waitFor();
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
  const attention = async () =>
    (await call(server, "session", { params: { id: codingSession } })).session.attention;
  assert.deepEqual(await attention(), [], "an old failure is history");
  keepFailure(project.directory, { ...failure, at: Date.now() });
  const [hook] = await attention();
  assert.equal(hook?.text, "A hook failed in the last day: It took too long.");
  assert.equal(hook?.command, "npx holdfast doctor");
});

test("300 sessions of coding agents are listed without reading their transcripts whole [inspector.large]", async (context) => {
  const { server } = await serveCodingSession(context, addSessions);
  const begun = performance.now();
  const { sessions, total } = await call(server, "listSessions", { query: { parent: "none" } });
  const elapsed = performance.now() - begun;
  assert.equal(total, 301);
  assert.ok(sessions.every(({ window, name }) => window?.tokens === 16_500 && name === firstAsk));
  // Half a second on an idle machine.
  assert.ok(elapsed < 1_500, `${elapsed} ms`);
});

async function addSessions({ project, database, transcript }: Played): Promise<void> {
  const memory = await openMemory({ store: database });
  const links = join(project.directory, "links");
  const state = JSON.parse(readFileSync(join(links, `state-${codingSession}.json`), "utf8"));
  for (let number = 0; number < 300; number++) {
    const session = await memory.createSession({ id: `claude-code.s${number}` });
    await session.notepad.write(`- ${number}`);
    const copy = join(project.root, `transcript-${number}.jsonl`);
    copyFileSync(transcript, copy);
    writeFileSync(
      join(links, `state-claude-code.s${number}.json`),
      JSON.stringify({ ...state, transcript: copy }),
    );
  }
  await memory.close();
}
