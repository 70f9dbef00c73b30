import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { startPostgres } from "../../../test/support/postgres.ts";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { openMemory } from "../../index.ts";

const cli = join(import.meta.dirname, "../../cli.ts");

function holdfast(args: string[], input = ""): { code: number; out: string } {
  try {
    const out = execFileSync(process.execPath, [cli, ...args], {
      input,
      cwd: temporaryDirectory(),
      stdio: "pipe",
    });
    return { code: 0, out: out.toString() };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: Buffer; stderr: Buffer };
    return { code: status, out: `${stdout}${stderr}` };
  }
}

async function filled(store: string): Promise<void> {
  const memory = await openMemory({ store });
  for (const id of ["a", "b", "c"]) await (await memory.createSession({ id })).notepad.append(`of ${id}`);
  await memory.close();
}

test("store migrate, and export --all into import, move a store; a damaged or cut line is refused [stores.copy]", async () => {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, "from.db"), `sqlite:${join(directory, "to.db")}`];
  await filled(from);
  assert.deepEqual(holdfast(["store", "migrate", from, to]), {
    code: 0,
    out: "3 sessions copied and compared, 0 already there, 0 different.\n",
  });
  assert.match(
    holdfast(["store", "migrate", from, to]).out,
    /^0 sessions copied and compared, 3 already there/,
  );
  assert.match(holdfast(["store", "migrate", from]).out, /TO is missing/);

  const { out } = holdfast(["store", "export", "--all", "--store", from]);
  const lines = out.trim().split("\n");
  assert.equal(lines.length, 3);
  const other = join(directory, "other.db");
  const cut = holdfast(["store", "import", "-", "--store", other], `${lines[0]}\n${lines[1]?.slice(0, 200)}`);
  assert.equal(cut.code, 1);
  assert.match(cut.out, /Line 2 is not a whole session/);
  assert.match(
    holdfast(["store", "import", "-", "--store", other], out).out,
    /^2 sessions copied and compared, 1 already there/,
  );
  const damaged = holdfast(
    ["store", "import", "-", "--store", join(directory, "x.db")],
    out.replace("of a", "of x"),
  );
  assert.match(damaged.out, /does not match its hash/);
  const memory = await openMemory({ store: other });
  assert.equal(await (await memory.resumeSession("b")).notepad.read(), "of b");
  await memory.close();
});

test("a failed export keeps the earlier one, and a new one is private [stores.copy]", async () => {
  const directory = temporaryDirectory();
  const [db, all] = [join(directory, "memory.db"), join(directory, "all.jsonl")];
  await filled(db);
  writeFileSync(all, "", { mode: 0o644 });
  const exportAll = () => holdfast(["store", "export", "--all", "--into", all, "--store", db]);
  assert.equal(exportAll().code, 0);
  assert.equal(statSync(all).mode & 0o777, 0o600);
  const before = readFileSync(all, "utf8");
  const database = new DatabaseSync(db);
  database.exec("UPDATE agent_sessions SET notepad = 'x' WHERE id = 'b'");
  database.close();
  const { code, out } = exportAll();
  assert.equal(code, 1);
  assert.match(out, /^holdfast: .*the row of session b is damaged/);
  assert.equal(readFileSync(all, "utf8"), before);
  assert.deepEqual(readdirSync(directory).sort(), ["all.jsonl", "memory.db"]);
});

test("an output that cannot be written is one line with the next step [stores.copy]", async () => {
  const directory = temporaryDirectory();
  const db = join(directory, "memory.db");
  await filled(db);
  for (const what of [["--all"], ["a"]])
    for (const [into, problem] of [
      [
        join(directory, "none/x"),
        /^holdfast: .* cannot be written: ENOENT.* Check that its folder exists.*\n$/,
      ],
      ["/dev/full", /^holdfast: \/dev\/full is not a regular file\. .* omit --into to write to stdout\.\n$/],
    ] as const) {
      const { code, out } = holdfast(["store", "export", ...what, "--into", into, "--store", db]);
      assert.equal(code, 1);
      assert.match(out, problem);
    }
  if (!existsSync("/dev/full")) return;
  for (const args of [["show"], ["sessions"], ["store", "export", "--all"], ["store", "export", "a"]]) {
    const { status, stderr } = spawnSync(process.execPath, [cli, ...args, "--store", db], {
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    });
    assert.equal(status, 1);
    assert.match(
      stderr.toString(),
      /^holdfast: The output cannot be written: ENOSPC.* Free some space, .*\n$/,
    );
  }
});

test("store import takes both kinds of export from stdin, with any text in them [stores.copy]", async () => {
  const directory = temporaryDirectory();
  const db = join(directory, "memory.db");
  const memory = await openMemory({ store: db });
  const notepad = "line\u2028separator\u2029and\u0085more";
  await (await memory.createSession({ id: "a" })).notepad.append(notepad);
  await memory.close();
  for (const [name, what] of [
    ["one", ["a"]],
    ["all", ["--all"]],
  ] as const) {
    const other = join(directory, `${name}.db`);
    const exported = holdfast(["store", "export", ...what, "--store", db]).out;
    const { code, out } = holdfast(["store", "import", "-", "--store", other], exported);
    assert.equal(code, 0, out);
    const copy = await openMemory({ store: other });
    assert.equal(await (await copy.resumeSession("a")).notepad.read(), notepad);
    await copy.close();
  }
  const { code, out } = holdfast(["store", "import", "-", "--store", db], "no export");
  assert.equal(code, 1);
  assert.match(out, /^holdfast: stdin is neither a Holdfast export nor a session file of pi/);
});

test("store migrate needs an existing source, and export --all writes JSON only [stores.copy]", async () => {
  const directory = temporaryDirectory();
  const [from, to] = [join(directory, "typo/a.db"), join(directory, "to.db")];
  const migrated = holdfast(["store", "migrate", `sqlite:${from}`, to]);
  assert.equal(migrated.code, 1);
  assert.match(migrated.out, /^holdfast: There is no store at .*typo\/a\.db\. Nothing was copied\./);
  assert.deepEqual(readdirSync(directory), []);
  const db = join(directory, "memory.db");
  await filled(db);
  for (const format of ["pi", "bogus"]) {
    const { code, out } = holdfast(["store", "export", "--all", "--format", format, "--store", db]);
    assert.equal(code, 1);
    assert.match(out, /^holdfast: --all writes JSON only\. Pass SESSION, or omit --format\./);
  }
});

test("store check shows engine and layout; distribute needs Citus, and both need Postgres [stores.layout]", async () => {
  const server = await startPostgres();
  after(() => server.stop());
  const url = await server.database();
  assert.match(holdfast(["store", "check", "--store", url]).out, /There are no Holdfast tables here yet/);
  await filled(url);
  const { code, out } = holdfast(["store", "check", "--store", url]);
  assert.match(
    out,
    /^Engine: PostgreSQL \d+.*\nLayout: plain tables on one server \(schema 1\)\nNo problems found\.\n$/,
  );
  assert.equal(code, 0);
  assert.match(holdfast(["store", "distribute", "--store", url]).out, /has no Citus/);
  const file = join(temporaryDirectory(), "a.db");
  assert.match(
    holdfast(["store", "check", "--store", file]).out,
    /is for Postgres, and this store is sqlite/,
  );
});
