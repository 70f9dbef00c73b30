import assert from "node:assert/strict";
import { copyFileSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openTestMemory } from "../../test/support/memory.ts";
import { holdfastWith } from "../../test/support/people.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";

function filesWith(directory: string, text: string): string[] {
  return globSync("**/*", { cwd: directory })
    .filter((name) => statSync(join(directory, name)).isFile())
    .filter((name) => readFileSync(join(directory, name)).includes(text))
    .sort();
}

test("forget reaches copies elsewhere that export and migrate made or the user names, and lists those that it does not reach [secrets.copies]", async (context) => {
  const server = await startPostgres();
  context.after(() => server.stop());
  const postgres = await server.database();
  const [home, elsewhere, state] = [temporaryDirectory(), temporaryDirectory(), temporaryDirectory()];
  const db = join(home, "memory.db");
  const memory = await openTestMemory({ store: db });
  for (const id of ["a", "b"])
    await (await memory.createSession({ id })).notes.add(`the plum of ${id} is purple`, ["fruit"]);
  await memory.close();
  const run = async (...args: string[]) => {
    const done = await holdfastWith({ XDG_STATE_HOME: state }, ...args);
    assert.equal(done.code, 0, done.stderr);
    return done.stdout;
  };
  const place = (name: string) => join(elsewhere, name);
  await run("store", "export", "--all", "--into", place("all.jsonl"), "--store", db);
  await run("store", "export", "a", "--into", place("a.json"), "--store", db);
  await run("store", "migrate", db, place("copy.db"));
  await run("store", "migrate", db, postgres);
  copyFileSync(db, place("by-hand.db"));

  const edited = await run("forget", "plum of a", "--yes", "--store", db, "--backup", place("by-hand.db"));
  assert.match(
    edited,
    /Not reached: the copy of \d{4}-\d\d-\d\d in postgres:\S+\. Run holdfast forget --store postgres:/,
  );
  assert.deepEqual(filesWith(home, "plum of a"), []);
  assert.deepEqual(filesWith(elsewhere, "plum of a"), []);
  assert.equal(filesWith(elsewhere, "plum of b").length, 3, "only what was asked for is gone");

  const purged = await run(
    "forget",
    "--session",
    "b",
    "--yes",
    "--store",
    db,
    "--backup",
    place("by-hand.db"),
  );
  assert.match(purged, /Not reached: .* Run holdfast forget --store postgres:/);
  assert.deepEqual(filesWith(elsewhere, "plum of b"), []);
  assert.match(readFileSync(place("a.json"), "utf8"), /"id": "a"/);
});
