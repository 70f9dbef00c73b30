import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, type ModelMessage, wrapLanguageModel } from "ai";
import { filler, isSummaryRequest, modelAt, plainSummary } from "../../../test/support/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { openMemory } from "../../index.ts";
import { startScriptedServer } from "../../testing/index.ts";
import { holdfast, type Model } from "./index.ts";

async function openTalk(wrap: (model: Model) => Model = (model) => model) {
  const server = await startScriptedServer((request) =>
    isSummaryRequest(request) ? { text: plainSummary(request) } : { text: "Done." },
  );
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.openSession("s");
  const events: AgentEvent[] = [];
  const settings = holdfast({
    session,
    model: wrap(modelAt(server.url)),
    contextWindow: 6_000,
    onEvent: (event) => events.push(event),
  });
  const messages: ModelMessage[] = [];
  const say = async (content: string) => {
    messages.push({ role: "user", content });
    const { responseMessages, text } = await generateText({ ...settings, messages });
    messages.push(...responseMessages);
    return text;
  };
  return { server, session, events, say, close: () => Promise.all([server.close(), memory.close()]) };
}

test("a pin is in the request after a compaction, word for word [pins.verbatim]", async () => {
  const talk = await openTalk();
  await talk.session.pins.pin("Never push to main without asking me.", { actor: { kind: "person" } });
  for (let turn = 0; (await talk.session.receipts()).length === 0 && turn < 12; turn++)
    await talk.say(`Continue with part ${turn}. ${filler(700)}`);
  assert.ok((await talk.session.receipts()).length > 0, "compacted");
  await talk.say("Go on.");
  const last =
    talk.server.requests
      .at(-1)
      ?.messages.map(({ content }) => String(content))
      .join("\n") ?? "";
  assert.match(last, /\[Pins: [^\n]+\]\np1: Never push to main without asking me\.\n/);
  await talk.close();
});

async function compacted(wrap?: (model: Model) => Model) {
  const talk = await openTalk(wrap);
  for (let turn = 0; (await talk.session.receipts()).length === 0 && turn < 12; turn++)
    await talk.say(`Read src/part-${turn}.ts. ${filler(700)}`);
  await talk.say("Go on.");
  const [receipt] = await talk.session.receipts();
  const errors = talk.events.flatMap((event) => (event.type === "error" ? [event.message] : []));
  await talk.close();
  return { receipt, errors };
}

test("the receipt is checked against the bytes of the next request [pins.receipt]", async () => {
  const { receipt, errors } = await compacted();
  assert.deepEqual(errors, []);
  assert.ok(receipt?.verified && receipt.verified.call > 0, JSON.stringify(receipt?.mismatch));
});

test("one changed byte on the way to the provider is an error and a stored mismatch [pins.receipt]", async () => {
  const flip = (model: Model) =>
    wrapLanguageModel({
      model,
      middleware: {
        transformParams: async ({ params }) => ({
          ...params,
          prompt: JSON.parse(JSON.stringify(params.prompt).replace("[End of handoff]", "[End of handofF]")),
        }),
      },
    });
  const { receipt, errors } = await compacted(flip);
  assert.match(errors.join("\n"), /does not contain the text of the receipt of compaction 1/);
  assert.equal(receipt?.verified, undefined);
  assert.ok(receipt?.mismatch);
});
