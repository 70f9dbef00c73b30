import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, rmSync, statSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository, when this runs from its sources; in the published package the page is there already. */
const root = fileURLToPath(new URL("../../", import.meta.url));

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
    const problem = await build(builder, aside);
    if (problem === undefined) await moveInto(aside, target);
    else say(`The page was not built: ${problem}\nThe API works all the same.`);
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

/** What went wrong, or undefined. */
async function build(builder: string, directory: string): Promise<string | undefined> {
  const child = spawn(process.execPath, [builder, "--log-level", "error"], {
    cwd: join(root, "inspector"),
    env: { ...process.env, HOLDFAST_PAGE_DIRECTORY: directory },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  return code === 0 && existsSync(join(directory, "index.html")) ? undefined : output.trim();
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
