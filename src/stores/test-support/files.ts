import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Names and content hashes of a directory, to verify that nothing changed. */
export function fingerprint(directory: string): string[] {
  return readdirSync(directory)
    .sort()
    .flatMap((name) => {
      const path = join(directory, name);
      if (statSync(path).isDirectory()) return fingerprint(path).map((inner) => `${name}/${inner}`);
      return [`${name} ${createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 16)}`];
    });
}
