import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { actionOf, diffOf } from "../hosts/install/show-changes.ts";
import type { FileChange } from "../hosts/install/write-changes.ts";
import { painterFor, printable } from "./terminal/paint.ts";

/** Parses the arguments of a host command, which has no store options. */
export function readHostArguments<Options extends ParseArgsOptionsConfig>(args: string[], options: Options) {
  const json = { type: "boolean", default: false } as const;
  return parseArgs({ args, options: { json, ...options }, allowPositionals: true, strict: true });
}

/** Prints the change to one file. */
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
