/** Simulates a host: starts hooks through a shell, and a server that reports which session it follows. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { followSession } from "../../src/hosts/session-link.ts";
import { findProject } from "../../src/workspace/project.ts";

const { cwd, role } = JSON.parse(process.argv[2] ?? "{}") as { cwd: string; role: "host" | "server" };

if (role === "server") {
  const follower = followSession({ directory: findProject(cwd).directory, cwd, fallback: "none" });
  for await (const _ of createInterface({ input: process.stdin })) console.log(await follower.current());
} else {
  const server = spawn(process.execPath, [import.meta.filename, JSON.stringify({ cwd, role: "server" })], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const replies = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  for await (const line of createInterface({ input: process.stdin })) {
    if (line !== "ask") {
      const cli = join(import.meta.dirname, "../../src/cli.ts");
      // Two commands, or the shell would exec the hook and replace itself.
      const hook = spawn("sh", ["-c", `"${process.execPath}" "${cli}" hook claude-code; true`], {
        cwd,
        env: { ...process.env, HOLDFAST_HOOK_DEADLINE: "60000" },
        stdio: ["pipe", "ignore", "inherit"],
      });
      hook.stdin.end(line);
      await once(hook, "close");
    }
    server.stdin.write("which\n");
    console.log((await replies.next()).value);
  }
  server.kill();
}
