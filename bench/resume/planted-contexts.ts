import { readFileSync } from "node:fs";
import { type HookOptions, runHooks } from "./claude-code.ts";

/** Started with `--import ./planted.ts`: reads the options from stdin, and prints the context. */
const { compactions, options } = JSON.parse(readFileSync(0, "utf8")) as {
  compactions: number;
  options: HookOptions;
};
process.stdout.write((await runHooks(compactions, options)).context);
