import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stateFolder } from "../state-folder.ts";
import { readSmallFile } from "./small-file.ts";

/**
 * The token of `holdfast serve` for a store, the same at each start, so that an open page reconnects. It is in a file
 * that only this user can read, outside every repository; undefined if it cannot be kept.
 */
export function keptToken(storeUrl: string): string | undefined {
  const name = createHash("sha256").update(storeUrl).digest("hex").slice(0, 32);
  const path = join(stateFolder(), "serve", `${name}.json`);
  return readToken(path) ?? writeToken(path);
}

/** Undefined if there is none, or another user could have read or written it. */
function readToken(path: string): string | undefined {
  const token = isPrivate(path) ? readSmallFile(path)?.token : undefined;
  return typeof token === "string" && /^[\w-]{43}$/.test(token) ? token : undefined;
}

function isPrivate(path: string): boolean {
  try {
    const { mode, uid } = lstatSync(path);
    return process.platform === "win32" || ((mode & 0o077) === 0 && uid === process.getuid?.());
  } catch {
    return false;
  }
}

function writeToken(path: string): string | undefined {
  const token = randomBytes(32).toString("base64url");
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // Whatever is there is damaged, or not private.
    rmSync(path, { force: true });
    writeFileSync(path, `${JSON.stringify({ token })}\n`, { flag: "wx", mode: 0o600 });
    return token;
  } catch (error) {
    // Another server wrote it first.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return readToken(path);
    return undefined;
  }
}
