import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, rmSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { packageRoot } from "../../workspace/package.ts";

/** The repository, when this runs from its sources; the published package already contains the page. */
const root = packageRoot;

/**
 * In a source checkout, builds the page when it is missing or older than its sources, so that a fresh clone shows it at
 * once. Two processes may do so at the same time: each builds aside and moves the whole page into place.
 */
export async function buildPageOfCheckout(say: (line: string) => void = console.error): Promise<void> {
  const builder = join(root, "node_modules/tsdown/dist/run.mjs");
  if (!import.meta.url.endsWith(".ts") || !existsSync(builder)) return;
  const target = join(root, "dist/inspector");
  if (newest(globSync("inspector/{src,public,styles}/**/*.*", { cwd: root })) <= builtAt(target)) return;
  say("Building the page (once after each change of its sources) …");
  const aside = `${target}-${process.pid}`;
  try {
    await build(builder, aside);
    await moveInto(aside, target);
  } catch (error) {
    say(`The page was not built; the API works all the same. ${(error as Error).message}`);
  } finally {
    rmSync(aside, { recursive: true, force: true });
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
  if (code !== 0) throw new HoldfastError("program_failed", `tsdown ended with ${code}: ${output.trim()}`);
}

/** By names alone: whoever reads the page at this moment gets the old files or the new ones. */
async function moveInto(aside: string, target: string): Promise<void> {
  const old = `${aside}-old`;
  await rename(target, old).catch(() => {});
  await rename(aside, target).catch((error: NodeJS.ErrnoException) => {
    // Another process was faster with the same page.
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  rmSync(old, { recursive: true, force: true });
}
