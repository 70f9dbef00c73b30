import pg from "pg";
import { openMemory } from "../src/index.ts";
import { channelOf } from "../src/stores/postgres/feed.ts";

export type Work = "bare" | "append" | "note";

export interface WorkerOrder {
  url: string;
  name: string;
  writers: number;
  /** Connections of the bare baseline. */
  connections: number;
  /** Clients that LISTEN and look for changes, as watchers do; such a process does not write. */
  listeners: number;
}

/** Writes for some time. */
export interface Slice {
  work: Work;
  milliseconds: number;
}

export interface SliceReport {
  milliseconds: number[];
}

type Write = () => Promise<unknown>;

/** One process of the Postgres benchmark: prepares, reports that it is ready, then writes on request. */
process.once("message", async (order: WorkerOrder) => {
  if (order.listeners > 0) await listen(order);
  const writes: Record<Work, Write[]> =
    order.listeners > 0
      ? { bare: [], append: [], note: [] }
      : { bare: await bareWriters(order), ...(await sessionWriters(order)) };
  process.on("message", async ({ work, milliseconds }: Slice) => {
    const times: number[] = [];
    const end = performance.now() + milliseconds;
    const until = async (write: Write) => {
      for (let now = performance.now(); now < end; ) {
        await write();
        const after = performance.now();
        times.push(after - now);
        now = after;
      }
    };
    await Promise.all(writes[work].map(until));
    process.send?.({ milliseconds: times } satisfies SliceReport);
  });
  process.send?.("ready");
});

/** One row per writer; every UPDATE is its own transaction. */
async function bareWriters({ url, name, writers, connections }: WorkerOrder): Promise<Write[]> {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const text = "UPDATE bare SET text = $2 WHERE id = $1";
  let count = 0;
  return Promise.all(
    Array.from({ length: writers }, async (_, index) => {
      const id = `${name}-${index}`;
      await pool.query("INSERT INTO bare VALUES ($1, '')", [id]);
      return () => pool.query(text, [id, `- finding ${++count}`]);
    }),
  );
}

async function sessionWriters({
  url,
  name,
  writers,
}: WorkerOrder): Promise<{ append: Write[]; note: Write[] }> {
  const memory = await openMemory({ store: url, limits: { notepadCharacters: 10_000_000 } });
  let count = 0;
  const sessions = await Promise.all(
    Array.from({ length: writers }, (_, index) => memory.createSession({ id: `${name}-${index}` })),
  );
  return {
    append: sessions.map((session) => () => session.notepad.append(`- finding ${++count}`)),
    note: sessions.map((session) => () => session.notes.add(`finding ${++count}`, ["bench"])),
  };
}

async function listen({ url, listeners }: WorkerOrder): Promise<void> {
  const recent =
    "SELECT owner, id, revision, created_at FROM agent_sessions WHERE owner = ANY($1) AND touched > now() - interval '30 seconds'";
  for (let index = 0; index < listeners; index++) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(`LISTEN ${channelOf("local")}`);
    setInterval(() => void client.query(recent, [["local"]]), 1_000);
  }
}
