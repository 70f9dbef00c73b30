/** A Postgres server with its data on a small disk: fills it, writes, reads, frees space, writes again. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isHoldfastError, openMemory } from "../../src/index.ts";
import { askPostgres, startPostgres } from "./postgres.ts";

const { disk } = JSON.parse(process.argv[2] ?? "{}") as { disk: string };
const space = join(disk, "space");
mkdirSync(space);
execFileSync("chown", ["postgres", disk, space]);

async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    return isHoldfastError(error) ? error.code : String(error);
  }
}

const server = await startPostgres();
const admin = `${server.url}/postgres`;
await askPostgres(admin, `CREATE TABLESPACE small LOCATION '${space}'`);
await askPostgres(admin, "CREATE DATABASE small TABLESPACE small");
const memory = await openMemory({ store: `${server.url}/small` });
const session = await memory.createSession({ id: "a" });
const add = () => session.notes.add(crypto.randomUUID().repeat(100), []);
let kept = 0;
for (; kept < 20; kept++) await add();
try {
  for (let number = 0; ; number++) writeFileSync(join(disk, `ballast-${number}`), Buffer.alloc(8_192));
} catch {
  // Full.
}
let first = "done";
for (let number = 0; number < 2_000 && first === "done"; number++) {
  first = await outcome(add);
  if (first === "done") kept++;
}
const refusals = [first, await outcome(add)];
const read = (await session.notes.all()).length;
execFileSync("sh", ["-c", `rm "${disk}"/ballast-*`]);
const afterwards = [await outcome(add), await outcome(() => memory.createSession({ id: "b" }))];
await memory.close();
await server.stop();
rmSync(space, { recursive: true });
writeSync(1, `${JSON.stringify({ kept, refusals, read, afterwards })}\n`);
