import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import {
  append,
  call,
  filler,
  isInWarningTurn,
  isSummaryRequest,
  isWarning,
  notepadIn,
  ofType,
  openStage,
  plainSummary,
  type Script,
} from "../../test/support/agent.ts";
import { assertPrefixes, epochOf } from "../../test/support/prompt.ts";
import type { ScriptedRequest } from "../testing/index.ts";

const ask = "Audit the twelve sheets of revenue-2025.xlsx and tell me which rows are double-counted.";
const sheets = Array.from({ length: 12 }, (_, index) => index + 1);
const finding = (sheet: number) =>
  `- Sheet ${sheet}: ${sheet * 37} rows, gap of $${sheet}.155M at rows ${sheet * 100}-${sheet * 100 + 16}`;

const readSheet = tool({
  inputSchema: z.object({ path: z.string(), sheet: z.number() }),
  execute: async ({ sheet }) =>
    `Sheet ${sheet} of revenue-2025.xlsx, total ${sheet * 1_200}\n${filler(1_100)}`,
});

/** Reads sheet by sheet; notes the even ones at once, and the odd ones only when warned. */
function analyst(): Script {
  let next = 1;
  let unwritten: number[] = [];
  return (request) => {
    if (isSummaryRequest(request))
      return { text: `${plainSummary(request)} Sheets up to ${next - 1} were read.` };
    if (isWarning(request)) {
      const notes = unwritten.map(finding).join("\n");
      unwritten = [];
      return notes === "" ? { text: "Notepad is up to date." } : { toolCalls: [append(notes)] };
    }
    // The result of a tool call in a warning turn.
    if (isInWarningTurn(request)) return { text: "Saved what was missing." };
    const sheet = next++;
    if (sheet > sheets.length) return { text: "Rows 251-267 are double-counted." };
    const earlier = sheet - 1;
    const notes = earlier > 0 && earlier % 2 === 0 ? [append(finding(earlier))] : [];
    if (earlier % 2 === 1) unwritten.push(earlier);
    return {
      text: `Reading sheet ${sheet}.`,
      toolCalls: [...notes, call("read_sheet", { path: "revenue-2025.xlsx", sheet })],
    };
  };
}

test("the spreadsheet story: three compactions in one turn, and no finding is lost [controller.story]", async (t) => {
  const stage = await openStage(t, {
    script: analyst(),
    tools: { read_sheet: readSheet },
    contextWindow: 9_000,
    clearing: false,
  });
  const { text, events, compacted } = await stage.say(ask);

  assert.equal(text, "Rows 251-267 are double-counted.");
  assert.ok(compacted);
  const stored = await stage.agent.receipts("s");
  for (const { verified } of stored) assert.ok(verified, "the next request proved the receipt");
  const receipts = stored.map(({ verified: _verified, ...receipt }) => receipt);
  assert.ok(receipts.length >= 3, `${receipts.length} compactions`);
  for (const { tokensBefore, tokensAfter } of receipts)
    assert.ok(tokensAfter > 0 && tokensAfter < tokensBefore, `${tokensBefore} became ${tokensAfter} tokens`);
  assert.deepEqual(
    receipts,
    ofType(events, "receipt").map(({ receipt }) => receipt),
  );
  assert.deepEqual(
    receipts.map(({ epoch }) => epoch),
    receipts.map((_, index) => index + 1),
  );

  const opening = new Map(
    stage
      .turns()
      .map((request) => [epochOf(request), request])
      .reverse() as [string, ScriptedRequest][],
  );
  opening.delete("");
  assert.equal(opening.size, receipts.length);
  for (const [summary, request] of opening) {
    assert.match(
      summary,
      /^\[Summary of the conversation so far\]\n.*Sheets up to \d+ were read\.\n\[End of summary\]\n\n\[Handoff: /s,
    );
    assert.ok(summary.includes(`oldest first:\n- ${ask}\n`), "the user's words are whole");
    assert.match(summary, /\n- read_sheet revenue-2025\.xlsx sheet: \d+ → \d+ lines/);
    assert.match(summary, /\n\n\[Receipt: \d+ messages compacted\. .*\]$/);
    const read = [...JSON.stringify(request.messages).matchAll(/Reading sheet (\d+)/g)].map(([, sheet]) =>
      Number(sheet),
    );
    const gone = sheets.filter((sheet) => sheet < Math.min(...read));
    for (const sheet of gone)
      assert.ok(
        notepadIn(request).includes(finding(sheet)),
        `sheet ${sheet} left the context and is not in the notepad`,
      );
  }

  const notepad = await (await stage.session()).notepad.read();
  for (const sheet of sheets.slice(0, -2))
    assert.ok(notepad.includes(finding(sheet)), `sheet ${sheet} is in the notepad`);
  assert.ok(assertPrefixes(stage.turns()) > 10);
});

test("the same over many turns: the notepad is whole after every compaction [controller.story]", async (t) => {
  let sheet = 0;
  let step = 0;
  const epochs = new Set([""]);
  const stage = await openStage(t, {
    script: async (request) => {
      if (isSummaryRequest(request)) return { text: "The user asks for one sheet after the other." };
      if (isWarning(request)) return { text: "Notepad is up to date." };
      if (!epochs.has(epochOf(request)))
        assert.equal(notepadIn(request), await (await stage.session()).notepad.read());
      epochs.add(epochOf(request));
      const steps = [
        { toolCalls: [call("read_sheet", { path: "revenue-2025.xlsx", sheet })] },
        { toolCalls: [append(finding(sheet))] },
      ];
      return steps[step++] ?? { text: `Sheet ${sheet} is done.` };
    },
    tools: { read_sheet: readSheet },
    contextWindow: 8_000,
    clearing: false,
  });
  const session = await stage.session();
  for (sheet = 1; sheet <= sheets.length; sheet++) {
    step = 0;
    await stage.say(`Analyse sheet ${sheet}.`);
  }
  assert.equal(await session.notepad.read(), sheets.map(finding).join("\n"));
  assert.ok((await stage.agent.receipts("s")).length >= 3);
  assert.equal(epochs.size, 1 + (await stage.agent.receipts("s")).length);
  assertPrefixes(stage.turns());
  const stored = JSON.stringify(await session.messages());
  for (const injected of ["[System]", "[Notepad", "[Handoff", "[Receipt", "[Summary", "[Context:"]) {
    assert.ok(!stored.includes(injected), `${injected} was stored as if it had been said`);
  }
});
