import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { renderReference } from "./references.ts";

const skipped = new Set([
  ".git",
  "node_modules",
  ".holdfast",
  "grimoires",
  "dist",
  "build",
  "target",
  ".venv",
]);
const largestFile = 1_000_000;

/**
 * Where in the project quotes, or files of a name, are now: the first place for a quote, the only file for a name.
 * Gives up when the time is over.
 */
export function searchTree(
  root: string,
  wanted: readonly { quote: string | undefined; name: string }[],
  milliseconds: number,
): (string | undefined)[] {
  const deadline = performance.now() + milliseconds;
  const quotes = new Map<string, string | undefined>();
  const names = new Map<string, string[]>();
  for (const { quote, name } of wanted) {
    if (quote === undefined) names.set(name, []);
    else quotes.set(quote, undefined);
  }
  let open = quotes.size;
  for (const path of walk(root, "", deadline)) {
    names.get(path.split("/").at(-1) ?? "")?.push(path);
    const text = open > 0 ? readSmall(join(root, path)) : undefined;
    if (text === undefined) continue;
    for (const [quote, place] of quotes) {
      const at = place === undefined ? text.indexOf(quote) : -1;
      if (at === -1) continue;
      quotes.set(quote, renderReference(path, text.slice(0, at).split("\n").length));
      open--;
    }
  }
  return wanted.map(({ quote, name }) => {
    if (quote !== undefined) return quotes.get(quote);
    const [only, ...others] = names.get(name) ?? [];
    return only !== undefined && others.length === 0 ? renderReference(only) : undefined;
  });
}

/** The files below a directory, links left aside, until the time is over. */
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
    else if (entry.isDirectory() && !skipped.has(entry.name)) yield* walk(root, path, deadline);
  }
}

function readSmall(path: string): string | undefined {
  try {
    return statSync(path).size > largestFile
      ? undefined
      : readFileSync(path, "utf8").replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}
