import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { openMemory } from "../src/index.ts";
import { askPostgres, startPostgres } from "../test/support/postgres.ts";
import { type Figure, formatFigure, median, met } from "./measure.ts";
import type { Slice, SliceReport, Work, WorkerOrder } from "./postgres-worker.ts";

/**
 * Writes through the Postgres store, compared with bare UPDATEs on as many connections as the store has. Work and baseline
 * take turns of half a second, so that a busy machine slows both; the figures are medians over the turns.
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
  work: Work;
  processes: number;
  writers: number;
  listeners?: number;
}

async function compare({ name, work, processes, writers, listeners = 0 }: Plan): Promise<void> {
  const url = await server.database();
  await (await openMemory({ store: url })).close();
  await askPostgres(url, "CREATE TABLE bare (id TEXT PRIMARY KEY, text TEXT) WITH (fillfactor = 70)");
  const order = { url, writers, connections: Math.min(writers, 8), listeners: 0 };
  const watching = listeners > 0 ? [await startWorker({ ...order, name: "listeners", listeners })] : [];
  const workers = await Promise.all(
    Array.from({ length: processes }, (_, index) => startWorker({ ...order, name: `p${index}` })),
  );
  const samples: { bare: number[]; own: number[] }[] = [];
  for (let round = -1; round < turns; round++) {
    const sample = { bare: await turn(workers, "bare"), own: await turn(workers, work) };
    if (round >= 0) samples.push(sample);
  }
  for (const worker of [...workers, ...watching]) worker.kill();
  const middle = (value: (sample: (typeof samples)[number]) => number) => median(samples.map(value));
  const perSecond = (count: number) => `${((count * 1_000) / turnMilliseconds).toFixed(0)}/s`;
  report({
    name: `${name}, writes / bare UPDATE`,
    value: middle(({ own, bare }) => own.length / bare.length),
    target: 0.5,
    limit: "min",
    unit: "×",
    detail: `${perSecond(middle(({ own }) => own.length))}, bare ${perSecond(middle(({ bare }) => bare.length))}`,
  });
  report({
    name: `${name}, p50 / bare UPDATE`,
    value: middle(({ own, bare }) => median(own) / median(bare)),
    target: 2,
    limit: "max",
    unit: "×",
    detail: `${middle(({ own }) => median(own)).toFixed(1)} ms, bare ${middle(({ bare }) => median(bare)).toFixed(1)} ms`,
  });
}

function report(figure: Figure): void {
  figures.push(figure);
  console.log(formatFigure(figure));
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
  const one = { processes: 1, writers: 1 };
  const sixteen = { processes: 1, writers: 16 };
  await compare({ ...one, work: "append", name: "append, 1 × 1" });
  await compare({ ...sixteen, work: "append", name: "append, 1 × 16" });
  await compare({ work: "append", name: "append, 4 × 4", processes: 4, writers: 4 });
  await compare({ ...sixteen, work: "append", name: "append, 1 × 16, 60 listeners", listeners: 60 });
  await compare({ ...sixteen, work: "note", name: "note, 1 × 16" });
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
