import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder with Holdfast's package.json: the nearest one above this file, in a checkout or a build. */
export const packageRoot = findPackageRoot(import.meta.dirname);

function findPackageRoot(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return from;
}

export function packageVersion(): string {
  const text = readFileSync(join(packageRoot, "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
