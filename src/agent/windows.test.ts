import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { call, isInWarningTurn, isSummaryRequest, ofType, plainSummary } from "../../test/support/agent.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../testing/index.ts";
import { numberedLines, openWindow, textIn } from "./test-support/window.ts";

const windows = [4_000, 8_000, 16_000, 32_000, 128_000];
const factors = [1, 1.25, 2];

const readFile = tool({
  inputSchema: z.object({ path: z.string() }),
  // As many tokens as a page of a file, whatever the window.
  execute: async ({ path }) => numberedLines(6_000, path),
});

/** Answers summaries and warnings; `turn` answers the rest. */
function besideTurns(turn: (request: ScriptedRequest) => ScriptedAnswer) {
  return (request: ScriptedRequest): ScriptedAnswer => {
    if (isSummaryRequest(request)) return { text: plainSummary(request) };
    return isInWarningTurn(request) ? { text: "Nothing to save." } : turn(request);
  };
}

test("a result of a fifth of the window stays whole, and older messages make room for it [controller.fit-results]", async (t) => {
  let step = 0;
  const stage = await openWindow(t, {
    window: 16_000,
    factor: 1,
    clearing: false,
    script: besideTurns(() =>
      ++step % 2 === 1 ? { toolCalls: [call("read", { part: (step + 1) / 2 })] } : { text: "Read." },
    ),
    tools: {
      read: tool({
        inputSchema: z.object({ part: z.number() }),
        execute: async ({ part }) => numberedLines(3_200, `part${part}`),
      }),
    },
  });
  for (let part = 1; part <= 6; part++) {
    const { events } = await stage.say(`Read part ${part}.`);
    assert.deepEqual(ofType(events, "shortened"), [], `part ${part}`);
    assert.ok(textIn(stage.requests.at(-1) as ScriptedRequest).includes(numberedLines(3_200, `part${part}`)));
  }
  assert.ok((await stage.agent.receipts("s")).length >= 2);
});

for (const window of windows) {
  for (const factor of factors) {
    const where = `${window / 1_000}k, counted × ${factor}`;
    const reads = window <= 8_000 ? 1 : window === 16_000 ? 2 : 4;

    test(`${reads} large results at once are fitted and can be read on (${where}) [controller.fit-results]`, async (t) => {
      let step = 0;
      let range = "";
      const script = besideTurns((request) => {
        step++;
        const paths = Array.from({ length: reads }, (_, index) => `file${index}.ts`);
        if (step === 1) return { toolCalls: paths.map((path) => call("read_file", { path })) };
        const cut = /Call recall_result with id "(r\d+_\d+)" and range "(\d+)-(\d+)"/.exec(textIn(request));
        if (step === 2 && cut) {
          range = `${cut[2]}-${Number(cut[2]) + 3}`;
          return { toolCalls: [call("recall_result", { id: cut[1], range })] };
        }
        return { text: "Answered." };
      });
      const stage = await openWindow(t, { window, factor, script, tools: { read_file: readFile } });
      const { text, end, steps, events } = await stage.say("Read all of them.");
      assert.deepEqual([text, end], ["Answered.", "done"]);
      assert.ok(steps <= 3 && stage.requests.length <= 6, `${stage.requests.length} requests`);
      const second = stage.requests.filter(
        (request) => !isSummaryRequest(request) && !isInWarningTurn(request),
      )[1];
      const results = second?.messages
        .filter(({ role }) => role === "tool")
        .map(({ content }) => String(content));
      assert.equal(results?.length, reads);
      for (const [index, result] of (results ?? []).entries()) {
        assert.ok(result.startsWith(`file${index}.ts row 1 `), "the beginning");
        assert.ok(result.endsWith("row 600 of the long table"), "the end");
        assert.ok(result.includes("row 300 ") || result.includes("[Cut here to fit"), "whole, or marked");
      }
      assert.equal(range !== "", ofType(events, "shortened").length > 0, "the user hears of a cut");
      if (range === "") return;
      const row = Number(range.split("-")[0]);
      assert.ok(
        textIn(stage.requests.at(-1) as ScriptedRequest).includes(`row ${row + 1} of the long table`),
      );
    });

    test(`a prompt of 80 to 150 % of the window is answered whole or cut in the open (${where}) [controller.fit-prompt]`, async (t) => {
      const asked: string[] = [];
      const script = besideTurns((request) => {
        asked.push(textIn(request));
        return { text: "Answered." };
      });
      const stage = await openWindow(t, { window, factor, script });
      await stage.say("Hello.");
      for (const share of [0.8, 1, 1.5]) {
        const question = `BEGIN-${share} ${numberedLines((window * share) / factor, "data")} END-${share}?`;
        const { end, events } = await stage.say(question);
        assert.equal(end, "done");
        const seen = asked.at(-1) ?? "";
        assert.ok(seen.includes(`BEGIN-${share} `) && seen.includes(` END-${share}?`), "beginning and end");
        const isWhole = seen.includes(question);
        assert.equal(
          isWhole,
          ofType(events, "shortened").every(({ part }) => part !== "prompt"),
        );
        if (!isWhole)
          assert.match(seen, /\[Cut here to fit the context window: [^\]]* Call recall with from "\d+\.\d+"/);
        const stored = await (await stage.memory.resumeSession("s")).messages();
        assert.ok(JSON.stringify(stored).includes(JSON.stringify(question).slice(1, -1)), "kept whole");
      }
      // A correct count is learned from the first answer; only a cut in the middle of learning may be refused.
      assert.ok(stage.refused.length <= 1, `${stage.refused.length} refused`);
    });
  }
}

