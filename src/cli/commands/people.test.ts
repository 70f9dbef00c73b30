import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { openTestMemory } from "../../../test/support/memory.ts";
import { noMounts, readOnlyPlace } from "../../../test/support/mounts.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { day } from "../../engine/retention.ts";
import { type CommandName, commands } from "../commands.ts";
import { commandHelp } from "../help.ts";

const directory = temporaryDirectory();
const store = { HOLDFAST_DB: join(directory, "memory.db") };
const cli = join(import.meta.dirname, "../../cli.ts");

before(async () => {
  const memory = await openTestMemory({
    store: store.HOLDFAST_DB,
    surfaces: ["notepad", "notes", "scratchpad", "tasks"],
  });
  const audit = await memory.createSession({ id: "audit-1", title: "Audit\x1b[2J of EMEA" });
  await audit.notepad.write("# Findings\n- Sheet 1: 500 rows\n- [x] read it");
  await audit.scratchpad.setPlan("- [ ] reconcile");
  await audit.scratchpad.addRef("src/index.ts:12");
  await audit.notes.add("EMEA writes decimals with a comma", ["format", "emea"]);
  await audit.call("begin_task", { description: "Reconcile Q3" });
  await audit.notepad.append("- \x1b]0;owned\x07 \u202etxt");
  const helper = await memory.spawnSession("audit-1", { id: "helper-1" });
  await helper.notepad.write("The summary sheet uses VLOOKUP");
  await memory.archiveSession("helper-1");
  const fork = await memory.forkSession("audit-1", { id: "audit-2" });
  await fork.scratchpad.addRef("only here");
  await memory.close();
});

function run(...args: string[]) {
  return holdfastWith(store, ...args);
}

