// Draws the README's terminals from runs of the program: node scripts/draw-terminals.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { terminalPictures } from "./pictures/real-runs.ts";

for (const [name, svg] of Object.entries(terminalPictures()))
  writeFileSync(join(import.meta.dirname, "../docs/images", name), svg);
