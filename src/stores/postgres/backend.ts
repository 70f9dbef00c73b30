import { Announcer } from "./announcer.ts";
import { Feed } from "./feed.ts";
import { Listening } from "./listening.ts";
import { migrate } from "./migrate.ts";
import { importPg } from "./open-client.ts";
import { defaultPatience, Pool } from "./pool.ts";
import { parseServerAddress } from "./server-address.ts";

export interface BackendOptions {
  url: string;
  patience?: number | undefined;
  onWarning: (warning: string) => void;
}

/** The connections to one server, shared by all memories of this process that name it the same way. */
export interface Backend {
  pool: Pool;
  announcer: Announcer;
  feed: Feed;
}

interface Shared {
  opening: Promise<Backend>;
  users: number;
}

const backends = new Map<string, Shared>();

/** Returns the backend and a function that gives it back; the last user closes it. */
export async function useBackend(
  options: BackendOptions,
): Promise<{ backend: Backend; release: () => Promise<void> }> {
  const key = JSON.stringify([options.url, options.patience]);
  const shared = backends.get(key) ?? { opening: openBackend(options), users: 0 };
  backends.set(key, shared);
  shared.users++;
  try {
    const backend = await shared.opening;
    return { backend, release: () => release(key, shared, backend) };
  } catch (error) {
    if (backends.get(key) === shared) backends.delete(key);
    throw error;
  }
}

async function release(key: string, shared: Shared, backend: Backend): Promise<void> {
  if (--shared.users > 0) return;
  if (backends.get(key) === shared) backends.delete(key);
  await closeBackend(backend);
}

async function openBackend({ url, patience, onWarning }: BackendOptions): Promise<Backend> {
  const pg = await importPg();
  const address = parseServerAddress(url);
  const pool = new Pool({ pg, address, patience: patience ?? defaultPatience });
  const listening = new Listening(pg, address.listen ?? address, pool, onWarning);
  const backend = { pool, announcer: new Announcer(pool), feed: new Feed(pool, listening) };
  try {
    await migrate(pool, pg, address);
    return backend;
  } catch (error) {
    // A refused opening leaves no connection behind.
    await closeBackend(backend);
    throw error;
  }
}

async function closeBackend({ pool, announcer, feed }: Backend): Promise<void> {
  await feed.stop();
  await announcer.end().catch(() => undefined);
  await pool.close();
}
