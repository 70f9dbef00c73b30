import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
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
