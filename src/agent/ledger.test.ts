import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { append, filler, inOrder, isSummaryRequest, modelAt, openStage } from "../../test/support/agent.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { openMemory, type Session } from "../index.ts";
import { createAgent } from "./index.ts";
import { mockModel } from "./test-support/mock-model.ts";

/** The text of a message as the server got it, or of a piece as it was stored. */
function words(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part.text === "string" ? part.text : "")).join("");
}

async function everyCall(session: Session) {
  const calls = await session.calls.list({ newestFirst: false });
  const read = await Promise.all(calls.map(({ number }) => session.calls.read(number)));
  return read.map((call, index) => {
    assert.ok(call, `call ${index + 1} cannot be read`);
    return { ...call, purpose: (call.facts as { purpose: string }).purpose };
  });
}

test("for each model call the ledger contains exactly what the server received [controller.ledger]", async (t) => {
  const stage = await openStage(t, {
    script: inOrder([
      { toolCalls: [append("- Sheet 1: 500 rows")] },
      { text: "One is done." },
      { text: filler(2_000) },
      { text: "Two is done." },
    ]),
    contextWindow: 4_600,
    system: "BASE",
  });
  for (const ask of ["Audit sheet one.", "Now sheet two.", "And sheet three.", "Go on."])
    await stage.say(ask);
  await stage.agent.compact("s").result;
  const another = stage.another({ summaryModel: modelAt(stage.server.url) });
  await another.send("s", `Once more. ${filler(200)}`).result;
  await another.compact("s").result;
  const calls = await everyCall(await stage.session());
  const requests = stage.server.requests;
  assert.equal(calls.length, requests.length);
  for (const [index, call] of calls.entries()) {
    const request = requests[index];
    assert.ok(request);
    const { purpose } = call;
    assert.equal(purpose === "summary", isSummaryRequest(request), `call ${index}`);
    const [system, ...messages] = request.messages;
    const kept = call.pieces.filter(({ role }) => role === "system").map(({ text }) => text);
    assert.equal(kept.join("\n\n"), words(system?.content));
    const said = call.pieces.filter(({ role }) => role !== "system" && role !== "tools");
    if (purpose === "summary" && request.tools === undefined) {
      assert.equal(said.map(({ text }) => text).join("\n\n"), words(messages[0]?.content));
      continue;
    }
    assert.equal(said.length, messages.length);
    for (const [index, { text, role }] of said.entries()) {
      if (role !== "user") continue;
      const { content } = JSON.parse(text) as { content: unknown };
      assert.equal(words(content), words(messages[index]?.content));
    }
    for (const { text } of call.pieces.filter(({ role }) => role === "tools"))
      for (const { name } of JSON.parse(text) as { name: string }[])
        assert.ok(JSON.stringify(request.tools).includes(`"${name}"`), name);
  }
  const summaries = requests.filter(isSummaryRequest).map(({ tools }) => tools !== undefined);
  assert.deepEqual(new Set(summaries), new Set([true, false]), "in place, and in a request of its own");
  const parts = new Set(calls.flatMap(({ pieces }) => pieces.map(({ part }) => part)));
  for (const part of ["system", "tools", "memory", "summaries", "history", "results"])
    assert.ok(parts.has(part), part);
});

test("within an epoch each call keeps the pieces of the one before [controller.ledger]", async (t) => {
  const stage = await openStage(t, { script: () => ({ text: "Done." }) });
  for (let turn = 0; turn < 3; turn++) await stage.say(`Turn ${turn}.`);
  const calls = await everyCall(await stage.session());
  assert.deepEqual(
    calls.map(({ pieces, kept }) => pieces.length - kept),
    [4, 2, 2],
    "the first is new; then only the answer and the next question",
  );
});

test("500 calls take no more than three times the conversation [controller.ledger-size]", async (t) => {
  const directory = temporaryDirectory();
  const path = join(directory, "memory.db");
  const memory = await openMemory({ store: `sqlite:${path}?synchronous=normal` });
  t.after(() => memory.close());
  let step = 0;
  const model = mockModel(() =>
    ++step % 10 === 0
      ? { text: `Part ${step} is done. ${filler(60)}` }
      : { toolCalls: [step % 5 === 0 ? append(`- finding ${step}`) : { name: "look", input: { step } }] },
  );
  const look = tool({
    inputSchema: z.object({ step: z.number() }),
    execute: async () => `row ${step}: ${filler(120)}`,
  });
  const agent = createAgent({ memory, model, tools: { look }, contextWindow: 30_000 });
  for (let turn = 0; turn < 50; turn++) await agent.send("s", `Audit part ${turn}. ${filler(20)}`).result;
  const session = await memory.resumeSession("s");
  const conversation = JSON.stringify(await session.messages()).length;
  const database = new DatabaseSync(path, { readOnly: true });
  const size = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const ledger =
    size("SELECT sum(length(text) + length(hash)) FROM ledger_pieces") +
    size("SELECT sum(length(pieces) + length(facts)) FROM ledger_calls");
  database.close();
  const [newest] = await session.calls.list({ limit: 1 });
  assert.ok((newest?.number ?? 0) >= 500);
  t.diagnostic(`conversation ${conversation}, ledger ${ledger}, file ${statSync(path).size}`);
  assert.ok(ledger <= 3 * conversation, `${(ledger / conversation).toFixed(2)} times`);
});

test("a ledger write failure blocks nothing, and ledger: false writes no ledger [controller.ledger-fails]", async (t) => {
  const stage = await openStage(t, { script: () => ({ text: "Done." }) });
  const session = await stage.session();
  t.mock.method(session.calls, "record", async () => {
    throw new Error("disk full");
  });
  const { text, events } = await stage.say("Hello.");
  assert.equal(text, "Done.");
  assert.ok(events.some((event) => event.type === "error" && /not recorded: disk full/.test(event.message)));
  t.mock.restoreAll();
  await stage.another({ ledger: false }).send("s", "Again.").result;
  assert.deepEqual(await session.calls.list(), []);
});
