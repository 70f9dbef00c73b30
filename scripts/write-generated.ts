import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { generatedFiles } from "./generated-files.ts";

for (const [path, content] of Object.entries(await generatedFiles())) {
  const file = join(import.meta.dirname, "..", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
