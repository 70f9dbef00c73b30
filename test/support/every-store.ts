import { join } from "node:path";
import { after } from "node:test";
import { startPostgres } from "./postgres.ts";
import { temporaryDirectory } from "./temporary.ts";

export interface NamedStore {
  name: "memory" | "sqlite" | "postgres";
  /** The address to open. The same address opens the same store, except that memory is lost when closed. */
  store: string;
}

let server: ReturnType<typeof startPostgres> | undefined;
after(async () => (await server)?.stop());

/** A new, empty store of every kind. The Postgres server stops with the test file. */
export async function everyStore(): Promise<NamedStore[]> {
  server ??= startPostgres();
  const postgres = await server;
  return [
    { name: "memory", store: "memory:" },
    { name: "sqlite", store: join(temporaryDirectory(), "memory.db") },
    { name: "postgres", store: await postgres.database() },
  ];
}
