import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

/** The folder with Holdfast's package.json: the nearest one above this file, in a checkout or a build. */
export const packageRoot = findPackageRoot(import.meta.dirname);

function findPackageRoot(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return from;
}

export function packageVersion(): string {
  return manifest().version;
}

interface Manifest {
  version: string;
  /** Set when the repository is published. */
  repository?: { url: string };
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as Manifest;
}

/** The address of a page of the documentation of this version: in the repository, or else in the package. */
export function docsLink(page: string, { repository, version }: Manifest = manifest()): string {
  if (!repository) return pathToFileURL(join(packageRoot, "docs", `${page}.md`)).href;
  return `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/v${version}/docs/${page}.md`;
}
