import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "ai";
import { z } from "zod";
import { append, call, filler, inOrder, ofType, openStage } from "../../test/support/agent.ts";
import { epochOf } from "../../test/support/prompt.ts";
import type { ScriptedRequest } from "../testing/index.ts";

const login = Array.from(
  { length: 900 },
  (_, index) => `line ${index + 1}: const value${index} = "😀${index}";`,
).join("\n");
const readFile = tool({ inputSchema: z.object({ path: z.string() }), execute: async () => login });
const options = { tools: { read_file: readFile }, clearing: false as const };

/** The content of a recalled message, read page by page as the agent would. */
async function readAll(
  stage: Awaited<ReturnType<typeof openStage>>,
  name: string,
  input: object,
  say: (calls: ReturnType<typeof call>[]) => void,
): Promise<string> {
  let whole = "";
  for (let offset = 0; ; ) {
    say([call(name, { ...input, ...(offset > 0 ? { offset } : {}) })]);
    const { events } = await stage.say("Recall it.");
    const { text, isError } = ofType(events, "tool-result")[0] ?? { text: "", isError: true };
    assert.ok(!isError, text);
    const { content, message } = JSON.parse(text) as { content: string; message?: string };
    whole += content;
    const next = /call recall(?:_result)? again with offset: (\d+)/.exec(message ?? "")?.[1];
    if (next === undefined) return whole;
    offset = Number(next);
  }
}

