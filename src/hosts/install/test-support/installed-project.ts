import { globSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/temporary.ts";
import { planInit, runInit } from "../init.ts";
import type { Places, Scope } from "../places.ts";
import { planUninstall, runUninstall } from "../uninstall.ts";

export const launcher = { command: "/opt/a b/no'de", args: ["/opt/$x/cli.js"] };

export function freshPlaces(scope: Scope = "project"): Places {
  const base = temporaryDirectory();
  const [root, home] = [join(base, "project"), join(base, "home")];
  mkdirSync(root);
  mkdirSync(home);
  return { scope, root, home, env: { PATH: "" } };
}

export async function init(places: Places, ...names: string[]): Promise<void> {
  runInit(await planInit(names, places, launcher), places);
}

export async function uninstall(places: Places, ...names: string[]): Promise<void> {
  runUninstall(await planUninstall(names, places), places);
}

export function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file and folder under the project and the home, with the bytes of the files. */
export function everything({ root }: Places): Record<string, string> {
  const base = dirname(root);
  const paths = globSync("**/*", { cwd: base, exclude: () => false }).concat(
    globSync("**/.*", { cwd: base }),
    globSync("**/.*/**", { cwd: base }),
  );
  return Object.fromEntries(
    [...new Set(paths)].toSorted().map((path) => {
      const full = join(base, path);
      return [path, lstatSync(full).isDirectory() ? "folder" : readFileSync(full, "latin1")];
    }),
  );
}

export function read({ root }: Places, file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** A hook of the user's, not ours. */
export const otherHook = { matcher: "Bash", hooks: [{ type: "command", command: "echo mine" }] };
