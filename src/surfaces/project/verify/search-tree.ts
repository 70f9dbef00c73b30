import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { renderReference } from "./references.ts";

const skippedDirectories = new Set([".git", "node_modules", "grimoires", "dist", "build", "target", ".venv"]);
const maxFileBytes = 1_000_000;

/**
 * Searches the project for quotes and file names: returns the first location of each quote, and the file for each name
 * that is unique. Gives up after the given time.
 */
export function searchTree(
  root: string,
  targets: readonly { quote: string | undefined; name: string }[],
  milliseconds: number,
): (string | undefined)[] {
  const deadline = performance.now() + milliseconds;
  const quotes = new Map<string, string | undefined>();
  const names = new Map<string, string[]>();
  for (const { quote, name } of targets) {
    if (quote === undefined) names.set(name, []);
    else quotes.set(quote, undefined);
  }
  let remaining = quotes.size;
  for (const path of walk(root, "", deadline)) {
    names.get(path.split("/").at(-1) ?? "")?.push(path);
    const text = remaining > 0 ? readSmall(join(root, path)) : undefined;
    if (text === undefined) continue;
    for (const [quote, location] of quotes) {
      const at = location === undefined ? text.indexOf(quote) : -1;
      if (at === -1) continue;
      quotes.set(quote, renderReference(path, text.slice(0, at).split("\n").length));
      remaining--;
    }
  }
  return targets.map(({ quote, name }) => {
    if (quote !== undefined) return quotes.get(quote);
    const [only, ...others] = names.get(name) ?? [];
    return only !== undefined && others.length === 0 ? renderReference(only) : undefined;
  });
}

/** The files below a directory, without links, until the deadline. */
function* walk(root: string, directory: string, deadline: number): Generator<string> {
  let entries: Dirent[];
  try {
    entries = readdirSync(join(root, directory), { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    if (performance.now() > deadline) return;
    const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !skippedDirectories.has(entry.name)) yield* walk(root, path, deadline);
  }
}

function readSmall(path: string): string | undefined {
  try {
    return statSync(path).size > maxFileBytes
      ? undefined
      : readFileSync(path, "utf8").replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}