test("compacted messages can be recalled in full, page by page, by number, by text and by call id [controller.recall]", async (t) => {
  let calls: ReturnType<typeof call>[] | undefined = [
    call("read_file", { path: "src/auth/login.ts" }, "call_login"),
  ];
  const stage = await openStage(t, {
    ...options,
    contextWindow: 60_000,
    script: inOrder(
      Array.from({ length: 60 }, () => ({
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
  const say = (next: ReturnType<typeof call>[]) => {
    calls = next;
  };
  say([]);
  await stage.say("Still there?");
  const prompt = JSON.stringify(stage.turns().at(-1)?.messages);
  assert.ok(!prompt.includes("line 899:"), "the result has left the context");

  assert.equal(await readAll(stage, "recall_result", { id: "call_login" }, say), login);
  assert.equal(await readAll(stage, "recall", { message: 3 }, say), `tool: ${login}`);
  assert.equal(
    await readAll(stage, "recall", { message: 1 }, say),
    "user: Read src/auth/login.ts and remember the needle 4711.",
  );
  assert.equal(
    await readAll(stage, "recall_result", { id: "call_login", range: "2-3" }, say),
    login.split("\n").slice(1, 3).join("\n"),
  );

  say([call("recall", { query: "NEEDLE 4711" })]);
  const { events } = await stage.say("Search it.");
  const found = JSON.parse(ofType(events, "tool-result")[0]?.text ?? "") as {
    matches: { message: number; excerpt: string }[];
  };
  assert.equal(found.matches.at(-1)?.message, 1);

  say([call("recall", { query: "which needles to remember from the login" })]);
  const ranked = await stage.say("Search its words.");
  const similar = JSON.parse(ofType(ranked.events, "tool-result")[0]?.text ?? "") as typeof found & {
    message: string;
  };
  assert.match(similar.message, /^No message contains that text; these share its words\./);
  assert.equal(similar.matches[0]?.message, 1);
});

test("recall says what to do when it finds nothing [controller.recall]", async (t) => {
  const stage = await openStage(t, {
    script: inOrder([
      {
        toolCalls: [
          call("recall", {}),
          call("recall", { message: 99 }),
          call("recall", { query: "no such words" }),
          call("recall_result", { id: "nobody" }),
        ],
      },
    ]),
  });
  const { events } = await stage.say("Recall.");
  const texts = ofType(events, "tool-result").map(({ text }) => text);
  assert.match(texts[0] ?? "", /recall needs "message" \(a number\) or "query" \(a text\)/);
  assert.match(texts[1] ?? "", /There is no message 99; the last one is 2\./);
  assert.match(texts[2] ?? "", /No message contains that text\./);
  assert.match(
    texts[3] ?? "",
    /There is no tool result with the id "nobody"\. The stubs and your tool calls show the ids\./,
  );
});

test("the whole path of a file that the plan names by its last part is there after a compaction [controller.receipt-put-back]", async (t) => {
  const listing = Array.from(
    { length: 300 },
    (_, index) => `src/module${index}/file.ts and src/module${index}/file.ts`,
  ).join("\n");
  const stage = await openStage(t, {
    tools: {
      list_files: tool({ inputSchema: z.object({}), execute: async () => `src/auth/login.ts\n${listing}` }),
    },
    clearing: false,
    contextWindow: 40_000,
    surfaces: ["notepad", "scratchpad", "results"],
    script: inOrder(
      [
        {
          text: "See https://tracker.example/TICKET-9.",
          toolCalls: [
            call("list_files", {}),
            call("session_scratchpad", { action: "set_plan", content: "1. Fix login.ts\n2. ~~Read~~ DONE" }),
          ],
        },
        { text: `Listed. ${filler(100)}` },
      ],
      { summary: () => ({ text: "Files were listed." }) },
    ),
  });
  await stage.say("List the files.");
  await stage.say("Fine.");
  const lines: string[] = [];
  for await (const event of stage.agent.compact("s"))
    if (event.type === "receipt") lines.push(event.receipt.line);
  await stage.say("What is next?");
  const [receipt] = await stage.agent.receipts("s");
  assert.ok(receipt);
  const summary = epochOf(stage.turns().at(-1) as ScriptedRequest);
  assert.ok(summary.endsWith(`\n\n${receipt.line}`), "the agent sees the line");
  assert.deepEqual(lines, [receipt.line]);
  assert.ok(summary.includes("src/auth/login.ts"));
  assert.ok(receipt.kept.some(({ text }) => text === "src/auth/login.ts"));
  assert.ok(receipt.kept.some(({ text }) => text === "https://tracker.example/TICKET-9"));
  assert.ok(receipt.recallable.some(({ text }) => text.startsWith("src/module")));
  assert.deepEqual(receipt.missing, [], "with a recall tool nothing is missing");
  const named = [...receipt.kept, ...receipt.recallable].map(({ kind, text }) => `${kind} ${text}`);
  assert.equal(new Set(named).size, named.length, "each once");
});

test("items that the receipt lists as kept are in the next request, and the others are not [controller.receipt]", async (t) => {
  const stage = await openStage(t, {
    ...options,
    surfaces: ["notepad", "results"],
    contextWindow: 20_000,
    script: inOrder(
      [
        { toolCalls: [append("- kept in the notepad: src/kept/one.ts")] },
        { text: `Seen: src/gone/two.ts, src/gone/two.ts, 98,765 rows. ${filler(400)}` },
        {
          toolCalls: [
            call("update_notepad", { operation: "append", content: "- temporary: src/temp/three.ts" }),
          ],
        },
        { text: "Ok." },
        {
          toolCalls: [
            call("update_notepad", { operation: "delete", content: "- temporary: src/temp/three.ts" }),
          ],
        },
        { text: "Removed." },
      ],
      { summary: () => ({ text: "Some files were looked at." }) },
    ),
  });
  for (const text of [
    "Look at the files.",
    "Note the third.",
    "Drop the third.",
    `More. ${filler(200)}`,
    "Even more.",
  ])
    await stage.say(text);
  await stage.agent.compact("s").result;
  await stage.say("And now?");
  const [receipt] = await stage.agent.receipts("s");
  const { messages = [] } = stage.turns().at(-1) ?? {};
  const context = messages
    .map(({ content, tool_calls }) => `${content ?? ""} ${tool_calls ? JSON.stringify(tool_calls) : ""}`)
    .join("\n");
  const paths = (items: readonly { kind: string; text: string }[] = []) =>
    items.filter(({ kind }) => kind === "path").map(({ text }) => text);
  assert.ok(paths(receipt?.kept).includes("src/kept/one.ts"));
  for (const path of paths(receipt?.kept)) assert.ok(context.includes(path), `${path} is said to be kept`);
  for (const path of paths(receipt?.recallable))
    assert.ok(!context.includes(path), `${path} is said to be gone`);
});
