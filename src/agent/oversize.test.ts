import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { call, isInWarningTurn, isSummaryRequest, ofType, plainSummary } from "../../test/support/agent.ts";
import { seededRandom } from "../../test/support/random.ts";
import { HoldfastError } from "../errors.ts";
import type { ScriptedAnswer, ScriptedRequest } from "../testing/index.ts";
import { numberedLines, openWindow } from "./test-support/window.ts";

/** The part of a request that the model has not answered: a prompt, or the results of its calls. */
function newestIn({ messages }: ScriptedRequest): string[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(last + 1).map(({ content }) => String(content));
}

for (let seed = 1; seed <= 8; seed++) {
  test(`random sizes of results, prompts and notepads, run ${seed} [controller.oversize]`, async (t) => {
    const random = seededRandom(seed * 7_919);
    const window = [4_000, 8_000, 16_000][random(3)] ?? 4_000;
    const factor = [1, 1.25, 2][random(3)] ?? 1;
    const size = () => (random(3) === 0 ? random(window * 2) : random(window / 8));
    /** The agent's input in this turn, by its first words. */
    const given = new Map<string, string>();
    let number = 0;
    const text = (kind: string) => {
      const name = `${kind}${++number}`;
      const lines = numberedLines(10 + size() / factor, name);
      given.set(`${name} row 1 `, lines);
      return lines;
    };
    const problems: string[] = [];
    let steps = 0;
    const turn = (request: ScriptedRequest): ScriptedAnswer => {
      for (const shown of newestIn(request))
        for (const [first, whole] of given) {
          const isNewest = shown.includes(first);
          if (
            isNewest &&
            !shown.includes(whole) &&
            !shown.includes("[Cut here") &&
            !shown.includes("[Not shown")
          )
            problems.push(`${first}left the context unmarked`);
        }
      if (--steps <= 0) return { text: "Done." };
      if (random(4) === 0) {
        const content = numberedLines(random(3) === 0 ? size() / factor : 50, `pad${++number}`);
        return { toolCalls: [call("write_notepad", { content: content.slice(0, 30_000) })] };
      }
      const calls = 1 + random(4);
      return { toolCalls: Array.from({ length: calls }, () => call("read", { id: ++number })) };
    };
    const stage = await openWindow(t, {
      window,
      factor,
      tools: {
        read: tool({ inputSchema: z.object({ id: z.number() }), execute: async () => text("result") }),
      },
      script: (request) => {
        if (isSummaryRequest(request)) return { text: plainSummary(request) };
        return isInWarningTurn(request) ? { text: "Nothing to save." } : turn(request);
      },
    });
    await stage.say("Hello.");
    for (let turns = 0; turns < 10; turns++) {
      given.clear();
      steps = 1 + random(5);
      const [before, limit] = [stage.requests.length, steps];
      const outcome = await stage.say(`Do this: ${text("prompt")} Please.`).catch((error: unknown) => error);
      const calls = stage.requests.length - before;
      if (outcome instanceof Error) {
        assert.ok(outcome instanceof HoldfastError && outcome.code === "over_limit", String(outcome));
        continue;
      }
      const { end, events } = outcome as Awaited<ReturnType<typeof stage.say>>;
      assert.equal(end, "done");
      const compactions = ofType(events, "compaction").length;
      // A compaction takes a warning and a summary, which may be asked for again or in passes.
      assert.ok(calls <= limit + compactions * 6 + 1, `${calls} calls for ${limit} steps`);
    }
    assert.deepEqual(problems, []);
    assert.deepEqual(stage.refused, [], `window ${window} × ${factor}: ${stage.counts.join(" ")}`);
    await stage.close();
  });
}
