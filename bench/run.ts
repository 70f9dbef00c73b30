import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { growthFigures } from "./growth.ts";
import { hookFigures } from "./hook.ts";
import { mcpFigures } from "./mcp.ts";
import { type Figure, formatFigure, met } from "./measure.ts";
import { turnFigures } from "./turn.ts";

/** Prints what users notice, each figure next to its baseline and with its target. Exits with 1 when a target is missed. */
const parts: [name: string, measure: (directory: string) => Promise<Figure[]>][] = [
  ["hooks", hookFigures],
  ["MCP", mcpFigures],
  ["turns", turnFigures],
  ["growth over a year", growthFigures],
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
