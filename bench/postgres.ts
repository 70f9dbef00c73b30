import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import pg from "pg";
import { openMemory } from "../src/index.ts";
import { askPostgres, startPostgres } from "../test/support/postgres.ts";
import { type Figure, formatFigure, median, met } from "./measure.ts";
import type { Slice, SliceReport, Work, WorkerOrder } from "./postgres-worker.ts";

/**
 * Writes through the Postgres store, compared with bare pipelined UPDATEs on one connection per eight writers (the store
 * opens as many, and up to four when statements are slow). Work and baseline take turns of half a second, so that a busy machine slows both; the figures are medians over the turns.
 */
const turns = Number(process.env.HOLDFAST_BENCH_TURNS ?? 12);
const turnMilliseconds = 500;

const server = await startPostgres();
const figures: Figure[] = [];

async function startWorker(order: WorkerOrder): Promise<ChildProcess> {
  const worker = fork(new URL("./postgres-worker.ts", import.meta.url));
  worker.send(order);
  await once(worker, "message");
  return worker;
}

/** All processes write at the same time; returns how long each write took. */
async function turn(workers: readonly ChildProcess[], work: Work): Promise<number[]> {
  const reports = workers.map(async (worker) => {
    const [report] = (await once(worker, "message")) as [SliceReport];
    return report.milliseconds;
  });
  for (const worker of workers) worker.send({ work, milliseconds: turnMilliseconds } satisfies Slice);
  return (await Promise.all(reports)).flat();
}

interface Plan {
  name: string;
  target: number;
  work: Work;
  processes: number;
  writers: number;
  listeners?: number;
}

async function compare({ name, target, work, processes, writers, listeners = 0 }: Plan): Promise<void> {
  const url = await server.database();
  await (await openMemory({ store: url })).close();
  await askPostgres(url, "CREATE TABLE bare (id TEXT PRIMARY KEY, text TEXT) WITH (fillfactor = 70)");
  const order = { url, writers, connections: Math.ceil(writers / 8), listeners: 0 };
  const watching = listeners > 0 ? [await startWorker({ ...order, name: "listeners", listeners })] : [];
  const workers = await Promise.all(
    Array.from({ length: processes }, (_, index) => startWorker({ ...order, name: `p${index}` })),
  );
  const samples: { bare: number; count: number; p50: number; p99: number }[] = [];
  for (let round = -1; round < turns; round++) {
    const bare = (await turn(workers, "bare")).length;
    const times = (await turn(workers, work)).sort((a, b) => a - b);
    const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
    if (round >= 0) samples.push({ bare, count: times.length, p50: at(0.5), p99: at(0.99) });
  }
  for (const worker of [...workers, ...watching]) worker.kill();
  const middle = (value: (sample: (typeof samples)[number]) => number) => median(samples.map(value));
  const perSecond = (count: number) => `${((count * 1_000) / turnMilliseconds).toFixed(0)}/s`;
  report({
    name,
    value: middle(({ count, bare }) => count / bare),
    target,
    limit: "min",
    unit: "×",
    detail: `${perSecond(middle(({ count }) => count))}, bare ${perSecond(middle(({ bare }) => bare))}`,
  });
  report({
    name: `${name.split(" / ")[0]}: p99 / p50`,
    value: middle(({ p50, p99 }) => p99 / p50),
    target: 4,
    limit: "max",
    unit: "×",
    detail: `p50 ${middle(({ p50 }) => p50).toFixed(1)} ms, p99 ${middle(({ p99 }) => p99).toFixed(1)} ms`,
  });
}

function report(figure: Figure): void {
  figures.push(figure);
  console.log(formatFigure(figure));
}

/** Bytes of write-ahead log per append, for a notepad of this size. */
async function walPerAppend(characters: number): Promise<number> {
  const url = await server.database();
  const memory = await openMemory({ store: url, limits: { notepadCharacters: 1_000_000 } });
  const session = await memory.createSession({ id: "a" });
  // Random, because Postgres compresses long values.
  await session.notepad.write(randomBytes(characters / 2).toString("hex"));
  const append = () => session.notepad.append(`- a line of about fifty characters, ${crypto.randomUUID()}`);
  for (let count = 0; count < 20; count++) await append();
  const position = async () =>
    Number((await askPostgres(url, "SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes"))[0]?.bytes);
  await askPostgres(url, "CHECKPOINT");
  // The first change of a page after a checkpoint logs the whole page; that is not the append's own cost.
  for (let count = 0; count < 40; count++) await append();
  const [before, appends] = [await position(), 400];
  for (let count = 0; count < appends; count++) await append();
  const bytes = ((await position()) - before) / appends;
  await memory.close();
  return bytes;
}

async function listingTime(): Promise<number> {
  const url = await server.database();
  const memory = await openMemory({ store: url });
  await memory.createSession({ id: "a" });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO agent_sessions (id, owner, agent, status, origin, lineage, created_at, updated_at, revision, last_fork, counters)
     SELECT 's' || n, 'local', 'default', 'active', 'created', '[]', n * 26000, n * 26000, 1, 0, '{"notes":0}' FROM generate_series(1, 100000::bigint) n`,
  );
  await client.query("ANALYZE agent_sessions");
  await client.end();
  const times: number[] = [];
  for (let round = 0; round < 50; round++) {
    const started = performance.now();
    await memory.listSessions({ limit: 20 });
    times.push(performance.now() - started);
  }
  await memory.close();
  return median(times);
}

try {
  const append = { work: "append" as const };
  await compare({ ...append, name: "append, 1 × 16 / bare UPDATE", target: 0.8, processes: 1, writers: 16 });
  await compare({ ...append, name: "append, 4 × 4 / bare UPDATE", target: 0.7, processes: 4, writers: 4 });
  await compare({
    ...append,
    name: "append, 1 × 16, 60 listeners / bare UPDATE",
    target: 0.5,
    processes: 1,
    writers: 16,
    listeners: 60,
  });
  await compare({ work: "note", name: "note, 1 × 16 / bare UPDATE", target: 0.6, processes: 1, writers: 16 });
  const small = await walPerAppend(1_000);
  for (const size of [10_000, 32_000, 100_000]) {
    const bytes = await walPerAppend(size);
    report({
      name: `WAL per append, notepad of ${size / 1_000} kB / of 1 kB`,
      value: bytes / small,
      target: 1.5,
      limit: "max",
      unit: "×",
      detail: `${bytes.toFixed(0)} bytes / ${small.toFixed(0)} bytes, for 73 appended`,
    });
  }
  report({
    name: "list the newest 20 of an owner's 100,000 sessions",
    value: await listingTime(),
    target: 5,
    limit: "max",
    unit: "ms",
    detail: "",
  });
} finally {
  await server.stop();
}
const missed = figures.filter((figure) => !met(figure)).length;
console.log(missed === 0 ? "\nAll targets met." : `\nMissed ${missed} target${missed === 1 ? "" : "s"}.`);
process.exitCode = missed === 0 ? 0 : 1;
