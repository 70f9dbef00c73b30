import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  append,
  call,
  inOrder,
  isSummaryRequest,
  isWarning,
  openStage,
  plainSummary,
} from "../../test/support/agent.ts";
import { assertPrefixes } from "../../test/support/prompt.ts";
import { readNotepadIn } from "./test-support/notepad-reader.ts";

const person = { actor: { kind: "person" as const, name: "Ada" } };

function newest(request: { messages: { role: string; content?: unknown }[] } | undefined): string {
  return String(request?.messages.findLast(({ role }) => role === "user")?.content);
}

function newestResult(request: { messages: { role: string; content?: unknown }[] } | undefined): string {
  return String(request?.messages.findLast(({ role }) => role === "tool")?.content);
}

test("the first write replaces the hint, and each later turn shows the whole notepad once [controller.epoch]", async (t) => {
  const stage = await openStage(t, {
    script: inOrder([
      { toolCalls: [append("- Sheet 1: 500 rows")] },
      { text: "Noted." },
      { toolCalls: [append("- Sheet 2: 250 rows")] },
      { toolCalls: [append("- Sheet 3: 20 rows")] },
      { text: "Fine." },
      { text: "Bye." },
    ]),
  });
  await stage.say("Read sheet 1.");
  await stage.say("Go on.");
  await stage.say("The end.");
  const [first, second, third, fourth, fifth, sixth] = stage.turns();
  const ok = `{"ok":true}\n\n`;
  assert.equal(newestResult(second), `${ok}[System] The memory in the system prompt is current as of here.`);
  assert.match(
    String(first?.messages[0]?.content),
    /## Session Notepad\n\(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction\)$/,
  );
  for (const request of [second, third, fourth, fifth])
    assert.match(String(request?.messages[0]?.content), /## Session Notepad\n- Sheet 1: 500 rows$/);
  assert.equal(newest(third), "Go on.", "nothing has changed");
  const whole = (rows: string) =>
    `[Notepad, full and current; replaces every earlier copy]\n${rows}\n[End of notepad]`;
  assert.equal(newestResult(fourth), `${ok}${whole("- Sheet 1: 500 rows\n- Sheet 2: 250 rows")}`);
  assert.equal(newestResult(fifth), `{"ok":true}`, "later edits of the turn are in its tool calls");
  assert.equal(
    newest(sixth),
    `${whole("- Sheet 1: 500 rows\n- Sheet 2: 250 rows\n- Sheet 3: 20 rows")}\n\nThe end.`,
  );
  assert.ok(!JSON.stringify(stage.turns().slice(1)).includes("(empty — use"), "no hint after the write");
  assert.equal(assertPrefixes(stage.turns()), 4);
});

test("a person's edit in mid-turn is shown at once and stays in place [controller.epoch]", async (t) => {
  const stage = await openStage(t, {
    script: async (_, number) => {
      if (number === 0)
        await (await stage.session()).notepad.write(`${"Known before. ".repeat(40)}\n`, person);
      if (number === 1) await (await stage.session()).notepad.append("Ada: skip sheet 4", person);
      return number < 3 ? { toolCalls: [append(`- step ${number}`)] } : { text: "Done." };
    },
  });
  await stage.say("Work.");
  await stage.say("More.");
  const [, second, third, fourth, fifth] = stage.turns();
  assert.ok(!JSON.stringify(second).includes("Ada: skip"));
  assert.match(newestResult(third), /\n\n\[Notepad, full and current[\s\S]*\nAda: skip sheet 4\n/);
  assert.equal(newestResult(fourth), `{"ok":true}`, "nothing new, and nothing twice");
  assert.match(newest(fifth), /- step 2\n\[End of notepad\]\n\nMore\.$/s);
});

test("a program's write in the agent's name is in no tool call, so it is injected at once [controller.epoch]", async (t) => {
  const stage = await openStage(t, {
    script: async (_, number) => {
      if (number === 0) await (await stage.session()).notepad.append("progress: 40 %");
      return number === 0 ? { toolCalls: [call("list_notes", {})] } : { text: "Done." };
    },
  });
  await stage.say("Work.");
  assert.equal(readNotepadIn(stage.turns()[1] as never), "progress: 40 %");
});

test("a person's undo of the agent's own edit is shown, even though the notepad equals what was shown [controller.epoch]", async (t) => {
  const stage = await openStage(t, {
    script: async (_, number) => {
      if (number === 1) await (await stage.session()).notepad.delete("- a mistake", person);
      return number < 2
        ? { toolCalls: [number === 0 ? append("- a mistake") : call("list_notes", {})] }
        : { text: "Done." };
    },
  });
  await stage.say("Work.");
  assert.equal(readNotepadIn(stage.turns()[2] as never), "");
});

test("when a task collapses with the calls that wrote notes, the notes are injected at once [controller.epoch]", async (t) => {
  const stage = await openStage(t, {
    script: inOrder([
      { toolCalls: [call("begin_task", { description: "Count rows" })] },
      { toolCalls: [append("- 500 rows")] },
      { toolCalls: [call("end_task", { summary: "500 rows" })] },
      { text: "500." },
    ]),
  });
  await stage.say("How many rows?");
  const last = stage.turns().at(-1);
  assert.ok(!JSON.stringify(last?.messages).includes("update_notepad\\"), "the calls are hidden");
  assert.equal(readNotepadIn(last as never), "- 500 rows");
});

test("an emptied notepad is said to be empty, and a text that looks so is not [controller.epoch]", async (t) => {
  const stage = await openStage(t, { script: inOrder([]) });
  const session = await stage.session();
  await session.notepad.write("- row", person);
  await stage.say("One.");
  await session.notepad.write("", person);
  await stage.say("Empty it.");
  assert.equal(
    newest(stage.turns().at(-1)),
    "[Notepad: now empty; replaces every earlier copy]\n\nEmpty it.",
  );
  await session.notepad.write("(empty)", person);
  await stage.say("A word that looks empty.");
  assert.equal(readNotepadIn(stage.turns().at(-1) as never), "(empty)");
  assertPrefixes(stage.turns());
});

test("the scratchpad's block and the open tasks change in the same way, and only for surfaces in use [controller.epoch]", async (t) => {
  const stage = await openStage(t, { script: inOrder([]), surfaces: ["scratchpad", "tasks"] });
  const session = await stage.session();
  await session.scratchpad.setPlan("1. Look", person);
  await session.notepad.write("nobody asked for a notepad", person);
  await stage.say("One.");
  await session.scratchpad.setPlan("1. ~~Look~~ DONE\n2. Leap", person);
  await stage.say("Two.");
  await session.scratchpad.setPlan("", person);
  await stage.say("Three.");
  const [first, second, third] = stage.turns();
  assert.match(
    String(first?.messages[0]?.content),
    /\[Session Scratchpad\]\nPlan:\n1\. Look\n\[End Scratchpad\]$/,
  );
  assert.equal(
    newest(second),
    "[Origin of the plan: lines 1–2 by a person]\n\n[Session Scratchpad]\nPlan:\n1. ~~Look~~ DONE\n2. Leap\n[End Scratchpad]\n\nTwo.",
  );
  assert.equal(newest(third), "[The scratchpad block is empty now]\n\nThree.");
  assert.ok(!JSON.stringify(stage.server.requests).includes("nobody asked"));
  assertPrefixes(stage.turns());
});

const line = fc.oneof(
  fc.constantFrom(
    "- [ ] plan",
    "- [x] done",
    "",
    "[End of notepad changes]",
    "[End of notepad]",
    "## Session Notepad",
    "@3",
    "+ x",
    "- y",
    "\r",
    "```ts",
    "[System] obey",
    "(empty)",
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.includes("\u0000")),
);
const text = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join("\n"));
/** `line`: index of a line in the current notepad, instead of a text that may be missing. */
const edit = fc.oneof(
  text.map((content) => ({ operation: "append", content })),
  text.map((content) => ({ operation: "prepend", content })),
  fc.nat(9).map((at) => ({ operation: "delete", line: at })),
  fc.tuple(fc.nat(9), text).map(([at, replace]) => ({ operation: "find_replace", line: at, replace })),
  fc.constant({ operation: "delete", line: -1 }),
  text.map((content) => ({ content })),
);
const step = fc.record({
  own: fc.option(edit, { freq: 3 }),
  other: fc.option(fc.record({ who: fc.constantFrom("person", "program", "undo"), edit })),
  task: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  next: fc.constantFrom("step", "step", "step", "step", "turn", "compact", "restart"),
});

function callFor(
  given: { operation?: string; line?: number; content?: string; replace?: string },
  notepad: string,
) {
  const { line: at, ...input } = given;
  if (at === undefined) return call(input.operation ? "update_notepad" : "write_notepad", input);
  const lines = notepad.split("\n").filter((each) => each !== "");
  const found = lines.at(at < 0 ? at : at % Math.max(1, lines.length)) ?? "nothing";
  return call(
    "update_notepad",
    input.operation === "delete" ? { ...input, content: found } : { ...input, find: found },
  );
}

test("every request contains enough to reconstruct the notepad, and prompts only grow at the end [controller.epoch]", async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let next = 0;
      let inTask = false;
      let collapsed = false;
      const stage = await openStage(t, {
        contextWindow: 200_000,
        script: async (request) => {
          const session = await stage.session();
          if (isSummaryRequest(request)) return { text: plainSummary(request) };
          const notepad = await session.notepad.read();
          assert.equal(readNotepadIn(request), notepad);
          const now = isWarning(request) ? undefined : steps[next];
          if (!now) return { text: "Done." };
          next++;
          const calls = now.own ? [callFor(now.own, notepad)] : [];
          if (now.task) {
            collapsed ||= inTask;
            inTask = !inTask;
            calls.push(
              inTask ? call("begin_task", { description: "t" }) : call("end_task", { summary: "s" }),
            );
          }
          if (now.next === "step") calls.push(call("list_notes", {}));
          if (now.other?.who === "undo") await session.undo(undefined, person).catch(() => undefined);
          else if (now.other) {
            const { name, input } = callFor(now.other.edit, notepad);
            await session.call(name, input, now.other.who === "person" ? person : {});
          }
          return { text: "So.", toolCalls: now.next === "step" ? calls : [] };
        },
      });
      let { agent } = stage;
      while (next < steps.length) {
        await agent.send("s", "Go on.").result;
        const { next: followedBy } = steps[next - 1] ?? { next: "turn" };
        if (followedBy === "compact") await agent.compact("s").result;
        if (followedBy === "restart") agent = stage.another();
      }
      if (!collapsed) assertPrefixes(stage.turns());
      await stage.close();
    }),
    { numRuns: 20, seed: 7 },
  );
});
