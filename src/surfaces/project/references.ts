import { readFileSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { HoldfastError } from "../../errors.ts";
import { insideProject } from "./location.ts";
import { refusal } from "./refusal.ts";

/** A location in the project: a file, optionally with a range of lines. */
export interface Reference {
  /** As written in the notes. */
  text: string;
  path: string;
  from: number | undefined;
  to: number | undefined;
}

export const rootPrefix = "$" + "{PROJECT_ROOT}/";

/** A path of this machine means nothing on another; the protocol's prefix does. */
export function withoutMachinePaths(root: string, text: string): string {
  return text.replaceAll(`${root}/`, rootPrefix);
}

export function parseReference(text: string): Reference {
  const bare = text.trim().replace(/^`(.*)`$/, "$1");
  const [, path = bare, from, to] = /^(.*?):(\d+)(?:-(\d+))?$/.exec(bare) ?? [];
  return {
    text: bare,
    path,
    from: from === undefined ? undefined : Number(from),
    to: to === undefined ? undefined : Number(to),
  };
}

export function renderReference(path: string, from?: number, to?: number): string {
  const lines = from === undefined ? "" : to === undefined || to === from ? `:${from}` : `:${from}-${to}`;
  return `${path.startsWith(rootPrefix) ? "" : rootPrefix}${path}${lines}`;
}

/** Wraps a quote in a code span with enough backticks to keep it unchanged. */
export function codeSpan(quote: string): string {
  const longest = Math.max(0, ...Array.from(quote.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(quote) ? " " : "";
  return `${ticks}${pad}${quote}${pad}${ticks}`;
}

/** The quote in backticks at the start of a text, and the text after it. */
export function splitQuote(text: string): { quote: string | undefined; rest: string } {
  const [span = "", , inside] = /^(`+)(?!`)(.*?)(?<!`)\1(?!`)/s.exec(text) ?? [];
  return { quote: inside?.replace(/^ (?=.*\S)(.*) $/s, "$1"), rest: text.slice(span.length) };
}

/** Larger files are not searched for quotes. */
const maxSourceBytes = 20_000_000;

export type Source =
  | { status: "missing" | "outside" | "directory" | "unreadable" }
  | { status: "read"; lines: string[] };

/** Normalizes a caller's path, which may end in lines such as `:45-67`, to one relative to the project's root. */
export function projectPath(root: string, input: string): Omit<Reference, "text"> {
  const { path: written, from, to } = parseReference(input);
  const path = insideProject(root, written.replace(rootPrefix, "").trim());
  if (path === undefined || /[\0\n\r|]/.test(path))
    throw refusal(
      "invalid_input",
      `${JSON.stringify(input)} is not a path inside the project`,
      "Use a path relative to the project's root, such as src/main.ts",
      { path: input },
    );
  return { path, from, to };
}

/** The error for a path that a caller gave. */
export function noSuchFile(path: string, status: string): HoldfastError {
  const problem = status === "missing" ? "does not exist" : "cannot be read as a text file";
  return refusal("not_found", `${path} ${problem} in the project`, "Use the path of an existing file", {
    path,
  });
}

/** Reads a project file to look up quotes. Does not follow links out of the project. */
export function readSource(root: string, path: string): Source {
  const isInside = (each: string) => resolve(root, each) === root || insideProject(root, each) !== undefined;
  if (!isInside(path)) return { status: "outside" };
  try {
    const real = realpathSync.native(resolve(root, path));
    if (!isInside(real)) return { status: "outside" };
    const stats = statSync(real);
    if (stats.isDirectory()) return { status: "directory" };
    if (!stats.isFile() || stats.size > maxSourceBytes) return { status: "unreadable" };
    return {
      status: "read",
      lines: readFileSync(real, "utf8")
        .replace(/\r?\n$/, "")
        .split(/\r?\n/),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { status: code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable" };
  }
}

/** The line, from 1, where a quote starts, nearest to `near`; undefined if it is not there. */
export function findQuote(lines: readonly string[], quote: string, near = 1): number | undefined {
  const [first = "", ...rest] = quote.split("\n");
  const startsAt = (line: string, index: number) =>
    rest.length === 0
      ? line.includes(first)
      : line.endsWith(first) &&
        lines
          .slice(index + 1, index + 1 + rest.length)
          .join("\n")
          .startsWith(rest.join("\n"));
  const found = lines.flatMap((line, index) => (startsAt(line, index) ? [index + 1] : []));
  return found.toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near))[0];
}