async function json(...args: string[]) {
  const { code, stdout, stderr } = await run(...args, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

test("show prints all of a session's memory, safely, and --revision prints an earlier state [people.show] [people.harmless]", async () => {
  const [now, then] = await Promise.all([run("show", "audit-1"), run("show", "audit-1", "--revision", "2")]);
  assert.equal(now.code, 0, now.stderr);
  assert.equal(
    now.stdout.replaceAll(/note_\d+|\d+ \w+ ago|just now/g, "…"),
    `Audit␛[2J of EMEA
audit-1 · revision 8 · changed …

Notepad  62 of 32,000 characters
  # Findings
  • Sheet 1: 500 rows
  ☑ read it
  • ␛]0;owned␇ ⟨U+202E⟩txt

Plan  15 of 2,000 characters
  ☐ reconcile

References  1
  • src/index.ts:12

Open tasks  1
  • Reconcile Q3

Notes  1
  … #format #emea …
    EMEA writes decimals with a comma

Stored in ${join(directory, "memory.db")}
`,
  );
  assert.match(then.stdout, /revision 2 of 8/);
  assert.doesNotMatch(then.stdout, /owned|Plan|Open tasks|Notes/);
});

test("show prints the newest 50 notes, and every note with --all [people.show-notes]", async () => {
  const HOLDFAST_DB = join(directory, "many.db");
  const memory = await openTestMemory({ store: HOLDFAST_DB });
  const session = await memory.createSession({ id: "many" });
  for (let number = 1; number <= 53; number++) await session.notes.add(`finding ${number} of many`);
  await memory.close();
  const [newest, all] = await Promise.all([
    holdfastWith({ HOLDFAST_DB }, "show"),
    holdfastWith({ HOLDFAST_DB }, "show", "--all"),
  ]);
  const found = ({ stdout }: { stdout: string }) => stdout.match(/finding \d+ of many/g) ?? [];
  assert.deepEqual([found(newest).length, found(newest)[0]], [50, "finding 53 of many"]);
  assert.match(newest.stdout, /Notes {2}53\n[\s\S]*3 older notes not shown: --all shows every note/);
  assert.equal(found(all).length, 53);
  assert.doesNotMatch(all.stdout, /not shown/);
});

test("the newest active session is the default, and a unique id prefix is enough [people.pick]", async () => {
  const [newest, byPrefix, ambiguous, missing] = await Promise.all([
    json("show"),
    json("show", "help"),
    run("show", "audit"),
    run("show", "nobody"),
  ]);
  assert.equal(newest.session.id, "audit-2");
  assert.equal(byPrefix.session.id, "helper-1");
  assert.equal(ambiguous.code, 1);
  assert.match(
    ambiguous.stderr,
    /"audit" is ambiguous: 2 session ids start with it \(audit-2, audit-1\)\. Give more of the id/,
  );
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /There is no session "nobody".*holdfast sessions --all/);
});

test("--json has the documented shapes [people.json]", async () => {
  const [show, sessions, search, log] = await Promise.all([
    json("show", "audit-1"),
    json("sessions", "--all"),
    json("search", "comma"),
    json("log", "audit-1", "--limit", "1"),
  ]);
  assert.deepEqual(Object.keys(show), [
    "session",
    "revision",
    "pins",
    "notepad",
    "notepadOrigins",
    "scratchpad",
    "notes",
    "tasks",
    "compaction",
    "store",
  ]);
  assert.equal(show.compaction, null);
  assert.ok(show.notepad.endsWith("- \x1b]0;owned\x07 \u202etxt"));
  assert.deepEqual(show.tasks, [{ description: "Reconcile Q3", depth: 1 }]);
  assert.deepEqual(show.notes[0].tags, ["format", "emea"]);
  assert.equal(sessions.length, 3);
  assert.equal(search.total, 2);
  assert.equal(search.hits[0].kind, "note");
  assert.equal(search.hits[0].line, 1);
  assert.equal(log[0].operation.type, "session.fork");
});

test("sessions are one line each, children under their parents; --all includes archived ones [people.sessions] [people.width]", async () => {
  const [active, all] = await Promise.all([run("sessions"), run("sessions", "--all")]);
  assert.doesNotMatch(active.stdout, /helper-1/);
  assert.match(active.stdout, /\n\n1 archived session: holdfast sessions --all\n$/);
  assert.match(
    all.stdout,
    /^SESSION +TITLE +AGENT +CHANGED\naudit-1 +Audit␛\[2J of EMEA +\S+ +\S+ \S+ ?\S*\naudit-2? ?.*\n/,
  );
  const lines = all.stdout.trimEnd().split("\n").slice(1);
  assert.deepEqual(
    lines.map((line) => /^(\S+) +(└?)/.exec(line)?.slice(1)),
    [
      ["audit-1", ""],
      ["audit-2", "└"],
      ["helper-1", "└"],
    ],
  );
  assert.match(lines[2] ?? "", /└ The summary sheet uses VLOOKUP +\S+, archived +/);
  const columns = lines.map((line) => line.search(/(?:just now|\d+ \w+ ago)$/));
  assert.equal(new Set(columns).size, 1, all.stdout);
});

test("the newest 30 sessions are listed, and the beginning of an id that is shown is enough [people.sessions] [people.pick]", async () => {
  const HOLDFAST_DB = join(directory, "thirty.db");
  const memory = await openTestMemory({ store: HOLDFAST_DB });
  for (let number = 10; number < 45; number++)
    await memory.createSession({ id: `claude-code.${number}-1234-5678`, title: `Task ${number}` });
  await memory.close();
  const { stdout } = await holdfastWith({ HOLDFAST_DB }, "sessions");
  const lines = stdout.split("\n");
  assert.match(lines[1] ?? "", /^claude-code\.44-1 +Task 44 +Claude Code +/);
  assert.match(stdout, /\nclaude-code\.15-1 .*\n\n5 older sessions not shown: holdfast sessions --all\n$/);
  assert.equal((await holdfastWith({ HOLDFAST_DB }, "show", "claude-code.15-1")).code, 0);
});

test("log shows changes of memory under their days, without the conversation's bookkeeping [people.sentences]", async () => {
  const HOLDFAST_DB = join(directory, "days.db");
  let now = Date.UTC(2026, 9, 5, 23, 58);
  const memory = await openTestMemory({ store: HOLDFAST_DB, clock: () => (now += 60_000) });
  const session = await memory.createSession({ id: "s" });
  await session.apply({ type: "context.open", blocks: [], notepadBlock: "" });
  await session.notepad.write("late");
  await session.notepad.append("early");
  await memory.close();
  const { stdout } = await holdfastWith({ HOLDFAST_DB, TZ: "UTC" }, "log");
  assert.equal(
    stdout,
    `Tuesday, 2026-10-06
  00:02      4  agent     Added to the notepad: early
  00:01      3  agent     Wrote the notepad: late

Monday, 2026-10-05
  23:59      1  holdfast  Created the session
`,
  );
  const { stdout: newest } = await holdfastWith({ HOLDFAST_DB, TZ: "UTC" }, "log", "--limit", "1");
  assert.match(newest, /early\n\nOlder changes: raise --limit\.\n$/);
});

test("log --revision shows what a change did, line by line, and undo undoes it [people.diff] [people.undo]", async () => {
  const db = join(directory, "undo.db");
  const memory = await openTestMemory({ store: db });
  const session = await memory.createSession({ id: "s" });
  await session.notepad.write("one\ntwo");
  await session.notes.add("kept", ["a"]);
  await session.notepad.replace("two", "three");
  await session.apply({ type: "session.rename", title: "Named" });
  await memory.close();
  const log = (revision: string) => holdfastWith({ HOLDFAST_DB: db }, "log", "s", "--revision", revision);
  assert.match(
    (await log("4")).stdout,
    /revision 4 · agent · .*\n\nNotepad\n {4}one\n {2}- two\n {2}\+ three\n$/,
  );
  assert.match((await log("3")).stdout, /\n\nNote note_\d+ #a\n {2}\+ kept\n$/);
  assert.match((await log("99")).stderr, /Session s has no revision 99\. Run "holdfast log s"/);
  const undone = await holdfastWith({ HOLDFAST_DB: db }, "undo", "--revision", "4");
  assert.equal(undone.code, 0, undone.stderr);
  assert.match(
    undone.stdout,
    /Undid revision 4 of s\. Changed in the notepad: two → three\n.* restores it\.\n\nNotepad\n {4}one\n {2}- three\n {2}\+ two\n$/,
  );
  const again = await openTestMemory({ store: db });
  const after = await again.resumeSession("s");
  assert.equal(await after.notepad.read(), "one\ntwo");
  assert.equal((await after.history({ limit: 1 }))[0]?.actor.kind, "person");
  await again.close();
});

test("search finds a text, or else its words, in every space of every session, best matches first [people.search]", async () => {
  const [exact, ranked, plan, one, none] = await Promise.all([
    run("search", "summary", "sheet"),
    json("search", "sheets of the summary"),
    json("search", "reconciling"),
    json("search", "sheet", "--session", "audit-1"),
    run("search", "zzzzz"),
  ]);
  assert.match(exact.stdout, /^helper-1 .*\n {2}notepad:1 {2}The summary sheet uses VLOOKUP\n$/);
  assert.equal(ranked.hits[0].session, "helper-1");
  assert.ok(ranked.total > 1, "others share a word");
  assert.equal(plan.hits[0].kind, "plan");
  assert.deepEqual(
    one.hits.map(({ session, line }: { session: string; line: number }) => `${session}:${line}`),
    ["audit-1:2"],
  );
  assert.equal(none.code, 0);
  assert.match(none.stdout, /No matches for "zzzzz"/);
});

test("log shows where a shortened history begins [retention.ends]", async () => {
  const db = join(directory, "shortened.db");
  const time = { now: Date.now() - 200 * day };
  const memory = await openTestMemory({ store: db, clock: () => time.now });
  const session = await memory.createSession({ id: "audit" });
  for (let count = 1; count <= 4; count++) await session.notepad.append(`line ${count}`);
  time.now = Date.now() - day / 2;
  await session.notepad.append("today");
  await memory.retention.step(1_000, { waits: false });
  await memory.close();
  const log = (...args: string[]) => holdfastWith({ HOLDFAST_DB: db }, "log", "audit", ...args);
  assert.match(
    (await log()).stdout,
    /^\w+day, [\d-]+\n +[\d:]+ +6 [^\n]*today[^\n]*\n\nThe history of session audit begins at revision 6 \(\d{4}-\d\d-\d\d\): retention removed what is older\. "holdfast doctor" shows the rules\./,
  );
  assert.match(
    (await log("--revision", "3")).stderr,
    /Revision 3 cannot be read any more\. The history of session audit begins at revision 6/,
  );
});

test("a missing, foreign or damaged store is reported in one line, and nothing is created or changed [people.bad-store]", async () => {
  const missing = join(directory, "nowhere", "memory.db");
  const text = join(directory, "text.db");
  writeFileSync(text, "this is plain text, not a database\n".repeat(200));
  const answers = await Promise.all([
    ...["show", "sessions", "search x", "edit", "undo", "log", "export s", "pin", "unpin u1"].map((line) =>
      holdfastWith({ HOLDFAST_DB: missing }, ...line.split(" ")),
    ),
    holdfastWith({ HOLDFAST_DB: text }, "show"),
    holdfastWith({ HOLDFAST_DB: `sqlite:${missing}` }, "sessions"),
  ]);
  for (const { code, stdout, stderr } of answers) {
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr, /^holdfast: .*\n$/);
  }
  assert.match(
    answers[0]?.stderr ?? "",
    /There is no memory at .*nowhere.* yet\. Check --store and \$HOLDFAST_DB/,
  );
  assert.ok(!existsSync(join(directory, "nowhere")));
});

test("a read-only store can be read; a write and doctor say that it is read-only [people.bad-store]", {
  skip: noMounts(),
}, async () => {
  const place = temporaryDirectory();
  const db = join(place, "memory.db");
  const memory = await openTestMemory({ store: db });
  await (await memory.createSession({ id: "audit" })).notepad.write("July is counted twice");
  await memory.close();
  const home = temporaryDirectory();
  const outcome = async (...args: string[]) => {
    const [command = "", ...rest] = [...readOnlyPlace(place), process.execPath, cli, ...args];
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, HOLDFAST_DB: db, XDG_STATE_HOME: home };
    const { stdout, stderr } = await promisify(execFile)(command, rest, { cwd: home, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return `${stdout}${stderr}`;
  };
  assert.match(await outcome("sessions"), /\naudit +July is counted twice +/);
  assert.match(await outcome("show"), /July is counted twice/);
  assert.match(await outcome("log"), /Wrote the notepad: July is counted twice/);
  assert.match(await outcome("pin", "x"), /is open read-only, because it is not writable\. Make the file/);
  assert.match(await outcome("doctor"), /PROBLEM {2}store +\S+memory\.db is read-only, so no memory can be/);
});

test("every command has help with its options; an unknown option or command suggests the nearest [people.usage]", async () => {
  for (const [name, { options }] of Object.entries(commands)) {
    const [usage = "", ...parts] = commandHelp(name as CommandName);
    assert.match(String(usage), new RegExp(`^Usage: holdfast ${name}\\b`));
    const rows = parts.flatMap((part) => (typeof part === "string" ? [] : part.rows));
    for (const option of Object.keys(options)) {
      const row = rows.find(([term]) => term.split(" ").includes(`--${option}`));
      assert.match(row?.[1] ?? "", /\w/, `${name} --${option}`);
    }
  }
  const [help, option, value, command, extra] = await Promise.all([
    run("forget", "--help"),
    run("show", "--revison", "2"),
    run("log", "--limit"),
    run("serach", "x"),
    run("sessions", "audit-1"),
  ]);
  assert.equal(help.code, 0);
  for (const word of ["--pattern", "--secrets", "--session", "--backup", "--yes", "--store", "--json"])
    assert.ok(help.stdout.includes(word));
  assert.equal(option.code, 1);
  assert.match(option.stderr, /"holdfast show" has no option --revison\. Did you mean --revision\?/);
  assert.match(value.stderr, /^holdfast: .*--limit.*\. Run "holdfast help log"/);
  assert.match(command.stderr, /There is no command "serach"\. Did you mean search\?/);
  assert.match(extra.stderr, /Unexpected argument "audit-1"\. Usage: holdfast sessions/);
});

test("output to a pipe that closes early ends quietly [people.pipe]", async () => {
  const memory = await openTestMemory({ store: join(directory, "long.db") });
  const session = await memory.createSession({ id: "s" });
  for (let note = 0; note < 300; note++) await session.notes.add("y".repeat(3_000));
  await memory.close();
  const { stdout, stderr } = await promisify(execFile)(
    "sh",
    ["-c", '"$0" "$1" show --store "$2" | head -n 1', process.execPath, cli, join(directory, "long.db")],
    { env: { ...process.env, NODE_TEST_CONTEXT: undefined } },
  );
  assert.equal(stdout, "s\n");
  assert.equal(stderr, "");
});

test("Node's experimental warnings are suppressed; other warnings are shown [people.quiet]", async () => {
  const start = async (type: string) => {
    const warn = `process.once("beforeExit", () => process.emitWarning("x", ${JSON.stringify(type)}))`;
    const args = ["--import", `data:text/javascript,${encodeURIComponent(warn)}`, cli, "--version"];
    return (await promisify(execFile)(process.execPath, args)).stderr;
  };
  assert.equal(await start("ExperimentalWarning"), "");
  assert.match(await start("OtherWarning"), /OtherWarning: x/);
});

test("the log shows the journal, and the full text of a truncated write [scratchpad.truncation-kept] [journal.history] [people.sentences]", async () => {
  const db = join(temporaryDirectory(), "memory.db");
  const memory = await openTestMemory({ store: db });
  const session = await memory.createSession({ id: "s" });
  const content = `${"x".repeat(2_000)} and the end that was cut`;
  const { text } = await session.call("session.scratchpad", { action: "set_plan", content });
  await memory.close();
  const revision = / as revision (\d+)\./.exec(text)?.[1] ?? "";
  const log = (...args: string[]) => holdfastWith({}, "log", "s", "--store", db, ...args);
  const { code, stdout } = await log("--revision", revision);
  assert.equal(code, 0);
  assert.ok(stdout.includes("and the end that was cut"));
  const list = await log();
  assert.match(list.stdout, /2 .*agent.*Wrote the plan: x/);
  assert.equal((await log("--revision", "9")).code, 1);
});
