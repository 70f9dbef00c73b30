import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../../test/support/memory.ts";
import { holdfastWith } from "../../../test/support/people.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { day } from "../../engine/retention.ts";

test("gc without rules shows what the config keeps, what the store takes and what would go; --yes removes it, and log says where history begins [retention.gc] [retention.ends]", async () => {
  const db = join(temporaryDirectory(), "memory.db");
  const time = { now: Date.now() - 200 * day };
  const memory = await openTestMemory({ store: db, clock: () => time.now });
  const session = await memory.createSession({ id: "audit" });
  for (let count = 1; count <= 4; count++) await session.notepad.append(`line ${count}`);
  await memory.createSession({ id: "gone" });
  await memory.deleteSession("gone");
  time.now = Date.now() - day / 2;
  await session.notepad.append("today");
  await memory.close();
  const gc = (...args: string[]) => holdfastWith({ HOLDFAST_DB: db }, "gc", ...args);

  const kept = await gc("--keep-everything");
  assert.match(kept.stdout, /^Retention is off: nothing is removed on its own\.\n/);
  assert.match(kept.stdout, /\nNothing to remove\.\n$/);

  const dry = await gc();
  assert.match(
    dry.stdout,
    /history {12}for 60 days, at most the last 10,000 operations of a session, and always the last day/,
  );
  assert.match(dry.stdout, /The store takes \d+/);
  assert.match(dry.stdout, /1 session would go for good:\n {2}gone {2}deleted/);
  assert.match(dry.stdout, /5 operations of the history of 1 session would go\./);

  const done = await gc("--yes", "--json");
  const report = JSON.parse(done.stdout);
  assert.deepEqual(
    { ...report, bytes: 0, file: 0, sessions: report.sessions.length },
    {
      dryRun: false,
      rules: report.rules,
      bytes: 0,
      warning: null,
      sessions: 1,
      trims: [{ id: "audit", entries: 5, calls: 0 }],
      file: 0,
    },
  );
  const log = await holdfastWith({ HOLDFAST_DB: db }, "log", "audit");
  assert.match(
    log.stdout,
    /^ +6 [^\n]*today[^\n]*\n\nThe history of session audit begins at revision 6 \(\d{4}-\d\d-\d\d\): retention removed what is older\./,
  );
  const entry = await holdfastWith({ HOLDFAST_DB: db }, "log", "audit", "--revision", "3");
  assert.match(
    entry.stderr,
    /Revision 3 cannot be read any more\. The history of session audit begins at revision 6/,
  );
  assert.match((await gc()).stdout, /\nNothing to remove\.\n$/);
});

test("doctor and gc warn of a store that is near its size limit [retention.cap]", async () => {
  const root = temporaryDirectory();
  const db = join(root, "memory.db");
  mkdirSync(join(root, ".git"));
  writeFileSync(join(root, "holdfast.json"), JSON.stringify({ retention: { maxMegabytes: 1 } }));
  const run = (command: string) => holdfastWith({ HOLDFAST_DB: db, TEST_DIRECTORY: root }, command, "--json");
  const memory = await openTestMemory({ store: db });
  const session = await memory.createSession({ id: "audit" });
  const warningOf = async () => {
    const { store } = JSON.parse((await run("doctor")).stdout);
    assert.equal(JSON.parse((await run("gc")).stdout).warning ?? undefined, store);
    return store;
  };
  assert.equal(await warningOf(), undefined);
  for (let count = 0; count < 120; count++) await session.notes.add(`${count} ${"x".repeat(3_500)}`, ["x"]);
  await memory.close();
  assert.match(
    await warningOf(),
    /^The store takes 1 MB; retention\.maxMegabytes is 1\. Nothing is removed yet|^The store takes \d MB; retention\.maxMegabytes is 1\. From/,
  );
});
