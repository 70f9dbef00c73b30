import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import type { ScriptedAnswer, ScriptedRequest } from "../../testing/scripted-server.ts";
import { beginChat, promptsOf, runCli, startCli } from "../test-support/chat.ts";

const never = () => new Promise<never>(() => undefined);

const noteFinding = {
  toolCalls: [
    { name: "update_notepad", input: { operation: "append", content: "- row 88 has a text date" } },
  ],
};

/** A script that never answers one request; `hanging` resolves when that request arrives. */
function hangAt(
  shouldHang: (request: ScriptedRequest, number: number) => boolean,
  answer: (request: ScriptedRequest, number: number) => ScriptedAnswer,
) {
  const { promise: hanging, resolve } = Promise.withResolvers<void>();
  let hung = false;
  const script = (request: ScriptedRequest, number: number) => {
    if (hung || !shouldHang(request, number)) return answer(request, number);
    hung = true;
    resolve();
    return never();
  };
  return { script, hanging };
}

test("a killed turn continues at the next start [chat.resume]", async () => {
  const { script, hanging } = hangAt(
    (_request, number) => number === 1,
    (_request, number) => (number === 0 ? noteFinding : { text: "All noted." }),
  );
  const { server, cwd, chat } = await beginChat(script);
  const killed = startCli([...chat, "--session", "s", "-p", "note it"], { cwd });
  await Promise.race([hanging, killed.failed]);
  killed.process.kill("SIGKILL");
  await killed.exit;
  const { stdout, stderr, code } = await runCli([...chat, "--session", "s"], {
    cwd,
    input: ["/memory", "thanks"],
  });
  assert.match(stderr, /^Session s .*\nThe last turn was not finished. It continues now\.\n/);
  assert.match(stdout, /^All noted\.\nnote it\n[\s\S]*• row 88 has a text date\n[\s\S]*All noted\.\n$/);
  assert.equal(code, 0);
  assert.deepEqual(promptsOf(server.requests[2]), ["note it"]);
  assert.equal(server.requests[2]?.messages.at(-1)?.role, "tool");
});

const ask = "read all parts and say what the last row is";

/** An agent that reads files, together long enough to force a compaction, and then answers. */
function readerScript(): (request: ScriptedRequest) => ScriptedAnswer {
  let parts = 0;
  return (request) => {
    if (isSummary(request)) return { text: `The user asked: ${ask}. Some parts were read.` };
    if (isWarning(request)) return { text: "Nothing to save." };
    if (parts >= 5) return { text: "The last row is 405." };
    return { toolCalls: [{ name: "read_file", input: { path: `part${++parts}.txt` } }] };
  };
}

const isSummary = ({ messages }: ScriptedRequest) =>
  JSON.stringify([messages[0], messages.at(-1)]).includes("You write the summary");
const isWarning = (request: ScriptedRequest) =>
  request.tools?.every(({ function: { name } }) => name !== "read_file") ?? false;
const isAfterSummary = (request: ScriptedRequest) =>
  promptsOf(request).some((text) => String(text).startsWith("[Summary")) && !isSummary(request);

const phases: [name: string, shouldHang: (request: ScriptedRequest) => boolean][] = [
  ["while the agent is warned", isWarning],
  ["while the summary is written", isSummary],
  ["right after the compaction", isAfterSummary],
];

for (const [name, shouldHang] of phases) {
  test(`a turn killed ${name} continues [chat.resume]`, async () => {
    const { script, hanging } = hangAt(shouldHang, readerScript());
    const { server, cwd, chat } = await beginChat(script);
    const small = [...chat, "--session", "s", "--set", "contextWindow=8000", "--surfaces", "notepad,results"];
    for (let part = 1; part <= 5; part++) {
      const rows = Array.from({ length: 80 }, (_, row) => `row ${row + 1} of part ${part} of that workbook`);
      writeFileSync(join(cwd, `part${part}.txt`), rows.join("\n"));
    }
    const killed = startCli([...small, "-p", ask], { cwd });
    await Promise.race([hanging, killed.failed]);
    killed.process.kill("SIGKILL");
    await killed.exit;
    const { stdout, stderr } = await runCli(small, { cwd, input: ["/context"] });
    assert.match(stderr, /The last turn was not finished. It continues now\./);
    assert.match(stdout, /^The last row is 405\.\n[\s\S]*\nCompaction 1\n/);
    // After that there is nothing left to resume.
    const before = server.requests.length;
    const again = await runCli(small, { cwd, input: [] });
    assert.doesNotMatch(again.stderr, /not finished/);
    assert.equal(server.requests.length, before);
  });
}

