import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** Plants a fault into a source file as it is loaded: `PLANTED='{"file","find","replace"}' node --import ./test/support/plant.ts`. */
const { file, find, replace } = JSON.parse(process.env.PLANTED ?? "{}") as Record<
  "file" | "find" | "replace",
  string
>;

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(file)) return nextLoad(url, context);
    const source = readFileSync(fileURLToPath(url), "utf8");
    if (!source.includes(find)) throw new Error(`${file} no longer contains: ${find}`);
    return { format: "module-typescript", source: source.replace(find, () => replace), shortCircuit: true };
  },
});
