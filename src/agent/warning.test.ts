import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import {
  append,
  call,
  filler,
  inOrder,
  isInWarningTurn,
  isSummaryRequest,
  isWarning,
  notepadIn,
  ofType,
  openStage,
  type Script,
  textsOf,
} from "../../test/support/agent.ts";
import { assertPrefixes, epochOf } from "../../test/support/prompt.ts";
import { compactedText } from "../compaction/warning.ts";
import { openMemory } from "../index.ts";
import type { ScriptedRequest } from "../testing/index.ts";

/** Exactly as in the seed. */
const seedWarning = `[System] Context is approaching the token limit and will be compacted after your next response.
Review your session notepad and update it with any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but the notepad
is kept in full.`;

const readFile = tool({
  inputSchema: z.object({ path: z.string() }),
  execute: async ({ path }) => `${path}\n${filler(1_500)}`,
});
const read = (path: string) => ({ toolCalls: [call("read_file", { path })] });
const options = { tools: { read_file: readFile }, contextWindow: 8_000, clearing: false as const };
const toolNames = ({ tools = [] }: ScriptedRequest) => tools.map(({ function: { name } }) => name);
const reads = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts", "f.ts"].map(read);

test("the warning has the seed's text, comes once per epoch, and its call offers memory tools only [controller.warning]", async (t) => {
  const stage = await openStage(t, { ...options, script: inOrder([...reads, { text: "Read." }]) });
  const { events, text } = await stage.say("Read the six files.");
  assert.equal(text, "Read.");
  const warned = stage.turns().filter(isWarning);
  assert.equal(warned.length, ofType(events, "compaction").length);
  assert.ok(warned.length >= 2);
  assert.equal(new Set(warned.map(epochOf)).size, warned.length, "once an epoch");
  for (const request of warned) {
    assert.equal(request.messages.at(-1)?.role, "user");
    assert.equal(request.messages.at(-1)?.content, seedWarning);
    assert.ok(!toolNames(request).includes("read_file"));
    assert.ok(
      ["read_notepad", "write_notepad", "update_notepad"].every((name) => toolNames(request).includes(name)),
    );
  }
  for (const request of stage.turns().filter((each) => !isWarning(each))) {
    assert.ok(toolNames(request).includes("read_file"));
    assert.ok(
      !JSON.stringify(request.messages).includes("approaching the token limit"),
      "the warning is gone after the compaction",
    );
  }
  assert.deepEqual(
    ofType(events, "warning").map(({ skipped }) => skipped),
    warned.map(() => undefined),
  );
  assert.deepEqual(
    (await stage.agent.receipts("s")).map(({ warning }) => warning),
    warned.map(() => "given"),
  );
  assertPrefixes(stage.turns());
});

test("the next epoch's notepad contains the agent's notes of the warning turn [controller.warning-used]", async (t) => {
  const warning = () => ({ toolCalls: [append("- a.ts has 1500 words")] });
  const stage = await openStage(t, {
    ...options,
    script: inOrder([...reads, { text: "Done." }], { warning }),
  });
  const { wroteMemory } = await stage.say("Read the files.");
  const first = stage.turns().find((request) => epochOf(request) !== "") as ScriptedRequest;
  assert.match(notepadIn(first), /^- a\.ts has 1500 words/);
  assert.ok(!JSON.stringify(first.messages).includes("Saved."), "the warning turn is over");
  assert.ok(wroteMemory);
});

