import assert from "node:assert/strict";
import { test } from "node:test";
import { holdfast, holdfastTools } from "../src/adapters/ai-sdk/index.ts";
import { anthropicTools } from "../src/adapters/anthropic/index.ts";
import { openaiTools } from "../src/adapters/openai/index.ts";
import { createAgent } from "../src/agent/index.ts";
import { openMemory } from "../src/index.ts";
import { modelAt } from "./support/agent.ts";

/** Options as an untyped caller writes them. */
type Untyped = Record<string, unknown>;

const untyped = (options: Untyped) => options as never;

test("openMemory refuses a misspelt option and a bad value, and names the closest [config.library]", async () => {
  const open = (options: Untyped) => openMemory(untyped({ store: "memory:", ...options }));
  await assert.rejects(
    open({ surface: ["notes"] }),
    /openMemory has no option "surface"\. Did you mean "surfaces"\?/,
  );
  await assert.rejects(
    open({ scratchpad: { maxToken: 5 } }),
    /openMemory has no option "scratchpad\.maxToken"\. Did you mean "maxTokens"\?/,
  );
  await assert.rejects(open({ limits: { noteTag: 1 } }), /"limits\.noteTag"\. Did you mean "noteTags"\?/);
  await assert.rejects(
    open({ limits: { noteTags: 0 } }),
    /"limits\.noteTags" of openMemory must be a whole number of at least 1 \(got 0\)/,
  );
  await assert.rejects(
    open({ scratchpad: { enabled: "yes" } }),
    /"scratchpad\.enabled" of openMemory must be true or false/,
  );
  await assert.rejects(
    open({ scratchpad: true }),
    /"scratchpad" of openMemory must be an object \(got boolean\)/,
  );
  await assert.rejects(open({ nothingLikeIt: 1 }), /The options there are: store, surfaces, owner/);
  const memory = await open({ limits: undefined, scratchpad: { enabled: undefined } });
  await memory.close();
});

test("createAgent and the AI SDK adapter check nudges, clearing, children and unknown keys [config.library]", async (t) => {
  const memory = await openMemory({ store: "memory:" });
  t.after(() => memory.close());
  const session = await memory.createSession();
  const model = modelAt("http://127.0.0.1:9/v1");
  const wrong: [Untyped, RegExp][] = [
    [
      { nudges: { nudgeAfterTurns: -1 } },
      /"nudges\.nudgeAfterTurns" of \w+ must be a whole number of at least 0/,
    ],
    [{ nudges: { nudgeAfterTurn: 1 } }, /"nudges\.nudgeAfterTurn"\. Did you mean "nudgeAfterTurns"\?/],
    [{ clearing: { largeToken: 1 } }, /"clearing\.largeToken"\. Did you mean "largeTokens"\?/],
    [{ clearing: { keepLast: -1 } }, /"clearing\.keepLast" of \w+ must be a whole number of at least 0/],
    [{ clearing: true }, /"clearing" of \w+ must be an object/],
    [{ compactat: 0.5 }, /"compactat"\. Did you mean "compactAt"\?/],
    [{ memoryShare: 0 }, /"memoryShare" of \w+ must be a number above 0/],
  ];
  for (const [options, message] of wrong) {
    const given = untyped({ memory, model, contextWindow: 9_000, ...options });
    assert.throws(() => createAgent(given), { code: "invalid_input", message });
    assert.throws(() => holdfast(untyped({ session, model, contextWindow: 9_000, ...options })), {
      code: "invalid_input",
      message,
    });
  }
  assert.throws(
    () => createAgent(untyped({ memory, model, contextWindow: 9_000, children: { depht: 1 } })),
    /"children\.depht"\. Did you mean "depth"\?/,
  );
  assert.throws(() => createAgent(untyped({ memory, model })), /createAgent needs a "contextWindow"/);
  assert.throws(
    () => holdfastTools(session, untyped({ surface: [] })),
    /holdfastTools has no option "surface"/,
  );
  assert.throws(
    () => holdfast(untyped({ session, model, contextWindow: 9_000, placment: "epoch" })),
    /Did you mean "placement"\?/,
  );
  for (const tools of [openaiTools, anthropicTools])
    await assert.rejects(tools(session, untyped({ surface: ["notes"] })), /Did you mean "surfaces"\?/);
});