for (const window of [8_000, 16_000, 32_000, 128_000]) {
  for (const share of [0.1, 0.25]) {
    test(`every compaction is warned at turns of ${share * 100} % of ${window / 1_000}k [controller.warning-always]`, async (t) => {
      const script = besideTurns(() => ({ text: "Noted." }));
      const stage = await openWindow(t, { window, factor: 1, script });
      let turns = 0;
      for (; turns < 80 && (await stage.agent.receipts("s")).length < 6; turns++)
        await stage.say(`Turn ${turns}. ${numberedLines(window * share - 60, `t${turns}`)}`);
      const receipts = await stage.agent.receipts("s");
      assert.equal(receipts.length, 6, `after ${turns} turns`);
      assert.deepEqual(
        receipts.map(({ warning }) => warning),
        Array.from({ length: 6 }, () => "given"),
      );
      assert.deepEqual(stage.refused, []);
    });
  }
}

for (const factor of [1.25, 2]) {
  test(`one process per prompt knows from its first call that the provider counts × ${factor} [controller.usage-kept]`, async (t) => {
    const script = besideTurns(() => ({ text: "Noted." }));
    const stage = await openWindow(t, { window: 8_000, factor, script });
    for (let turn = 0; turn < 24; turn++)
      await stage.say(`Turn ${turn}. ${numberedLines(300, `t${turn}`)}`, stage.another());
    assert.deepEqual(stage.refused, []);
    assert.ok((await stage.agent.receipts("s")).length >= 2);
    assert.ok(Math.max(...stage.counts) <= 8_000);
  });
}

test("a notepad larger than the window is saved, shown in part, and shuts nobody out [controller.memory-share]", async (t) => {
  let step = 0;
  const large = numberedLines(12_000, "finding");
  const answers: string[] = [];
  const script = besideTurns((request) => {
    const result = request.messages.findLast(({ role }) => role === "tool");
    if (result) answers.push(String(result.content));
    return ++step === 1
      ? { toolCalls: [call("write_notepad", { content: large.slice(0, 31_000) })] }
      : { text: "Go on." };
  });
  const stage = await openWindow(t, { window: 8_000, factor: 1, script });
  await stage.say("Write everything down.");
  assert.match(
    answers[0] ?? "",
    /Saved, but the notepad now takes \d+ tokens .* Condense it to about \d+ characters/,
  );
  for (let turn = 0; turn < 5; turn++) assert.equal((await stage.say(`Turn ${turn}.`)).end, "done");
  const session = await stage.memory.resumeSession("s");
  assert.equal((await session.notepad.read()).length, 31_000);
  const last = stage.requests.at(-1) as ScriptedRequest;
  assert.match(textIn(last), /finding row 1 [\s\S]*\[Not shown here: \d+ characters [^\]]*Call read_notepad/);
  assert.deepEqual(stage.refused, []);
  assert.ok(
    stage.requests.length <= 12,
    `${stage.requests.length} requests: no call is wasted on compactions`,
  );
});

test("instructions that leave no room are refused before any model call [controller.fit-prompt]", async (t) => {
  const stage = await openWindow(t, {
    window: 4_000,
    factor: 1,
    script: () => ({ text: "Never." }),
    system: numberedLines(5_000, "rule"),
  });
  await assert.rejects(stage.say("Hello."), /The prompt takes \d+ of 4000 tokens even after shortening/);
  assert.equal(stage.requests.length, 0);
});
