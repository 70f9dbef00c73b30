import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync, rmSync, statSync } from "node:fs";
import { readdir, readFile, rename } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { HoldfastError } from "../errors.ts";
import { packageRoot } from "../workspace/package.ts";

export interface PageFile {
  type: string;
  body: Buffer;
  /** Only when smaller than `body`. */
  zipped: Buffer | undefined;
  etag: string;
}

/** The page by path; "/" is its document. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The built page, loaded whole at startup, so no other file can be requested. Empty when not built. */
export async function pageFiles(): Promise<PageFiles> {
  await buildPageOfCheckout();
  return readPage(join(packageRoot, "dist/inspector"));
}

export async function readPage(directory: string): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const body = await readFile(path);
    const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
    const gzip = gzipSync(body, { level: 9 });
    const zipped = gzip.length < body.length ? gzip : undefined;
    files.set(`/${relative(directory, path).split(sep).join("/")}`, { type, body, zipped, etag });
  }
  const document = files.get("/index.html");
  if (document) files.set("/", document);
  return files;
}

/** Serves a file of the page; the browser caches it and revalidates with its ETag. */
export function servePage(files: PageFiles, path: string, request: Request): Response {
  const file = files.get(path);
  if (!file) return new Response(path === "/" ? notBuilt : "Nothing found here.\n", { status: 404 });
  const headers = new Headers({
    "Content-Type": file.type,
    ETag: file.etag,
    "Cache-Control": "private, no-cache",
    Vary: "Accept-Encoding",
  });
  if (request.headers.get("If-None-Match") === file.etag) return new Response(null, { status: 304, headers });
  const zipped = /\bgzip\b/.test(request.headers.get("Accept-Encoding") ?? "") ? file.zipped : undefined;
  if (zipped) headers.set("Content-Encoding", "gzip");
  return new Response(new Uint8Array(zipped ?? file.body), { headers });
}

const notBuilt = "The page is not built. The API works without it: see /openapi.json.\n";

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