test("Ctrl-C stops the turn, and the chat continues [chat.abort]", async () => {
  const { script, hanging } = hangAt(
    (_request, number) => number === 0,
    () => ({ text: "Here again." }),
  );
  const { cwd, chat } = await beginChat(script);
  const run = startCli(chat, { cwd });
  run.write("think long");
  await hanging;
  run.process.kill("SIGINT");
  await run.until("Stopped.");
  run.write("still there?");
  await run.until("Here again.");
  run.process.kill("SIGINT");
  assert.equal(await run.exit, 1);
  assert.equal(run.stdout(), "Here again.\n");
});

test("Ctrl-C with -p exits with 130, and --json reports it [chat.abort]", async () => {
  const { script, hanging } = hangAt(
    (_request, number) => number === 0,
    () => ({ text: "" }),
  );
  const { cwd, chat } = await beginChat(script);
  const run = startCli([...chat, "--json", "-p", "think long"], { cwd });
  await hanging;
  run.process.kill("SIGINT");
  assert.equal(await run.exit, 130);
  const last = JSON.parse(run.stdout().trimEnd().split("\n").at(-1) ?? "") as Record<string, unknown>;
  assert.deepEqual([last.type, last.ok, last.aborted], ["result", false, true]);
});

test("a missing model or server is reported in one line, with exit code 1 [chat.models]", async () => {
  const { cwd, chat } = await beginChat(() => ({ status: 404, error: 'model "scripted" not found' }));
  const unknown = await runCli([...chat, "-p", "hi"], { cwd });
  assert.equal(unknown.stdout, "");
  assert.match(
    unknown.stderr,
    /\nscripted at \S+ answered 404: model "scripted" not found\. Check the name in --model/,
  );
  assert.equal(unknown.code, 1);

  const closed = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => closed.once("listening", listening));
  const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/v1`;
  await new Promise((done) => closed.close(done));
  const unreachable = await runCli(["chat", "--base-url", url, "--model", "m", "-p", "hi"], { cwd });
  assert.match(
    unreachable.stderr,
    new RegExp(
      `\\nNo model server answers at ${url} \\(ECONNREFUSED\\)\\. Start it, or give another address`,
    ),
  );
  assert.equal(unreachable.code, 1);
});

test("invalid options are rejected before anything is opened [chat.models]", async () => {
  const { server, cwd, chat } = await beginChat(() => ({ text: "" }));
  const wrong: [args: string[], message: RegExp][] = [
    [[...chat, "-p", " "], /The prompt is empty/],
    [
      [...chat, "hello"],
      /Unexpected argument "hello"\. Usage: holdfast chat \[OPTIONS\]\. Run "holdfast help chat" for examples\./,
    ],
    [
      [...chat, "--set", "contextWindow=10"],
      /--set contextWindow=10 must be a whole number of at least 4000/,
    ],
    [[...chat, "--set", "placement=top"], /--set placement=top must be one of epoch, system, message/],
    [
      [...chat, "--surfaces", "notepad,notes2"],
      /--surfaces must be a list, each item one of .*\(got \["notepad","notes2"\]\)/,
    ],
    [[...chat, "--session", "../x", "-p", "hi"], /is not a valid session id/],
  ];
  for (const [args, message] of wrong) {
    const { stderr, code } = await runCli(args, { cwd });
    assert.match(stderr, message);
    assert.equal(code, 1);
  }
  assert.equal(server.requests.length, 0);
});
