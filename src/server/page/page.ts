import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";
import { packageRoot } from "../../workspace/package.ts";
import { buildPageOfCheckout } from "./build-page.ts";

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
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".woff2": "font/woff2",
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
