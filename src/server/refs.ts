import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";

/** Checks whether a reference names a file of the project that still exists. Never looks outside the project. */
export function fileRefs(directory: string): (ref: string) => Promise<"present" | "stale" | "unchecked"> {
  return async (ref) => {
    const path = ref.trim().replace(/(?::\d+(?:[-:]\d+)?|#L?\d+(?:-L?\d+)?)$/, "");
    if (!looksLikeFile(path)) return "unchecked";
    const root = await realpath(directory).catch(() => resolve(directory));
    const absolute = resolve(root, path);
    if (!absolute.startsWith(root + sep)) return "unchecked";
    try {
      const real = await realpath(absolute);
      return real.startsWith(root + sep) ? "present" : "unchecked";
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ENOENT" ? "stale" : "unchecked";
    }
  };
}

/** A path with a folder or an extension; not a URL, an issue number or a sentence. */
function looksLikeFile(path: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(path) && !/\s/.test(path) && /\/|\.[A-Za-z0-9]{1,8}$/.test(path);
}
