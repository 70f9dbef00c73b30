import { readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HoldfastError } from "../../../errors.ts";
import { rootMark } from "./references.ts";

/** Files larger than this are not searched for quotes. */
const largestSource = 20_000_000;

export type Source =
  | { status: "missing" | "outside" | "directory" | "unreadable" }
  | {
      status: "read";
      text: string;
      /** How many lines the file has. */
      lines: number;
      /** The line, from 1, on which the quote begins, nearest to the one it was on; undefined when it is not there. */
      find(quote: string, near: number | undefined): number | undefined;
    };

/** A path as callers write it, as one from the project's root; a line after a colon is read too. */
export function projectPath(root: string, given: string): { path: string; line: number | undefined } {
  const [, written = given, digits] = /^(.*?):(\d+)(?:-\d+)?$/.exec(given.trim()) ?? [];
  const bare = written.startsWith(rootMark) ? written.slice(rootMark.length) : written.trim();
  const absolute = isAbsolute(bare) ? bare : resolve(root, bare);
  const path = relative(root, absolute).split(sep).join("/");
  if (
    bare === "" ||
    path.startsWith("..") ||
    isAbsolute(path) ||
    ["\u0000", "\n", "\r", "|"].some((mark) => path.includes(mark))
  ) {
    throw new HoldfastError(
      "invalid_input",
      `${JSON.stringify(given)} is no path inside the project. Nothing was changed. Give one from the project's root, such as src/main.ts.`,
      { data: { path: given } },
    );
  }
  return { path, line: digits === undefined ? undefined : Number(digits) };
}

/** A file of the project, read for looking up quotes. Links that lead out of the project are not followed. */
export function readSource(root: string, path: string): Source {
  const absolute = resolve(root, path);
  if (!isInside(root, absolute)) return { status: "outside" };
  try {
    const real = realpathSync.native(absolute);
    if (!isInside(root, real)) return { status: "outside" };
    const stats: Stats = statSync(real);
    if (stats.isDirectory()) return { status: "directory" };
    if (!stats.isFile() || stats.size > largestSource) return { status: "unreadable" };
    return sourceOf(readFileSync(real, "utf8"));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { status: code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable" };
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(join(root, sep));
}

function sourceOf(raw: string): Source {
  const text = raw.includes("\r\n") ? raw.replaceAll("\r\n", "\n") : raw;
  let starts: number[] | undefined;
  const lineStarts = () => {
    starts ??= startsOf(text);
    return starts;
  };
  return {
    status: "read",
    text,
    get lines() {
      const known = lineStarts();
      return known.length - (text.endsWith("\n") ? 1 : 0);
    },
    find(quote, near) {
      if (quote === "") return undefined;
      const first = text.indexOf(quote);
      if (first === -1) return undefined;
      const known = lineStarts();
      if (near !== undefined) {
        const [from, to] = [known[near - 1], known[near] ?? text.length];
        const here = from === undefined ? -1 : text.indexOf(quote, from);
        if (from !== undefined && here !== -1 && here < to) return near;
      }
      let best = lineAt(known, first);
      for (let at = first; near !== undefined && at !== -1; at = text.indexOf(quote, at + 1)) {
        const line = lineAt(known, at);
        if (Math.abs(line - near) < Math.abs(best - near)) best = line;
        if (line > near) break;
      }
      return best;
    },
  };
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
