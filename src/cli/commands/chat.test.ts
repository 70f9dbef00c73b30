import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { beginChat, newestMessage, promptsOf, runCli } from "../test-support/chat.ts";

const readPlan = { toolCalls: [{ name: "read_file", input: { path: "plan.txt" } }] };
const noteFinding = {
  toolCalls: [
    { name: "update_notepad", input: { operation: "append", content: "- row 88 has a text date" } },
  ],
};

test("-p prints the answer on stdout, everything else on stderr, and exits with 0 [chat.ask]", async () => {
  const { server, cwd, chat } = await beginChat((request, number) =>
    number === 0 ? { text: "I look.", ...readPlan } : { text: `It says: ${newestMessage(request)}` },
  );
  writeFileSync(join(cwd, "plan.txt"), "ship it\n");
  const { stdout, stderr, code } = await runCli([...chat, "-p", "What is planned?"], { cwd });
  assert.equal(stdout, "It says: 1\tship it\n");
  assert.match(
    stderr,
    /^New session ses_\w+ · scripted at http.*\nI look\.\n· read_file path=plan\.txt\n {2}→ 1 ship it\n$/,
  );
  assert.equal(code, 0);
  assert.deepEqual(promptsOf(server.requests[0]), ["What is planned?"]);
  // No colors in a pipe.
  assert.ok(!`${stdout}${stderr}`.includes("\u001b"));
});

test("--session continues a session, or starts it if it does not exist [chat.ask]", async () => {
  const { server, cwd, chat } = await beginChat((_request, number) => ({ text: `answer ${number}` }));
  const first = await runCli([...chat, "--session", "audit", "-p", "one"], { cwd });
  const second = await runCli([...chat, "--session", "audit", "-p", "two"], { cwd });
  assert.match(first.stderr, /^New session audit /);
  assert.match(second.stderr, /^Session audit /);
  assert.deepEqual(promptsOf(server.requests[1]), ["one", "two"]);
  const { stdout } = await runCli(["sessions"], { cwd });
  assert.match(stdout, /\naudit +one +chat +/);
});

test("--json prints each event as a JSON line, and a result at the end [chat.json]", async () => {
  const { cwd, chat } = await beginChat((_request, number) =>
    number === 0 ? noteFinding : { text: "Noted, all of it, in full." },
  );
  const { stdout, code } = await runCli([...chat, "--json", "--session", "s", "-p", "Note it"], { cwd });
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; text?: string });
  const types = events.map(({ type }) => type);
  assert.deepEqual(types, ["usage", "tool-call", "tool-result", "text", "text", "usage", "result"]);
  assert.equal(
    events.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join(""),
    "Noted, all of it, in full.",
  );
  const { steps, end, ...result } = events.at(-1) as unknown as Record<string, unknown>;
  assert.deepEqual([steps, end], [2, "done"]);
  assert.deepEqual(result, {
    type: "result",
    session: "s",
    ok: true,
    text: "Noted, all of it, in full.",
    wroteMemory: true,
    compacted: false,
  });
  assert.equal(code, 0);
});

