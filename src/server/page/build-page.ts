import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, rmSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { packageRoot } from "../../workspace/package.ts";

/** The repository when running from source; the published package already contains the page. */
const root = packageRoot;

/**
 * In a source checkout, builds the page when it is missing or older than its sources, so that it works in a fresh
 * clone. Safe to run concurrently: each process builds in its own directory and moves the whole page into place.
 */
export async function buildPageOfCheckout(log: (line: string) => void = console.error): Promise<void> {
  const builder = join(root, "node_modules/tsdown/dist/run.mjs");
  if (!import.meta.url.endsWith(".ts") || !existsSync(builder)) return;
  const target = join(root, "dist/inspector");
  if (newest(globSync("inspector/{src,public,styles}/**/*.*", { cwd: root })) <= builtAt(target)) return;
  log("Building the page (needed once after each change to its sources) …");
  const staging = `${target}-${process.pid}`;
  try {
    await build(builder, staging);
    await moveInto(staging, target);
  } catch (error) {
    log(`Could not build the page; the API works without it. ${(error as Error).message}`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function newest(files: readonly string[]): number {
  return Math.max(0, ...files.map((file) => statSync(join(root, file)).mtimeMs));
}

function builtAt(directory: string): number {
  const script = join(directory, "inspector.js");
  return existsSync(script) ? statSync(script).mtimeMs : -1;
}

async function build(builder: string, directory: string): Promise<void> {
  const child = spawn(process.execPath, [builder, "--logLevel", "error"], {
    cwd: join(root, "inspector"),
    env: { ...process.env, HOLDFAST_PAGE_DIRECTORY: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0)
    throw new HoldfastError("program_failed", `tsdown exited with code ${code}: ${output.trim()}`);
}

/** Renames only, so a concurrent reader gets the old files or the new ones. */
async function moveInto(staging: string, target: string): Promise<void> {
  const old = `${staging}-old`;
  await rename(target, old).catch(() => {});
  await rename(staging, target).catch((error: NodeJS.ErrnoException) => {
    // Another process installed the same page first.
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  rmSync(old, { recursive: true, force: true });
}
