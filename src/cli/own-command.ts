import { basename, dirname } from "node:path";
import { findLauncher, shellLine } from "../hosts/install/launcher.ts";
import { packageRoot } from "../workspace/package.ts";

/** The words with which the person can start this program again: `holdfast` if the shell finds it. */
export function ownCommand(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (findLauncher(env).command === "holdfast") return "holdfast";
  if (basename(dirname(packageRoot)) === "node_modules") return "npx holdfast";
  return shellLine(["npm", "--prefix", packageRoot, "run", "holdfast", "--"]);
}
