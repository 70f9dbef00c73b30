// Draws the terminals in the docs, and writes the texts of docs/how-it-works.md, from runs of the program: node scripts/draw-terminals.ts
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { injectedTexts, withInjectedTexts } from "./pictures/injected-texts.ts";
import { terminalPictures } from "./pictures/real-runs.ts";

const docs = join(import.meta.dirname, "../docs");
for (const [name, svg] of Object.entries(terminalPictures())) writeFileSync(join(docs, "images", name), svg);

const page = join(docs, "how-it-works.md");
writeFileSync(page, withInjectedTexts(readFileSync(page, "utf8"), injectedTexts()));
