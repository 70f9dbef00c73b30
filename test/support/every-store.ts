import { join } from "node:path";
import { after } from "node:test";
import { startPostgres } from "./postgres.ts";
import { temporaryDirectory } from "./temporary.ts";

export interface NamedStore {
  name: "memory" | "sqlite" | "jsonl" | "postgres";
  /** What to open; the same text opens the same store. Memory is forgotten with its handle. */
  store: string;
}

let server: ReturnType<typeof startPostgres> | undefined;
after(async () => (await server)?.stop());

/** A fresh, empty store of every kind. The Postgres server is gone when the test file is done. */
export async function everyStore(): Promise<NamedStore[]> {
  server ??= startPostgres();
  const postgres = await server;
  return [
    { name: "memory", store: "memory:" },
    { name: "sqlite", store: join(temporaryDirectory(), "memory.db") },
    { name: "jsonl", store: `jsonl:${temporaryDirectory()}` },
    { name: "postgres", store: await postgres.database() },
  ];
}