test("a long warning turn does not push out the newest results [controller.warning-used]", async (t) => {
  let [sheet, noted] = [0, 0];
  const sheetText = (number: number) => `Sheet ${number}. ${filler(400, `cell${number}`)}`;
  const stage = await openStage(t, {
    contextWindow: 8_000,
    clearing: false,
    surfaces: ["notepad", "notes", "results", "recall"],
    tools: { read_sheet: tool({ inputSchema: z.object({}), execute: async () => sheetText(sheet) }) },
    script: (request) => {
      if (isSummaryRequest(request)) return { text: "The agent read some sheets." };
      if (isInWarningTurn(request))
        return noted++ % 4 < 3
          ? { toolCalls: [call("add_note", { content: filler(250) })] }
          : { text: "Noted." };
      return sheet++ < 12 ? { toolCalls: [call("read_sheet", {})] } : { text: "Done." };
    },
  });
  const { events } = await stage.say("Read the sheets.");
  assert.ok(ofType(events, "compaction").length >= 1);
  assert.ok((await (await stage.session()).notes.all()).length >= 3);
  for (const [index, request] of stage
    .turns()
    .filter((each) => !isInWarningTurn(each))
    .entries())
    for (const number of [index, index - 1].filter((read) => read > 0))
      assert.ok(textsOf(request).includes(sheetText(number)), `call ${index} lacks sheet ${number}`);
});

test("a text answer to the warning does not end the turn: the request stays open [controller.warning-text]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    script: inOrder([...reads, { text: "All six are fine." }]),
  });
  const { text, events } = await stage.say("Tell me whether the six files are fine.");
  assert.equal(text, "All six are fine.");
  for (const { handoff } of ofType(events, "handoff"))
    assert.deepEqual(handoff.said, [{ text: "Tell me whether the six files are fine." }]);
  const openings = stage
    .turns()
    .filter((request, index) => epochOf(request) !== epochOf(stage.turns()[index - 1] ?? request));
  assert.ok(openings.length >= 2);
  for (const { messages } of openings) {
    assert.equal(messages.at(-2)?.role, "tool", "the request is still open");
    assert.equal(
      messages.at(-1)?.content,
      compactedText,
      "the prompt does not end with what the agent said itself",
    );
  }
});

test("a model that ignores the warning and calls another tool gets an error, and the compaction still runs [controller.warning-ignored]", async (t) => {
  let warnings = 0;
  const stage = await openStage(t, {
    ...options,
    script: inOrder([...reads, { text: "Done." }], {
      warning: () => (++warnings === 1 ? read("g.ts") : { text: "" }),
    }),
  });
  const { events, text } = await stage.say("Read the files.");
  assert.equal(text, "Done.");
  const refused = ofType(events, "tool-result").find(({ isError }) => isError);
  assert.match(String(refused?.text), /read_file was not run/);
  assert.ok(
    ofType(events, "compaction").length >= 2,
    "an empty answer to the warning does not stop it either",
  );
  assert.ok(
    ofType(events, "handoff").every(({ handoff }) => /\n- read_file [a-f]\.ts → /.test(handoff.text)),
    "the handoff is written without its help",
  );
});

test("a model that never stops writing in the warning turn is cut off [controller.warning-ignored]", async (t) => {
  let notes = 0;
  const others = inOrder([...reads.slice(0, 3), { text: "Done." }]);
  const script: Script = (request, number) =>
    isInWarningTurn(request) && !isSummaryRequest(request)
      ? { toolCalls: [append(`- note ${++notes}`)] }
      : others(request, number);
  const stage = await openStage(t, { ...options, script });
  const { events } = await stage.say("Read the files.");
  assert.ok(ofType(events, "compaction").length > 0);
  assert.equal(notes, 6 * ofType(events, "compaction").length);
});

test("a failed warning turn is reported, and the compaction continues [controller.warning-ignored]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    script: inOrder([...reads, { text: "Done." }], { warning: () => ({ status: 400, error: "no credit" }) }),
  });
  const { events, text } = await stage.say("Read the files.");
  assert.equal(text, "Done.");
  assert.ok(
    ofType(events, "error").some(({ message }) => message.includes("The warning turn failed: no credit")),
  );
  const [receipt] = ofType(events, "receipt");
  assert.equal(receipt?.receipt.warning, "skipped");
  assert.match(receipt?.receipt.skipped ?? "", /^The warning turn failed: no credit/);
});

