import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { append, call, filler, inOrder, ofType, openStage } from "../../test/support/agent.ts";
import { epochOf } from "../../test/support/prompt.ts";
import { openMemory } from "../index.ts";
import type { ScriptedRequest } from "../testing/index.ts";

const login = Array.from(
  { length: 900 },
  (_, index) => `line ${index + 1}: const value${index} = "😀${index}";`,
).join("\n");
const readFile = tool({ inputSchema: z.object({ path: z.string() }), execute: async () => login });
const options = { tools: { read_file: readFile }, clearing: false as const };

test("compacted messages can be recalled in full, by search, page by page and by call id [controller.recall]", async (t) => {
  let calls: ReturnType<typeof call>[] | undefined = [
    call("read_file", { path: "src/auth/login.ts" }, "call_login"),
  ];
  const stage = await openStage(t, {
    ...options,
    contextWindow: 60_000,
    script: inOrder(
      Array.from({ length: 90 }, () => ({
        get toolCalls() {
          const now = calls ?? [];
          calls = undefined;
          return now;
        },
        text: "So.",
      })),
    ),
  });
  await stage.say("Read src/auth/login.ts and remember the needle 4711.");
  await stage.say("Next.");
  await stage.agent.compact("s").result;
  const answerTo = async (name: string, input: object) => {
    calls = [call(name, input)];
    const { events } = await stage.say("Recall it.");
    const { text, isError } = ofType(events, "tool-result")[0] ?? { text: "", isError: true };
    assert.ok(!isError, text);
    return text;
  };
  calls = [];
  await stage.say("Still there?");
  const prompt = JSON.stringify(stage.turns().at(-1)?.messages);
  assert.ok(!prompt.includes("line 899:"), "the result has left the context");

  const found = await answerTo("recall", { query: "which needles to remember from the login" });
  assert.match(found, /^\[1\.1\] user, .*\nRead src\/auth\/login\.ts and remember the needle 4711\.\n/);
  let [whole, from] = ["", "3"];
  for (;;) {
    const page = await answerTo("recall", { from });
    for (const [, number, text = ""] of page.matchAll(
      /^\[(\d+\.\d+)\] .*\n([\s\S]*?)(?=\n\n\[\d|\n\nTo read on|\n\nThis is)/gm,
    ))
      if (number?.startsWith("3.")) whole += text;
    const next = /call recall with \{"from": "([\d.]+)"\}/.exec(page)?.[1];
    if (next === undefined || !next.startsWith("3.")) break;
    from = next;
  }
  assert.equal(whole.replaceAll("\n", ""), `read_filepath: src/auth/login.ts→ ${login.replaceAll("\n", "")}`);
  const result = JSON.parse(await answerTo("recall_result", { id: "call_login", range: "2-3" }));
  assert.equal(result.content, login.split("\n").slice(1, 3).join("\n"));
});

test("recall_result names the next step when it finds nothing [controller.recall]", async (t) => {
  const stage = await openStage(t, {
    script: inOrder([{ toolCalls: [call("recall", {}), call("recall_result", { id: "nobody" })] }]),
  });
  const { events } = await stage.say("Recall.");
  const texts = ofType(events, "tool-result").map(({ text }) => text);
  assert.match(texts[0] ?? "", /recall needs "query" \(words to look for\) or "from"/);
  assert.match(
    texts[1] ?? "",
    /There is no tool result with the id "nobody"\. The stubs and your tool calls show the ids\./,
  );
});

test("the facts of a receipt are true of the next request [controller.receipt]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    surfaces: ["notepad", "recall"],
    contextWindow: 20_000,
    script: inOrder(
      [
        { toolCalls: [append("- kept in the notepad: src/kept/one.ts")] },
        { text: `Seen: src/gone/two.ts. ${filler(400)}` },
        { text: "Ok." },
      ],
      { summary: () => ({ text: "Some files were looked at." }) },
    ),
  });
  const said = ["Look at the files.", `A long one. ${filler(900)} The end.`, "Even more."];
  for (const text of said) await stage.say(text);
  const lines: string[] = [];
  for await (const event of stage.agent.compact("s"))
    if (event.type === "receipt") lines.push(event.receipt.line);
  await stage.say("And now?");
  const [receipt] = await stage.agent.receipts("s");
  assert.ok(receipt);
  const summary = epochOf(stage.turns().at(-1) as ScriptedRequest);
  assert.ok(summary.endsWith(`\n\n${receipt.line}`), "the agent sees the line");
  assert.deepEqual(lines, [receipt.line]);
  const { messages = [] } = stage.turns().at(-1) ?? {};
  const context = messages.map(({ content }) => String(content ?? "")).join("\n");
  assert.deepEqual([receipt.rest, receipt.readWith], ["retrievable", "recall"]);
  assert.deepEqual(receipt.notepad, { lines: 1, shown: 1 });
  assert.ok(context.includes("- kept in the notepad: src/kept/one.ts"));
  assert.equal(receipt.user.cut, 1);
  assert.ok(!context.includes(said[1] ?? ""), "the long one is cut");
  assert.ok(context.includes("- Look at the files.\n"));
  assert.deepEqual(receipt.verified?.call !== undefined, true, "checked against the bytes of the request");
});

for (const placement of ["epoch", "system"] as const)
  test(`with handoff: false and ${placement} placement the next context is system prompt, notepad and summary, and nothing else [handoff.off]`, async (t) => {
    const stage = await openStage(t, {
      ...options,
      placement,
      memory: await openMemory({ store: "memory:", surfaces: ["notepad"], handoff: false }),
      contextWindow: 20_000,
      script: inOrder(
        [
          { toolCalls: [append("- a finding")] },
          { text: `Seen: src/gone/two.ts. ${filler(400)}` },
          { text: "Ok." },
        ],
        { summary: () => ({ text: "Some files were looked at." }) },
      ),
    });
    for (const text of ["Look at the files.", `More. ${filler(900)}`, "Even more."]) await stage.say(text);
    await stage.agent.compact("s").result;
    await stage.say("And now?");
    const [system, ...messages] = stage.turns().at(-1)?.messages ?? [];
    assert.match(
      String(system?.content),
      /Update it after significant findings or completed steps\.\n\n## Session Notepad\n- a finding$/,
    );
    assert.deepEqual(
      messages.map(({ content }) => content),
      ["[Summary of the conversation so far]\nSome files were looked at.\n[End of summary]", "And now?"],
    );
    const [handoff] = await (await stage.session()).records("handoff");
    assert.deepEqual([handoff?.value.text, handoff?.value.said, handoff?.value.done], ["", [], []]);
  });
