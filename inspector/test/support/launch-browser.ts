import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const flags = [
  "--no-sandbox",
  "--no-zygote",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--renderer-process-limit=1",
];

/** Installed browsers to try when the one from npm does not run here. */
const installed = [
  process.env.CHROME_PATH,
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

interface Candidate {
  executablePath: string;
  env?: Record<string, string>;
}

/** A real browser; undefined, after a loud warning, if none runs here. */
export async function launchBrowser(): Promise<Browser | undefined> {
  const problems: string[] = [];
  for (const { executablePath, env } of candidates(problems)) {
    try {
      return await chromium.launch({ executablePath, args: flags, env: { ...process.env, ...env } });
    } catch (error) {
      problems.push(`${executablePath}: ${(error as Error).message.slice(0, 400)}`);
    }
  }
  console.error(
    `\n*** NO BROWSER RUNS HERE: THE INSPECTOR IS NOT TESTED. ***\nSet CHROME_PATH to a Chrome or Chromium.\n${problems.join("\n")}\n`,
  );
  return undefined;
}

function* candidates(problems: string[]): Generator<Candidate> {
  if (process.env.CHROME_PATH) yield { executablePath: process.env.CHROME_PATH };
  const unpacked = process.platform === "linux" ? unpack(problems) : undefined;
  if (unpacked !== undefined) {
    const executablePath = join(unpacked, "chromium");
    yield { executablePath };
    // A system without a desktop may lack libraries, which the package includes.
    yield { executablePath, env: { LD_LIBRARY_PATH: join(unpacked, "al2023/lib") } };
  }
  for (const path of installed) if (path && existsSync(path)) yield { executablePath: path };
}

/** Unpacks the browser from npm, once per user; safe when two test files do it concurrently. */
function unpack(problems: string[]): string | undefined {
  const manifest = join(import.meta.dirname, "../../../node_modules/@sparticuz/chromium/package.json");
  if (!existsSync(manifest)) return undefined;
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const target = join(tmpdir(), `holdfast-chromium-${version}-${userInfo().uid}`);
  if (existsSync(target)) return target;
  const staging = mkdtempSync(join(tmpdir(), "holdfast-chromium-"));
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "unpack-browser.ts")], {
    // AWS_EXECUTION_ENV makes it unpack the libraries too.
    env: { ...process.env, TMPDIR: staging, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" },
    encoding: "utf8",
  });
  if (status !== 0) {
    problems.push(`could not unpack @sparticuz/chromium: ${stderr.slice(0, 400)}`);
    rmSync(staging, { recursive: true, force: true });
    return undefined;
  }
  try {
    renameSync(staging, target);
  } catch {
    // Another process finished first.
    rmSync(staging, { recursive: true, force: true });
  }
  return target;
}