test("lines from a pipe are prompts and commands [chat.commands]", async () => {
  const { server, cwd, chat } = await beginChat((request) =>
    newestMessage(request).endsWith("note it") ? noteFinding : { text: "Done." },
  );
  const input = [
    "note it",
    "",
    "/memory",
    "/undo",
    "/memory",
    "/undo",
    "/context",
    "/compact",
    "/context",
    "/help",
    "/nothing",
    "/etc/hosts is what?",
    "/quit",
    "never sent",
  ];
  const { stdout, stderr, code } = await runCli([...chat, "--session", "s"], { cwd, input });
  const expected = [
    /^Done\.\nnote it\n[^\n]*\n\nNotepad {2}\d+ of [\d,]+ characters\n {2}• row 88 has a text date\n/,
    /Undid revision \d+\.\n\nNotepad\n {2}- - row 88 has a text date\n/,
    /\nNothing has been written yet\.\n/,
    /Session s has nothing left to undo\.\n/,
    /[█░]{20} \d+ % of 32,000 tokens, compaction at 80 %\n {2}system +[\d,]+\n[\s\S]+ {2}free +[\d,]+\n\nNothing has been compacted yet\.\n/,
    /\nCompaction 1\n {2}[\d,]+ → [\d,]+ tokens · .*\n {2}messages +\d messages removed, retrievable with recall\n {2}user's words +1 in context\n/,
    /\/clear +start a new conversation with the same memory\n/,
    /There is no command \/nothing\. The commands are: \/memory, /,
    /Done\.\n$/,
  ];
  let rest = stdout;
  for (const part of expected) {
    const found = part.exec(rest);
    assert.ok(found, `${part} is not in\n${rest}`);
    rest = rest.slice(found.index + found[0].length - 1);
  }
  assert.match(
    stderr,
    /Compacted: the older messages are now a summary\.\n\d messages retrievable, [\d,]+ → [\d,]+ tokens\.\n/,
  );
  assert.ok(newestMessage(server.requests.at(-1)).endsWith("/etc/hosts is what?"));
  assert.equal(code, 0);
});

for (const { when, between } of [
  { when: "in an earlier turn", between: ["thanks"] },
  { when: "in the last turn", between: [] },
]) {
  test(`a change that /undo reverted ${when} is gone for the model too [chat.commands]`, async () => {
    const { server, cwd, chat } = await beginChat((request) =>
      newestMessage(request).endsWith("note it") ? noteFinding : { text: "Done." },
    );
    await runCli(chat, { cwd, input: ["note it", ...between, "/undo", "and now?"] });
    assert.match(newestMessage(server.requests.at(-1)), /^\[Notepad[^\]]*\][\s\S]*and now\?$/);
  });
}

test("/clear begins a new conversation with the same memory, and each text keeps its author [chat.commands]", async () => {
  const { server, cwd, chat } = await beginChat((request) =>
    newestMessage(request).endsWith("note it") ? noteFinding : { text: "Done." },
  );
  const session = [...chat, "--session", "first"];
  await runCli(session, { cwd, input: ["note it", "/pin Never push."] });
  const editor = join(cwd, "editor.mjs");
  writeFileSync(
    editor,
    `import { readFileSync, writeFileSync } from "node:fs";
     const path = process.argv.at(-1);
     writeFileSync(path, \`- by a person\\n\${readFileSync(path, "utf8")}\`);`,
  );
  const env = { EDITOR: `${process.execPath} ${editor}` };
  assert.equal((await runCli(["edit", "first"], { cwd, env })).code, 0);
  const { stdout } = await runCli(session, { cwd, input: ["/clear", "/memory", "and now?"] });
  assert.match(stdout, /^The conversation is cleared; the memory goes on in session ses_\w+\.\n/);
  assert.match(stdout, /\n {2}• by a person\n {2}• row 88 has a text date\n/);
  assert.match(stdout, /\[Origin of the notepad: line 1 by a person, the rest by the agent\]/);
  const sent = JSON.stringify(server.requests.at(-1)?.messages);
  assert.match(sent, /by a person\\n- row 88 has a text date/);
  assert.match(sent, /u1: Never push\./);
  assert.doesNotMatch(sent, /imported|"note it"/);
});

test("every surface can be chosen, and the project's notes get a handoff when the chat ends [chat.surfaces]", async () => {
  const { server, cwd, chat } = await beginChat(() => ({ text: "Understood." }));
  await runCli(["project", "init"], { cwd });
  const surfaces = ["--surfaces", "notepad,project,knowledge,sandbox"];
  const { code } = await runCli([...chat, ...surfaces, "-p", "Go on with src/lexer.ts"], { cwd });
  assert.equal(code, 0);
  const tools = JSON.stringify(server.requests[0]?.tools);
  for (const tool of ["log_decision", "edit_system_prompt", "run_sandbox_code"])
    assert.ok(tools.includes(`"${tool}"`), tool);
  assert.match(readFileSync(join(cwd, "grimoires/loa/NOTES.md"), "utf8"), /\| Session end: /);
});
