import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "./postgres.ts";
import { temporaryDirectory } from "./temporary.ts";

/** PgBouncer is not an npm package. Tests that need it are skipped where it is not installed. */
export function hasPgBouncer(): boolean {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A real PgBouncer in transaction mode before a server; its databases have the same names. */
export async function startPgBouncer(
  target: string,
  settings = "",
): Promise<{ port: number; stop(): Promise<void> }> {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  const [port, { port: targetPort, username, password }] = [await freePort(), new URL(target)];
  const users = join(directory, "users.txt");
  writeFileSync(users, `"${username}" "${password}"\n`, { mode: 0o644 });
  const file = join(directory, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${targetPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 6
${settings}
`,
    { mode: 0o644 },
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
  const bouncer = spawn("pgbouncer", [...user, file], { stdio: "ignore" });
  await untilListening(bouncer, port);
  return {
    port,
    async stop() {
      const ended = once(bouncer, "exit");
      bouncer.kill("SIGKILL");
      await ended;
    },
  };
}

async function untilListening(bouncer: ChildProcess, port: number): Promise<void> {
  for (;;) {
    if (bouncer.exitCode !== null) throw new Error(`pgbouncer ended with ${bouncer.exitCode}`);
    const socket = connect(port, "127.0.0.1");
    const isUp = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await new Promise((proceed) => setTimeout(proceed, 20));
  }
}
