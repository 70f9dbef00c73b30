import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, isStepCount, type ModelMessage, tool, wrapLanguageModel } from "ai";
import { z } from "zod";
import { call, filler, isSummaryRequest, modelAt, plainSummary } from "../../../test/support/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { openMemory } from "../../index.ts";
import { type ScriptedAnswer, startScriptedServer } from "../../testing/index.ts";
import { holdfast, type Model } from "./index.ts";

async function openTalk(answers: ScriptedAnswer[], wrap: (model: Model) => Model = (model) => model) {
  const server = await startScriptedServer((request) =>
    isSummaryRequest(request) ? { text: plainSummary(request) } : (answers.shift() ?? { text: "Done." }),
  );
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.openSession("s");
  const ran: string[] = [];
  const events: AgentEvent[] = [];
  const settings = holdfast({
    session,
    model: wrap(modelAt(server.url)),
    contextWindow: 6_000,
    onEvent: (event) => events.push(event),
    tools: {
      shell: tool({
        description: "Runs a command",
        inputSchema: z.object({ command: z.string() }),
        execute: async ({ command }) => {
          ran.push(command);
          return "ran";
        },
      }),
    },
  });
  const messages: ModelMessage[] = [];
  const say = async (content: string) => {
    messages.push({ role: "user", content });
    const { responseMessages, text } = await generateText({
      ...settings,
      messages,
      stopWhen: isStepCount(5),
    });
    messages.push(...responseMessages);
    return text;
  };
  return { server, session, ran, events, say, close: () => Promise.all([server.close(), memory.close()]) };
}

test("a forbidden call of the caller's tool fails with the user's words after a compaction [pins.refuse]", async () => {
  const answers: ScriptedAnswer[] = [];
  const talk = await openTalk(answers);
  await talk.say("Never push to main without asking me.");
  const rule = { tool: "shell", pattern: "git push*main" };
  await talk.session.pins.pin("Never push to main without asking me.", { actor: { kind: "person" }, rule });
  for (let turn = 0; (await talk.session.receipts()).length === 0 && turn < 12; turn++)
    await talk.say(`Continue with part ${turn}. ${filler(700)}`);
  assert.ok((await talk.session.receipts()).length > 0, "compacted");
  for (const command of ["git push origin main", "ls"])
    answers.push({ toolCalls: [call("shell", { command })] });
  await talk.say("Push it.");
  assert.deepEqual(talk.ran, ["ls"]);
  const sent = talk.server.requests.flatMap(({ messages }) => messages.map(({ content }) => String(content)));
  assert.ok(
    sent.some((text) => /Not run\. The user said: "?\\?"?Never push to main without asking me\./.test(text)),
  );
  const last =
    talk.server.requests
      .at(-1)
      ?.messages.map(({ content }) => String(content))
      .join("\n") ?? "";
  assert.match(last, /\[Pins: [^\n]+\]\np1: Never push to main without asking me\.\n/);
  await talk.close();
});

async function compacted(wrap?: (model: Model) => Model) {
  const talk = await openTalk([], wrap);
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
          prompt: JSON.parse(
            JSON.stringify(params.prompt).replace("[End of checkpoint]", "[End of checkpoinT]"),
          ),
        }),
      },
    });
  const { receipt, errors } = await compacted(flip);
  assert.match(errors.join("\n"), /does not contain what the receipt of compaction 1 says/);
  assert.equal(receipt?.verified, undefined);
  assert.ok(receipt?.mismatch);
});
