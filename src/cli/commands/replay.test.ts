import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";

const directory = temporaryDirectory();

function write(name: string, ...lines: unknown[]): string {
  const path = join(directory, name);
  writeFileSync(
    path,
    lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
  );
  return path;
}

const header = { type: "session", id: "s", timestamp: "2026-01-01T00:00:00Z" };
const ask = { type: "message", message: { role: "user", content: "hello" } };
const answer = (cacheRead: number, cacheWrite: number) => ({
  type: "message",
  message: {
    role: "assistant",
    model: "claude-opus-4-5",
    content: [{ type: "text", text: "well, hello" }],
    usage: {
      input: 0,
      cacheRead,
      cacheWrite,
      output: 100,
      cost: { total: (cacheRead * 0.5 + cacheWrite * 6.25 + 2_500) / 1e6 },
    },
  },
});
const session = write("session.jsonl", header, ask, answer(0, 3_000), "cut off", ask, answer(3_000, 200));

test("prints a table with the recorded and the reproduced cost, and warns about a skipped line", async () => {
  const { code, stdout, stderr } = await holdfastWith({}, "replay", session);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /session\.jsonl, line 4: Skipped/);
  assert.match(
    stdout,
    /^session\.jsonl: pi, 2 calls, 4 messages\nMemory would have (?:added|saved) \$\d+\.\d\d \(\d+\.\d %\)\. Clearing old results would have (?:saved|added) \$\d+\.\d\d \(\d+\.\d %\)\.\n\n/,
  );
  assert.match(stdout, /Recorded \$0\.03, reproduced \$0\.03 .* difference 0\.00 %/);
  assert.match(
    stdout,
    /Where the cost of epoch without clearing comes from\n {2}part .*\n {2}a notepad of 1,500 tokens, read from the cache +1 .*\n {2}the same, written where nothing is cached +1 .*\n {2}its changes, by 0 edits .*\nA notepad of 1,500 tokens that never changes adds \d+\.\d+ % /,
  );
  for (const policy of ["no memory", "system", "message", "epoch"]) {
    for (const clearing of ["off", "on"])
      assert.match(stdout, new RegExp(`^ {2}${policy} +${clearing} `, "m"));
  }
});

test("the report fits 80 columns [people.captures]", async () => {
  const { stdout } = await holdfastWith({ COLUMNS: "80" }, "replay", session);
  for (const line of stdout.split("\n")) assert.ok([...line].length <= 80, line);
});

test("--json prints the same as JSON, with custom prices", async () => {
  const prices = write("prices.json", {
    "claude-opus": { input: 0, cacheWrite: 0, cacheRead: 0, output: 10_000 },
  });
  const { code, stdout, stderr } = await holdfastWith(
    {},
    "replay",
    session,
    "--json",
    "--prices",
    prices,
    "--notepad-tokens",
    "500",
  );
  assert.equal(code, 0, stderr);
  const [report] = JSON.parse(stdout) as {
    file: string;
    reproduced: number;
    rows: unknown[];
    memory: { notepadTokens: number };
  }[];
  assert.equal(report?.file, session);
  assert.equal(report?.memory.notepadTokens, 500);
  assert.equal(report?.rows.length, 16);
  assert.ok(Math.abs((report?.reproduced ?? 0) - 2) < 1e-9);
});

test("an unreadable file is reported, and the others are still replayed", async () => {
  const empty = write("empty.jsonl", "");
  const { code, stdout, stderr } = await holdfastWith(
    {},
    "replay",
    empty,
    join(directory, "missing.jsonl"),
    session,
  );
  assert.equal(code, 1);
  assert.match(stderr, /empty\.jsonl: The file is empty\. Pass a \.jsonl file/);
  assert.match(stderr, /missing\.jsonl: The file cannot be read: ENOENT.*Check the path/);
  assert.match(stdout, /session\.jsonl: pi, 2 calls/);
});

