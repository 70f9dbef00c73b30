import { actionOf, diffOf } from "../hosts/install/show-changes.ts";
import type { FileChange } from "../hosts/install/write-changes.ts";
import { painterFor, printable } from "./terminal.ts";

/** Prints what happens to one file. */
export function showChange(file: FileChange): void {
  const paint = painterFor(process.stdout);
  const action = actionOf(file);
  console.log(`  ${paint("bold", `${action} ${file.path}`)}`);
  if (action === "unchanged") return;
  for (const line of diffOf(file)) {
    const style = line.startsWith("+") ? "green" : line.startsWith("-") ? "red" : "dim";
    console.log(`    ${paint(style, printable(line))}`);
  }
}
