import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const maxCharacters = 160;

/** The error in what a process has written, in one line and without the path of this checkout. */
export function errorIn(stderr: string): string {
  const at = stderr.search(/^\w*Error: /m);
  const text = at === -1 ? (stderr.trim().split("\n").at(-1) ?? "") : stderr.slice(at);
  return text.replaceAll(root, ".").replaceAll(/\s+/g, " ").slice(0, maxCharacters).trim() || "it failed";
}
