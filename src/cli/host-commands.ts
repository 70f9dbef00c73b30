import { homedir } from "node:os";
import { isAbsolute, relative, sep } from "node:path";
import { actionOf, diffOf } from "../hosts/install/show-changes.ts";
import type { FileChange } from "../hosts/install/write-changes.ts";
import { screenOf } from "./terminal/screen.ts";
import { visibleText } from "./terminal/visible-text.ts";

/** A path in the project relative to its root, one in the home folder with ~, any other as it is. */
function pathIn(root: string, path: string): string {
  const isBelow = (short: string) => !short.startsWith("..") && !isAbsolute(short);
  const short = relative(root, path);
  if (isBelow(short)) return short;
  const inHome = relative(process.env.HOME || homedir(), path);
  return isBelow(inHome) ? `~${sep}${inHome}` : path;
}

/** Prints what happens to one file, by its path in the project; with `hasDiff`, line by line. */
export function showChange(file: FileChange, root: string, hasDiff: boolean): void {
  const { paint } = screenOf();
  const action = actionOf(file);
  const lines = action === "unchanged" ? [] : diffOf(file);
  const added = lines.filter((line) => line.startsWith("+")).length;
  const removed = lines.filter((line) => line.startsWith("-")).length;
  const size = [added > 0 ? `+${added}` : "", removed > 0 ? `-${removed}` : ""].filter((part) => part !== "");
  const facts = size.length === 0 ? "" : paint("dim", `  ${size.join(" ")} lines`);
  console.log(`  ${action.padEnd(9)} ${paint("bold", pathIn(root, file.path))}${facts}`);
  if (!hasDiff) return;
  for (const line of lines) {
    const style = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
    console.log(`    ${paint(style, visibleText(line))}`);
  }
}
