import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Plants a fault into Holdfast as it is loaded, to show that the scores find it:
 * `HOLDFAST_PLANT=asks node --import ./bench/survival/planted.ts bench/survival/slice.ts`.
 */
const faults: Record<string, { file: string; find: string; replace: string }> = {
  /** A checkpoint without the user's open asks. */
  asks: {
    file: "/src/compaction/checkpoint.ts",
    find: "openAsks: openAsks(messages, to, earlier?.openAsks),",
    replace: "openAsks: [],",
  },
  /** An edit that keeps the old value beside the new one. */
  stale: {
    file: "/src/engine/edit-text.ts",
    find: "const text = replaceText(before, operation.find, operation.replace, operation.all);",
    replace: "const text = before + '\\n' + operation.replace;",
  },
  /** A process that begins with an empty memory. */
  forgets: {
    file: "/bench/survival/systems/holdfast.ts",
    find: 'join(directory, "memory.db") : "memory:"',
    replace: '"memory:" : "memory:"',
  },
};

const fault = faults[process.env.HOLDFAST_PLANT ?? ""];
if (!fault) throw new Error(`HOLDFAST_PLANT is one of: ${Object.keys(faults).join(", ")}.`);

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(fault.file)) return nextLoad(url, context);
    const source = readFileSync(fileURLToPath(url), "utf8");
    if (!source.includes(fault.find)) throw new Error(`${fault.file} no longer contains: ${fault.find}`);
    return {
      format: "module-typescript",
      source: source.replace(fault.find, () => fault.replace),
      shortCircuit: true,
    };
  },
});
