import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Plants a fault into Holdfast as it is loaded, to show that the scores find it:
 * `HOLDFAST_PLANT=words node --import ./bench/survival/planted.ts bench/survival/slice.ts`.
 */
const faults: Record<string, { file: string; edits: readonly [find: string, replace: string][] }> = {
  /** A handoff without the user's words. */
  words: {
    file: "/src/compaction/handoff.ts",
    edits: [["messages.map((message) => hide(userWords(message)))", "[]"]],
  },
  /** A process that begins with an empty memory. */
  forgets: {
    file: "/bench/survival/systems/holdfast.ts",
    edits: [['join(directory, "memory.db") : "memory:"', '"memory:" : "memory:"']],
  },
};

const fault = faults[process.env.HOLDFAST_PLANT ?? ""];
if (!fault) throw new Error(`HOLDFAST_PLANT is one of: ${Object.keys(faults).join(", ")}.`);

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(fault.file)) return nextLoad(url, context);
    let source = readFileSync(fileURLToPath(url), "utf8");
    for (const [find, replace] of fault.edits) {
      if (!source.includes(find)) throw new Error(`${fault.file} no longer contains: ${find}`);
      source = source.replace(find, () => replace);
    }
    return { format: "module-typescript", source, shortCircuit: true };
  },
});
