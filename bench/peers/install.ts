import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const stamp = join(import.meta.dirname, "node_modules", ".installed-lock");

/** Installs the peers if their lock file changed since the last time; returns the problem if it cannot. */
export function installPeers(): string | undefined {
  const lock = createHash("sha256")
    .update(readFileSync(join(import.meta.dirname, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return undefined;
  console.error("Installing the peers into bench/peers (once per lock file) …");
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm ? [process.execPath, npm] : ["npm"];
  const { status, error, stderr } = spawnSync(command, [...before, ...args], {
    cwd: import.meta.dirname,
    encoding: "utf8",
    timeout: 300_000,
  });
  if (error) return `npm install failed: ${error.message}`;
  if (status !== 0) return `npm install failed: ${stderr.trim().split("\n").slice(0, 3).join(" ")}`;
  writeFileSync(stamp, lock);
  return undefined;
}
