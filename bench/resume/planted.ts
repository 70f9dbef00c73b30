import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Plants a fault into Holdfast as it is loaded, to show that readers find it:
 * `HOLDFAST_PLANT=words node --import ./bench/resume/planted.ts bench/resume/planted-contexts.ts`.
 */
const faults: Record<string, { file: string; edits: readonly [find: string, replace: string][] }> = {
  /** A handoff without the user's words. */
  words: {
    file: "/src/compaction/handoff.ts",
    edits: [
      ["messages.map((message) => hide(userWords(message)))", "[]"],
      [
        "const steps = readSteps(messages, { folder, hide });",
        'const steps = readSteps(messages.filter(({ message }) => message.role !== "user"), { folder, hide });',
      ],
      ["messages.every(isShown) ? steps : readSteps(messages.filter(isShown), { folder, hide })", "steps"],
    ],
  },
  /** A handoff that is a list of the names in the conversation. */
  names: {
    file: "/src/compaction/handoff.ts",
    edits: [
      [
        "const write = () => {",
        `const text_ = [...parts.earlier.flat().map((line) => line.text), ...parts.steps.map((step) => step.render(420))].join(" ");
  const names = new Set(text_.match(/[\\w.-]+(?:\\/[\\w.-]+)+|\\b[\\w-]+\\.[a-z]{2,4}\\b/g) ?? []);
  saidLines.length = planLines.length = 0;
  done.splice(0, done.length, ...[...names].map((name) => "- " + name));
  const write = () => {`,
      ],
    ],
  },
  /** A notepad that is not shown again. */
  notepad: {
    file: "/src/hosts/hook/memory-text.ts",
    edits: [['if (notepad === "" || !state)', "if (notepad !== undefined)"]],
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
