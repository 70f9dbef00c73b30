import assert from "node:assert/strict";
import { test } from "node:test";
import { APICallError } from "ai";
import {
  append,
  filler,
  finish,
  inOrder,
  isSummaryRequest,
  isWarning,
  ofType,
  openStage,
  plainSummary,
  type Script,
} from "../../test/support/agent.ts";
import { rejection } from "../../test/support/memory.ts";
import { epochOf } from "../../test/support/prompt.ts";
import { isOverflow } from "./call.ts";

const refusal = {
  status: 400,
  error: "This model's maximum context length is 4096 tokens.",
  code: "context_length_exceeded",
};

/** Rejects prompts longer than this many characters, or the first few requests. */
function narrow(limit: number, refusals = Number.POSITIVE_INFINITY): Script {
  let refused = 0;
  return (request) => {
    if (isSummaryRequest(request)) return { text: plainSummary(request).slice(0, 800) };
    if (isWarning(request)) return { text: "Notepad is up to date." };
    if (JSON.stringify(request.messages).length > limit && refused++ < refusals) return refusal;
    return { text: "Answered." };
  };
}

test("a prompt that the provider rejects as too long is compacted and sent again [controller.overflow]", async (t) => {
  const stage = await openStage(t, { script: narrow(14_000), surfaces: ["notepad", "results", "recall"] });
  await (await stage.session()).notepad.write("- the plan");
  await stage.say(`One. ${filler(800)}`);
  await stage.say(`Two. ${filler(800)}`);
  const { text, events, compacted } = await stage.say(`Three. ${filler(1_000)}`);
  assert.equal(text, "Answered.");
  assert.ok(compacted);
  assert.deepEqual(ofType(events, "warning"), [
    { type: "warning", trigger: "overflow", skipped: "the provider refused the prompt as too long" },
  ]);
  const [receipt] = await stage.agent.receipts("s");
  assert.equal(receipt?.trigger, "overflow");
  assert.equal(receipt?.warning, "skipped");
  const [refused, again] = stage.turns().slice(-2);
  assert.equal(epochOf(refused as never), "");
  assert.match(epochOf(again as never), /\[Handoff: .*\[Receipt: /s);
  assert.match(String(again?.messages.at(-1)?.content), /compacted here/);
  assert.ok(
    JSON.stringify(again?.messages).includes("Three. lorem"),
    "what the user just said is still there, word for word",
  );
});

test("a prompt that stays too long after a compaction is shortened too [controller.overflow]", async (t) => {
  const stage = await openStage(t, { script: narrow(9_000), surfaces: ["notepad", "results", "recall"] });
  await stage.say(`One. ${filler(600)}`);
  const { text, events } = await stage.say(`Two. ${filler(1_600)}`);
  assert.equal(text, "Answered.");
  assert.equal(ofType(events, "compaction").length, 1);
  assert.deepEqual(
    ofType(events, "shortened").map(({ part }) => part),
    ["prompt"],
  );
  const last =
    stage
      .turns()
      .at(-1)
      ?.messages.map(({ content }) => content)
      .join("\n") ?? "";
  assert.match(
    last,
    /Two\. lorem[\s\S]*\[Cut here to fit the context window: [^\]]* Call recall with from "3\.\d+" /,
  );
});

test("a provider that rejects everything: a clear error, nothing lost, and the next message works [controller.overflow-endless]", async (t) => {
  let isBroken = true;
  const fine = narrow(Number.POSITIVE_INFINITY);
  const stage = await openStage(t, {
    script: (request, number) => (isBroken && !isSummaryRequest(request) ? refusal : fine(request, number)),
    surfaces: ["notepad", "results", "recall"],
  });
  isBroken = false;
  await stage.say("One.");
  isBroken = true;
  const session = await stage.session();
  await session.notepad.write("- keep me");
  const { message } = await rejection(stage.agent.send("s", "Two.").result, "over_limit");
  assert.match(
    message,
    /The provider rejects the prompt as too long, and nothing is left to compact\. Nothing was lost: send a shorter message/,
  );
  assert.ok(stage.turns().length <= 6, "it gives up");
  const stored = JSON.stringify(await session.messages());
  assert.ok(stored.includes('"One."') && stored.includes('"Two."'));
  assert.equal(await session.notepad.read(), "- keep me");
  isBroken = false;
  const { text } = await stage.say("Three.");
  assert.equal(text, "Answered.");
  const last = stage.turns().at(-1);
  assert.ok(JSON.stringify(last?.messages).includes("Two."), "the earlier request is still open");
});

test("a single message that is too long for the model is cut in the middle, and can be recalled [controller.overflow]", async (t) => {
  const stage = await openStage(t, { script: narrow(10_000), surfaces: ["notepad", "results", "recall"] });
  const { text, events } = await stage.say(`Summarise this: ${filler(4_000)} THE END`);
  assert.equal(text, "Answered.");
  assert.equal(ofType(events, "compaction").length, 0, "there is nothing older to compact");
  const asked = String(stage.turns().at(-1)?.messages.at(-1)?.content);
  assert.match(asked, /^Summarise this: lorem[\s\S]*\[Cut here [^\]]*\][\s\S]* THE END$/);
  assert.ok(JSON.stringify(await (await stage.session()).messages()).includes("THE END"));
});

test("an overflow in the warning turn ends the warning, not the turn [controller.overflow]", async (t) => {
  const stage = await openStage(t, {
    script: inOrder([{ text: "One." }, { text: "Two." }, { text: "Three." }], { warning: () => refusal }),
    surfaces: ["notepad", "results", "recall"],
    contextWindow: 4_000,
  });
  await stage.say(`One. ${filler(1_000)}`);
  await stage.say(`Two. ${filler(1_000)}`);
  const { text, events } = await stage.say(`Three. ${filler(250)}`);
  assert.equal(text, "Three.");
  assert.ok(ofType(events, "error").some(({ message }) => message.startsWith("The warning turn failed: ")));
  assert.ok(ofType(events, "receipt").length > 0);
});

test("after an overflow the answer's tools run as usual [controller.overflow]", async (t) => {
  let calls = 0;
  const wide = narrow(8_000);
  const stage = await openStage(t, {
    script: async (request, number) => {
      const answer = await wide(request, number);
      return "text" in answer && answer.text === "Answered." && ++calls === 2
        ? { toolCalls: [append("- after the overflow")] }
        : answer;
    },
    surfaces: ["notepad", "results", "recall"],
  });
  await stage.say(`One. ${filler(600)}`);
  await finish(stage.agent.send("s", `Two. ${filler(800)}`));
  assert.equal(await (await stage.session()).notepad.read(), "- after the overflow");
});

test("recognizes the providers' errors for a prompt that is too long, but not a rate limit [controller.overflow]", () => {
  const error = (message: string, statusCode = 400, responseBody = "") =>
    new APICallError({ message, statusCode, responseBody, url: "http://x", requestBodyValues: {} });
  for (const message of [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).",
    "the request exceeds the available context size",
    "input is too long for requested model",
  ]) {
    assert.ok(isOverflow(error(message)), message);
  }
  assert.ok(isOverflow(error("Bad Request", 400, '{"error":{"code":"context_length_exceeded"}}')));
  assert.ok(isOverflow(new Error("wrapped", { cause: error("context_length_exceeded") })));
  assert.ok(!isOverflow(error("Rate limit reached: too many tokens per minute", 429)));
  assert.ok(!isOverflow(error("Invalid API key", 401)));
  assert.ok(!isOverflow("context_length_exceeded"));
});
