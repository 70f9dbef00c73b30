import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLineFigures } from "./command-line.ts";
import { contextFigures } from "./context.ts";
import { forkFigures } from "./fork.ts";
import { hookFigures } from "./hook.ts";
import { mcpFigures } from "./mcp.ts";
import { type Figure, formatFigure, met } from "./measure.ts";
import { planFigures } from "./plan.ts";
import { projectFigures } from "./project.ts";
import { sandboxFigures } from "./sandbox.ts";
import { searchFigures } from "./search.ts";
import { turnFigures } from "./turn.ts";
import { writeFigures } from "./write.ts";

/** Prints every figure with its target. Exits with 1 when a target is missed. */
const parts: [name: string, measure: (directory: string) => Promise<Figure[]>][] = [
  ["writing", writeFigures],
  ["context and resuming", contextFigures],
  ["forking", forkFigures],
  ["searching", searchFigures],
  ["turns", turnFigures],
  ["checkpoint", planFigures],
  ["sandbox", sandboxFigures],
  ["project memory", projectFigures],
  ["MCP", mcpFigures],
  ["command line", commandLineFigures],
  ["hooks", hookFigures],
];

const only = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
let missed = 0;
try {
  for (const [name, measure] of parts) {
    if (only.length > 0 && !only.some((text) => name.includes(text))) continue;
    console.log(`\n${name}`);
    for (const figure of await measure(directory)) {
      console.log(formatFigure(figure));
      if (!met(figure)) missed++;
    }
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
console.log(missed === 0 ? "\nAll targets met." : `\nMissed ${missed} target${missed === 1 ? "" : "s"}.`);
process.exitCode = missed === 0 ? 0 : 1;
