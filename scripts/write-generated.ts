import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatedFiles } from "./generated-files.ts";

for (const [path, content] of Object.entries(generatedFiles()))
  writeFileSync(join(import.meta.dirname, "..", path), content);
