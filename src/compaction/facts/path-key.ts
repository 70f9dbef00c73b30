/** The same for every spelling of a path: `./src/a.ts`, `src/../src/a.ts` and, if the root is known, the absolute path. */
export type PathKey = (path: string) => string;

/** `root` is the folder against which relative paths resolve; without it, an absolute path keeps a key of its own. */
export function pathKey(root = ""): PathKey {
  // The same few paths are asked for again and again.
  const known = new Map<string, string>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const isRelative = root.startsWith("/") && !path.startsWith("/") && isPlain(path);
    const key = tidyPath(isRelative ? `${root}/${path}` : path);
    known.set(path, key);
    return key;
  };
}

/** A path without `.`, `..` and doubled slashes, as far as they can be resolved without a file system. */
export function tidyPath(path: string): string {
  if (!isPlain(path) || (!/(?:^|\/)\.{0,2}(?:\/|$)/.test(path.slice(1)) && !path.startsWith("./")))
    return path;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !path.startsWith("/")) parts.push(part);
  }
  const tidy = parts.join("/");
  if (path.startsWith("/")) return `/${tidy}`;
  return tidy === "" ? "." : tidy;
}

/** Home folders, addresses and Windows paths resolve by rules of their own. */
function isPlain(path: string): boolean {
  return !path.startsWith("~") && !path.includes("\\") && !/^[a-z][\w+.-]*:/i.test(path);
}