test("missing and out-of-range arguments are reported with the next step", async () => {
  for (const [args, message] of [
    [[], /FILE is missing\. Usage: holdfast replay FILE…/],
    [[session, "--edit-every", "0"], /--edit-every must be at least 1 \(got 0\)/],
    [[session, "--notepad-tokens", "many"], /--notepad-tokens must be a whole number/],
    [[session, "--prices", session], /price table is not JSON/],
  ] as const) {
    const { code, stderr } = await holdfastWith({}, "replay", ...args);
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
});

test("--survival measures the given sessions, and by default those that the hosts keep [replay.survival]", async () => {
  const call = (id: string, name: string, args: object) => ({
    type: "message",
    message: { role: "assistant", content: [{ type: "toolCall", id, name, arguments: args }] },
  });
  const got = (id: string, text: string) => ({
    type: "message",
    message: { role: "toolResult", toolCallId: id, toolName: "bash", content: [{ type: "text", text }] },
  });
  const lines = [
    header,
    ask,
    call("1", "bash", { command: "make --check src/a.ts" }),
    got("1", "ok"),
    { type: "compaction", summary: "Nothing.", firstKeptEntryIndex: 4 },
    call("2", "bash", { command: "make --check src/a.ts" }),
    got("2", "ok"),
  ];
  const file = write("survival.jsonl", ...lines);
  const shown = await holdfastWith({}, "replay", "--survival", file);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^survival \(pi\)\n {2}recorded at 3 +\d+ +2 +0 \(0 %\) +2 \(100 %\)/m);
  assert.match(shown.stdout, /Nothing left\s+this\s+machine/);
  const { stdout } = await holdfastWith({}, "replay", "--survival", file, "--json");
  const { total } = JSON.parse(stdout) as { total: { all: { needed: number; inCheckpoint: number } } };
  assert.deepEqual([total.all.needed, total.all.inCheckpoint], [2, 2]);
});

/** A home with one session of each host whose files are found by default; each was compacted once. */
function homeWithSessions(): string {
  const home = temporaryDirectory();
  const put = (path: string, lines: readonly object[]) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  };
  const item = (payload: object) => ({ timestamp: "2026-01-01T00:00:00Z", type: "response_item", payload });
  const shell = (id: string) => [
    item({
      type: "function_call",
      call_id: id,
      name: "shell",
      arguments: '{"command":"make --check src/a.ts"}',
    }),
    item({ type: "function_call_output", call_id: id, output: "ok" }),
  ];
  put(".codex/sessions/2026/01/01/rollout-1.jsonl", [
    ...shell("1"),
    { timestamp: "2026-01-01T00:00:00Z", type: "compacted", payload: { message: "Nothing." } },
    ...shell("2"),
  ]);
  const folder = join(home, ".local/share/opencode");
  mkdirSync(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, "opencode.db"));
  database.exec(`CREATE TABLE session (id text PRIMARY KEY, title text);
    CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, time_updated integer, data text);
    CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created integer, time_updated integer, data text);
    INSERT INTO session VALUES ('ses_1', 'Tabs')`);
  const message = database.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)");
  const part = database.prepare("INSERT INTO part VALUES (?, ?, 'ses_1', ?, ?, ?)");
  const tool = (callID: string) => ({
    type: "tool",
    callID,
    tool: "bash",
    state: { status: "completed", input: { command: "make --check src/a.ts" }, output: "ok" },
  });
  for (const [index, [info, own]] of [
    [{ role: "user" }, { type: "text", text: "Check src/a.ts" }],
    [{ role: "assistant" }, tool("1")],
    [
      { role: "assistant", summary: true },
      { type: "text", text: "Nothing." },
    ],
    [{ role: "assistant" }, tool("2")],
  ].entries()) {
    message.run(`msg_${index}`, index, index, JSON.stringify(info));
    part.run(`prt_${index}`, `msg_${index}`, index, index, JSON.stringify(own));
  }
  database.close();
  return home;
}

test("--survival finds the sessions that Codex and opencode keep, and fits 80 columns [replay.survival-found]", async () => {
  const home = homeWithSessions();
  const { stdout, stderr, code } = await holdfastWith({ HOME: home }, "replay", "--survival");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^rollout-1 \(Codex\)\n {2}recorded at 2 +\d+ +2 +0 \(0 %\) +2 \(100 %\)/m);
  assert.match(stdout, /^ses_1 \(opencode\)\n {2}recorded at 3 +\d+ +2 +0 \(0 %\) +2 \(100 %\)/m);
  for (const line of stdout.split("\n")) assert.ok(line.length <= 80, line);
  const given = await holdfastWith(
    {},
    "replay",
    "--survival",
    join(home, ".local/share/opencode/opencode.db"),
  );
  assert.match(given.stdout, /^ses_1 \(opencode\)$/m);
});
