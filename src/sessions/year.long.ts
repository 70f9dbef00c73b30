import assert from "node:assert/strict";
import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { holdfastWith } from "../../test/support/people.ts";
import { askPostgres, startPostgres } from "../../test/support/postgres.ts";
import { temporaryDirectory } from "../../test/support/temporary.ts";
import { day } from "../engine/retention.ts";
import { type Memory, openMemory, type Store } from "../index.ts";
import { openStore } from "../stores/open-store.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { hashPiece } from "./call-log.ts";

/**
 * Ordinary use: on each of 21 days a month, six conversations of 60 operations and 20 model calls, and a long one. In
 * Postgres on 7 days a month, three conversations, to save time.
 */
const use = { days: 21, sessions: 6, operations: 60, calls: 20, longOperations: 40 };

const sentence = "The importer reads sheets in pairs; totals of EMEA are wrong until the currency is set. ";

async function work(
  memory: Memory,
  id: string,
  operations: number,
  calls: number,
  now: () => number,
): Promise<void> {
  const session = await memory.openSession(id);
  for (let count = 0; count < operations; count++) {
    if (count % 6 === 0) await session.notepad.append(`- ${id} ${count}: ${sentence}`);
    else if (count % 20 === 1) await session.notepad.write(`# ${id}\n- ${count}: ${sentence}`);
    else await session.notes.add(`${id} ${count}: ${sentence.repeat(4)}`, ["work"]);
  }
  const base = { part: "history", role: "user", tokens: 400 };
  const pieces = [{ ...base, text: `${id} ${sentence.repeat(40)}` }];
  for (let count = 0; count < calls; count++) {
    pieces.push({ ...base, text: `${id} ${count} ${sentence.repeat(20)}` });
    const hashed = await Promise.all(
      pieces.map(async (piece) => ({ ...piece, hash: await hashPiece(piece) })),
    );
    await session.calls.record(hashed, { purpose: "turn", epoch: 1 }, now());
  }
}

/** A store at one point of its year. */
interface Place {
  url: string;
  open(): Promise<Store>;
}

interface AgingPlace extends Place {
  bytes(): Promise<number>;
  /** A copy of the store as it is now. */
  copy(): Promise<Place>;
}

interface Times {
  open: number;
  show: number;
  list: number;
}

/** Reads as a person or an agent that comes back: the long session, the newest sessions, the last conversation. */
async function timeReads({ url, open }: Place, conversation: string, now: number): Promise<Times> {
  const started = performance.now();
  const memory = await openMemory({ store: await open(), clock: () => now });
  await (await memory.resumeSession("long")).context();
  const opened = performance.now() - started;
  await memory.listSessions({ limit: 20 });
  const list = performance.now() - started - opened;
  await memory.close();
  const showing = performance.now();
  const shown = await holdfastWith({ HOLDFAST_DB: url }, "show", conversation);
  assert.equal(shown.code, 0, shown.stderr);
  return { open: opened, list, show: performance.now() - showing };
}

/** The best of several rounds, in turns, because other work on the machine only ever adds. */
async function compareReads(reads: (() => Promise<Times>)[]): Promise<Times[]> {
  const best: Times[] = reads.map(() => ({ open: Infinity, show: Infinity, list: Infinity }));
  for (let round = 0; round < 7; round++)
    for (const [index, read] of reads.entries()) {
      const times = await read();
      const least = best[index];
      if (!least) continue;
      for (const name of names) least[name] = Math.min(least[name], times[name]);
    }
  return best;
}

const names = ["open", "show", "list"] as const;

/** Until then nothing is old enough to go. */
const youth = 2;

async function liveYear(
  context: TestContext,
  place: AgingPlace,
  { days, sessions }: { days: number; sessions: number },
): Promise<void> {
  const time = { now: Date.now() - 365 * day };
  const ratios: Times[] = [];
  let young: (() => Promise<Times>) | undefined;
  let conversations = 0;
  for (let month = 1; month <= 12; month++) {
    const memory = await openMemory({ store: await place.open(), clock: () => time.now });
    for (let today = 0; today < days; today++) {
      const ids = Array.from({ length: sessions }, () => `conversation-${++conversations}`);
      await Promise.all(ids.map((id) => work(memory, id, use.operations, use.calls, () => time.now)));
      await work(memory, "long", use.longOperations, 2, () => time.now);
      // People archive a few, and delete a few.
      await memory.archiveSession(ids[0] ?? "");
      await memory.deleteSession(ids[1] ?? "");
      time.now += Math.round((365 / 12 / days) * day);
      while (!(await memory.retention.step(200, { waits: false })));
    }
    await memory.close();
    const [last, now] = [`conversation-${conversations}`, time.now];
    if (month === youth) {
      const copy = await place.copy();
      young = () => timeReads(copy, last, now);
    }
    const [aged, then] = await compareReads([() => timeReads(place, last, now), ...(young ? [young] : [])]);
    const ratio = (name: keyof Times) => (then && aged ? aged[name] / then[name] : 1);
    if (month > youth) ratios.push({ open: ratio("open"), show: ratio("show"), list: ratio("list") });
    const figures = names.map((name) => `${name} ${aged?.[name].toFixed(1)} ms (${ratio(name).toFixed(2)})`);
    const megabytes = (await place.bytes()) / 1e6;
    context.diagnostic(`month ${month}: ${megabytes.toFixed(0)} MB, ${figures.join(", ")}`);
    assert.ok(megabytes < 200, `${megabytes} MB`);
  }
  for (const name of names) {
    const late = ratios.slice(-5).map((ratio) => ratio[name]);
    const median = late.sort((a, b) => a - b)[2] ?? Infinity;
    assert.ok(median < 1.5, `${name} takes ${median.toFixed(2)} times what it took after ${youth} months`);
  }
}

test("a year of ordinary use in SQLite stays under 200 MB and as fast as in its first months [retention.year]", async (context) => {
  const path = join(temporaryDirectory(), "memory.db");
  await liveYear(
    context,
    {
      url: path,
      // A year takes an hour with an fsync per operation.
      open: () => sqliteStore({ path, synchronous: "normal" }),
      bytes: async () => statSync(path).size,
      async copy() {
        const young = join(temporaryDirectory(), "memory.db");
        copyFileSync(path, young);
        return { url: young, open: () => sqliteStore({ path: young, synchronous: "normal" }) };
      },
    },
    use,
  );
});

test("a year of ordinary use in Postgres stays under 200 MB and as fast as in its first months [retention.year]", async (context) => {
  const server = await startPostgres();
  context.after(() => server.stop());
  const url = await server.database();
  await liveYear(
    context,
    {
      url,
      open: () => openStore(url),
      bytes: async () => {
        const [row] = await askPostgres(url, "SELECT pg_database_size(current_database())::float8 AS bytes");
        return Number(row?.bytes);
      },
      async copy() {
        const young = new URL(url);
        young.pathname = `${young.pathname}_young`;
        await askPostgres(
          `${server.url}/postgres`,
          `CREATE DATABASE ${young.pathname.slice(1)} TEMPLATE ${new URL(url).pathname.slice(1)}`,
        );
        return { url: young.href, open: () => openStore(young.href) };
      },
    },
    { days: 7, sessions: 3 },
  );
});
