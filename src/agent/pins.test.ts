import assert from "node:assert/strict";
import { test } from "node:test";
import { wrapLanguageModel } from "ai";
import {
  filler,
  finish,
  inOrder,
  isSummaryRequest,
  modelAt,
  ofType,
  openStage,
  plainSummary,
} from "../../test/support/agent.ts";
import { openMemory } from "../index.ts";

const asPerson = { actor: { kind: "person" as const } };

test("pins are in the prompt after a compaction, first, in every placement [pins.verbatim]", async (t) => {
  for (const placement of ["epoch", "system", "message"] as const) {
    const stage = await openStage(t, { placement, script: inOrder([]), contextWindow: 16_000 });
    const session = await stage.session();
    const pin = `Answer in German, always. ${"word ".repeat(300)}`.trim();
    await session.pins.pin(pin, asPerson);
    await session.notepad.write("note ".repeat(6_000));
    await stage.say(`Never use the word foo. ${filler(500)}`);
    await finish(stage.agent.compact("s"));
    await stage.say("Go on.");
    const sent = (stage.turns().at(-1)?.messages ?? []).map(({ content }) => String(content)).join("\n");
    assert.ok(sent.includes(`\np1: ${pin}\n`), placement);
    assert.ok(sent.indexOf("[Pins: ") < sent.indexOf("## Session Notepad"), "before the notepad");
    assert.match(
      sent,
      /\[Not shown here: \d+ characters of this memory/,
      "the notepad is shortened, the pins are not",
    );
    await stage.close();
  }
});

test("the receipt carries the number of the call whose request contains its text [pins.receipt]", async (t) => {
  const stage = await openStage(t, { script: inOrder([]) });
  await stage.say(`Read src/ledger.ts and note SH-4711. ${filler(600)}`);
  await finish(stage.agent.compact("s"));
  assert.equal((await stage.agent.receipts("s")).at(-1)?.verified, undefined, "nothing was sent yet");
  const { events } = await stage.say("Go on.");
  assert.deepEqual(ofType(events, "error"), []);
  const [receipt] = await stage.agent.receipts("s");
  const session = await stage.session();
  const [last] = await session.calls.list({ limit: 1 });
  assert.deepEqual(receipt?.verified, { call: last?.number });
  assert.equal(receipt?.mismatch, undefined);
  const before = (await session.state()).row.revision;
  await stage.say("And on.");
  const entries = await session.history({ from: before + 1 });
  assert.ok(!entries.some(({ operation }) => operation.type === "context.verify"), "checked once");
});

test("one changed byte in the next request is an error and stored as a mismatch [pins.receipt]", async (t) => {
  let flips = 0;
  const script = inOrder([]);
  const stage = await openStage(t, { script });
  const model = wrapLanguageModel({
    model: modelAt(stage.server.url),
    middleware: {
      transformParams: async ({ params }) => {
        const text = JSON.stringify(params.prompt);
        if (!text.includes("[Receipt: ") || text.includes("You write the summary")) return params;
        flips++;
        return {
          ...params,
          prompt: JSON.parse(text.replace(/message(s?) compacted/, "messagE$1 compacted")),
        };
      },
    },
  });
  const memory = await openMemory({ store: "memory:" });
  const agent = stage.another({ model, memory });
  await finish(agent.send("s", `Read src/ledger.ts. ${filler(600)}`));
  await finish(agent.compact("s"));
  const { events } = await finish(agent.send("s", "Go on."));
  assert.equal(flips, 1);
  const [error] = ofType(events, "error");
  assert.match(
    String(error?.message),
    /^The request of call \d+ does not contain the text of the receipt of compaction 1\. It lacks: the summary, handoff and receipt as committed, which differ after ".*\[Receipt: \d+ messag"\./,
  );
  const [receipt] = await agent.receipts("s");
  assert.equal(receipt?.verified, undefined);
  assert.equal(receipt?.mismatch?.lacks.length, 1);
  await memory.close();
});

test("a summary that passes through the model still proves the receipt over several epochs [pins.receipt]", async (t) => {
  const stage = await openStage(t, {
    contextWindow: 8_000,
    script: (request) => (isSummaryRequest(request) ? { text: plainSummary(request) } : { text: "Done." }),
  });
  for (let turn = 0; turn < 12; turn++) {
    const { events } = await stage.say(`Step ${turn}: read src/file-${turn}.ts. ${filler(900)}`);
    assert.deepEqual(
      ofType(events, "error").filter(({ message }) => /receipt/.test(message)),
      [],
    );
  }
  const receipts = await stage.agent.receipts("s");
  assert.ok(receipts.length >= 2, `${receipts.length} compactions`);
  for (const { verified, mismatch } of receipts) assert.ok(verified, JSON.stringify(mismatch));
});
