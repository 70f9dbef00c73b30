import { rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "./small-file.ts";

/**
 * Removes what Holdfast keeps beside the store to start faster, and makes again when it is needed: it may contain parts of
 * what was redacted or purged.
 */
export function dropDerived(directory: string): void {
  rmSync(join(directory, "cache"), { recursive: true, force: true });
  const links = join(directory, "links");
  for (const name of namesIn(links))
    if (name.startsWith("rules-")) rmSync(join(links, name), { force: true });
}
