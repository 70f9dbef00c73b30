// Runs before every npm script, on the system's Node (20 or newer).
// Installs the dependencies if the lock file changed since the last install; otherwise does nothing.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".installed-lock");
const localNode = join(
  root,
  "node_modules",
  "node",
  "bin",
  process.platform === "win32" ? "node.exe" : "node",
);
const lock = createHash("sha256")
  .update(readFileSync(join(root, "package-lock.json")))
  .digest("hex");

function fail(message) {
  console.error(message);
  process.exit(1);
}

function run(command, args) {
  // Leave stdout to the script that runs next; the user may redirect it to a file.
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, "inherit"] });
  if (result.error) fail(`Could not start ${command}: ${result.error.message}`);
  return result.status === 0;
}

/** The same, with a line that counts the seconds: an install takes a while and npm is silent. */
function runWithProgress(command, args) {
  const begun = Date.now();
  const seconds = () => Math.round((Date.now() - begun) / 1000);
  const isTerminal = process.stderr.isTTY;
  const show = () => process.stderr.write(isTerminal ? `\r  ${seconds()} s` : `  ${seconds()} s\n`);
  const timer = setInterval(show, isTerminal ? 1_000 : 10_000);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", 2, "inherit"] });
    child.once("error", (error) => fail(`Could not start ${command}: ${error.message}`));
    child.once("close", (code) => {
      clearInterval(timer);
      process.stderr.write(`${isTerminal ? "\r" : ""}  installed in ${seconds()} s\n`);
      resolve(code === 0);
    });
  });
}

const installed = existsSync(stamp) && readFileSync(stamp, "utf8") === lock && existsSync(localNode);
if (!installed) {
  const npm = process.env.npm_execpath;
  // Not `npm ci`: it rejects a lock file that lacks another platform's optional binaries.
  const quiet = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  console.error("Installing dependencies (once per lock file) …");
  const done = await (npm
    ? runWithProgress(process.execPath, [npm, ...quiet])
    : runWithProgress("npm", quiet));
  if (!done) fail("npm install failed; see the lines above, then run the same command again.");
  // With install scripts disabled, the package `node` has not fetched its binary yet.
  if (!existsSync(localNode))
    run(process.execPath, [join(root, "node_modules", "node", "installArchSpecificPackage.js")]);
  writeFileSync(stamp, lock);
}
