import { readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { HoldfastError } from "../../../errors.ts";
import { rootPrefix } from "./references.ts";

/** Larger files are not searched for quotes. */
const maxSourceBytes = 20_000_000;

export type Source =
  | { status: "missing" | "outside" | "directory" | "unreadable" }
  | {
      status: "read";
      text: string;
      /** How many lines the file has. */
      lines: number;
      /** The line, from 1, where the quote starts, nearest to `near`; undefined if it is not there. */
      find(quote: string, near: number | undefined): number | undefined;
    };

/** Normalises a caller's path to one relative to the project's root; also parses a line after a colon. */
export function projectPath(root: string, input: string): { path: string; line: number | undefined } {
  const [, written = input, digits] = /^(.*?):(\d+)(?:-\d+)?$/.exec(input.trim()) ?? [];
  const bare = written.startsWith(rootPrefix) ? written.slice(rootPrefix.length) : written.trim();
  const absolute = isAbsolute(bare) ? bare : resolve(root, bare);
  const path = relative(root, absolute).split(sep).join("/");
  if (
    bare === "" ||
    path.startsWith("..") ||
    isAbsolute(path) ||
    ["\u0000", "\n", "\r", "|"].some((character) => path.includes(character))
  ) {
    throw new HoldfastError(
      "invalid_input",
      `${JSON.stringify(input)} is not a path inside the project. Nothing was changed. Use a path relative to the project's root, such as src/main.ts.`,
      { data: { path: input } },
    );
  }
  return { path, line: digits === undefined ? undefined : Number(digits) };
}

/** Reads a project file to look up quotes. Does not follow links out of the project. */
export function readSource(root: string, path: string): Source {
  const absolute = resolve(root, path);
  if (!isInside(root, absolute)) return { status: "outside" };
  try {
    const real = realpathSync.native(absolute);
    if (!isInside(root, real)) return { status: "outside" };
    const stats: Stats = statSync(real);
    if (stats.isDirectory()) return { status: "directory" };
    if (!stats.isFile() || stats.size > maxSourceBytes) return { status: "unreadable" };
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
