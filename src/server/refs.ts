import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";

/** Tells whether a reference names a file of the project that is still there. Files elsewhere are not looked for. */
export function fileRefs(directory: string): (ref: string) => Promise<"present" | "stale" | "unchecked"> {
  return async (ref) => {
    const path = ref.trim().replace(/(?::\d+(?:[-:]\d+)?|#L?\d+(?:-L?\d+)?)$/, "");
    if (!looksLikeFile(path)) return "unchecked";
    const root = await realpath(directory).catch(() => resolve(directory));
    const place = resolve(root, path);
    if (!place.startsWith(root + sep)) return "unchecked";
    try {
      const real = await realpath(place);
      return real.startsWith(root + sep) ? "present" : "unchecked";
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ENOENT" ? "stale" : "unchecked";
    }
  };
}

/** A path with a folder or an ending; no URL, no issue number, no sentence. */
function looksLikeFile(path: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(path) && !/\s/.test(path) && /\/|\.[A-Za-z0-9]{1,8}$/.test(path);
}
