import { execFileSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { build, type UserConfig } from "tsdown";
import configs from "../../tsdown.config.ts";

const root = join(import.meta.dirname, "../..");

interface Manifest {
  version: string;
  files: string[];
  dependencies?: Record<string, string>;
}

export interface Installed {
  /** The directory in which the package is installed. */
  project: string;
  /** The program, as the link in node_modules/.bin names it. */
  cli: string;
  packages: string[];
  /** Their size on the disk. */
  megabytes: number;
}

/** Builds what npm publishes into a folder, without type declarations. */
export async function buildPackage(stage: string): Promise<void> {
  const dist = join(stage, "dist");
  for (const config of configs as UserConfig[]) {
    const isPage = config.platform === "browser";
    await build({
      cwd: root,
      ...config,
      config: false,
      outDir: isPage ? join(dist, "inspector") : dist,
      clean: false,
      dts: false,
      logLevel: "silent",
    });
  }
  const published = manifestIn(root).files.filter((name) => name !== "dist");
  for (const name of globSync(["package.json", ...published], { cwd: root }))
    cpSync(join(root, name), join(stage, name), { recursive: true });
}

/** Packs the stage and installs the tarball as npm would, with the dependencies that are here already. */
export function installPackage(stage: string, project: string): Installed {
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm]] : ["npm", []];
  execFileSync(command, [...args, "pack", "--silent", "--ignore-scripts"], { cwd: stage, stdio: "ignore" });
  const modules = join(project, "node_modules");
  const own = join(modules, "holdfast");
  mkdirSync(own, { recursive: true });
  const tarball = join(stage, `holdfast-${manifestIn(stage).version}.tgz`);
  execFileSync("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"]);
  const others = [...closure(own)].toSorted();
  addPackages(project, others);
  const folders = [own, ...others.map((name) => join(root, "node_modules", name))];
  const megabytes = folders.map(sizeOf).reduce((sum, size) => sum + size, 0);
  return { project, cli: join(own, "dist/cli.js"), packages: ["holdfast", ...others], megabytes };
}

/** Installs packages that are here already. */
export function addPackages(project: string, names: readonly string[]): void {
  for (const name of names) {
    const path = join(project, "node_modules", name);
    mkdirSync(join(path, ".."), { recursive: true });
    if (!existsSync(path)) symlinkSync(join(root, "node_modules", name), path, "junction");
  }
}

/** The packages that a package needs, and those that they need. */
function closure(folder: string, seen = new Set<string>()): Set<string> {
  for (const name of Object.keys(manifestIn(folder).dependencies ?? {})) {
    if (seen.has(name)) continue;
    seen.add(name);
    closure(join(root, "node_modules", name), seen);
  }
  return seen;
}

function sizeOf(folder: string): number {
  const paths = globSync("**/*", { cwd: folder }).map((path) => statSync(join(folder, path)));
  return paths.reduce((sum, { blocks }) => sum + blocks * 512, 0) / 2 ** 20;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