test("with handoff: false a compaction within a turn keeps the message that is being answered [handoff.off]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    memory: await openMemory({ store: "memory:", surfaces: ["notepad"], handoff: false }),
    script: inOrder([...reads, { text: "Done." }], { summary: () => ({ text: "Files were read." }) }),
  });
  const asked = "Migrate ONLY the invoices table to UTC.";
  const { events } = await stage.say(asked);
  assert.ok(ofType(events, "compaction").length >= 2);
  for (const request of stage.turns()) assert.ok(JSON.stringify(request.messages).includes(asked));
});

test("an agent with no memory to write to is not warned, and the receipt gives the reason [controller.warning-skipped]", async (t) => {
  const script = inOrder([...reads, { text: "Read." }]);
  const stage = await openStage(t, { ...options, surfaces: ["pins", "recall"], script });
  await stage.say("Read the six files.");
  assert.equal(stage.turns().filter(isWarning).length, 0);
  const receipts = await stage.agent.receipts("s");
  assert.ok(receipts.length > 0);
  for (const { warning, skipped } of receipts)
    assert.deepEqual([warning, skipped], ["skipped", "the agent has no memory to write to"]);
});

test("a result larger than the window is cut, so that the agent can still be warned [controller.warning-skipped]", async (t) => {
  const huge = tool({ inputSchema: z.object({ path: z.string() }), execute: async () => filler(5_000) });
  const stage = await openStage(t, {
    ...options,
    tools: { read_file: huge },
    script: inOrder([{ text: "Hello." }, read("a.ts"), { text: "Done." }]),
  });
  await stage.say(`Hello. ${filler(500)}`);
  const { events } = await stage.say("Read a.ts.");
  assert.deepEqual(
    ofType(events, "shortened").map(({ part, tool }) => [part, tool]),
    [["result", "read_file"]],
  );
  await stage.agent.compact("s").result;
  const receipts = await stage.agent.receipts("s");
  assert.deepEqual(
    receipts.map(({ warning }) => warning),
    receipts.map(() => "given"),
  );
  assert.equal(stage.turns().filter(isWarning).length, receipts.length);
});

test("a manual compaction takes the same path: warning, handoff, receipt [controller.manual]", async (t) => {
  const stage = await openStage(t, { script: inOrder([]) });
  assert.equal((await stage.agent.compact("s").result).compacted, false, "there is nothing to compact yet");
  assert.equal(stage.server.requests.length, 0);
  for (const text of ["One.", "Two.", "Three."]) await stage.say(`${text} ${filler(200)}`);
  const events: string[] = [];
  for await (const { type } of stage.agent.compact("s")) events.push(type);
  assert.deepEqual(
    events.filter((type) => type !== "text" && type !== "usage"),
    ["warning", "handoff", "compaction", "receipt"],
  );
  const [receipt] = await stage.agent.receipts("s");
  assert.equal(receipt?.trigger, "manual");
  await stage.say("Four.");
  const last = stage.turns().at(-1) as ScriptedRequest;
  assert.match(epochOf(last), /^\[Summary/);
  assert.equal(last.messages.at(-1)?.content, `${compactedText}\n\nFour.`);
});

test("a process that takes over after the warning never sends a prompt that ends with the agent's own text [controller.warning-text]", async (t) => {
  const controller = new AbortController();
  const stage = await openStage(t, {
    surfaces: ["notepad", "results", "recall"],
    contextWindow: 3_000,
    compactAt: 0.7,
    script: inOrder([], {
      summary: () => {
        controller.abort();
        return { hangUp: true };
      },
    }),
  });
  await stage.say(`Look at this. ${filler(900)}`);
  await assert.rejects(
    stage.agent.send("s", `And at this. ${filler(400)}`, { signal: controller.signal }).result,
  );
  const wider = stage.another({ contextWindow: 100_000 });
  await wider.resume("s").result;
  const last = stage.turns().at(-1) as ScriptedRequest;
  const [asked, mark] = last.messages.slice(-2).map(({ content }) => String(content));
  assert.match(asked ?? "", /^And at this\. lorem/);
  assert.equal(mark, compactedText);
});
