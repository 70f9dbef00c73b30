import { parseArgs } from "node:util";
import { estimateTokens } from "../../src/context/estimate-tokens.ts";
import { askModels, exportTasks, importTasks } from "./ask.ts";
import { guessedNames, problemsIn } from "./check.ts";
import { renderFigures, renderKinds, staleFiles, writePage } from "./page.ts";
import { type Answers, hashOf, readRecorded } from "./recorded.ts";
import { scores } from "./score.ts";
import { allTasks, graders, gradeTask } from "./tasks.ts";

/**
 * `npm run bench:resume -- --recorded` reproduces every figure from the recorded answers. It fails if an answer does not
 * rest on the context that was read, or if the page has other figures. It lists the contexts that are different today.
 * `--write` updates docs/benchmark.md and its picture. `export DIR` and `import DIR` are for models without an API.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string" },
    grader: { type: "string" },
    recorded: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const [command, directory] = positionals;
if (command !== undefined && !(["export", "import"].includes(command) && directory))
  throw new Error(`Pass "export DIR" or "import DIR --model NAME", not "${positionals.join(" ")}".`);
if (command === "export" && directory) {
  const written = await exportTasks(directory);
  const lines = written.map(
    ({ name, text }) => `${name}  ${estimateTokens(text).toLocaleString("en-US").padStart(7)} tokens`,
  );
  console.log(lines.length === 0 ? "Everything is recorded." : lines.join("\n"));
} else if (command === "import" && directory) {
  if (!values.model) throw new Error("Pass --model with the name of the model that wrote the answers.");
  const { recorded, problems } = importTasks(directory, values.model);
  const lines = [...recorded.map((text) => `recorded ${text}`), ...problems];
  console.log(lines.join("\n") || `${directory} has no task that is not recorded.`);
  if (problems.length > 0) process.exitCode = 1;
} else {
  if (values.model) await askModels(values.model, values.grader ?? values.model);
  else if (!values.recorded) throw new Error("Pass --recorded, or --model provider:name.");
  const scored = scores();
  console.log(`${renderFigures(scored)}\n\n${renderKinds(scored)}\n`);
  if (values.write) writePage(scored);
  const problems = [
    ...staleFiles(scored).map((file) => `${file} differs from the recorded results: pass --write.`),
    ...scored.flatMap(({ id }) => recordProblems(id)),
    ...gradeProblems(),
  ];
  console.log(
    problems.length === 0
      ? "Every answer rests on the context that its reader had, and every grade on these answers."
      : problems.join("\n"),
  );
  if (problems.length > 0) process.exitCode = 1;
  console.log(guesses(scored.map(({ id }) => id)));
  console.log(await changesSince());
}

/** Answers whose quote is not in the recorded context. */
function recordProblems(id: string): string[] {
  const { input = "", result } = readRecorded<Answers>(id) ?? {};
  return problemsIn("read", input, result).map((text) => `${id}: ${text}`);
}

/** Readers may guess, and graders judge it. A reader that guesses right has seen more than its context. */
function guesses(ids: readonly string[]): string {
  const found = ids.flatMap((id) => {
    const { input = "", result = {} } = readRecorded<Answers>(id) ?? {};
    return Object.entries(result).flatMap(([question, { answer }]) =>
      guessedNames(input, answer).map((name) => `${id}, ${question}: ${name}`),
    );
  });
  return found.length === 0
    ? "No answer has a number or a path that its reader was not shown."
    : `Numbers and paths in answers that their readers were not shown:\n${found.join("\n")}`;
}

function gradeProblems(): string[] {
  const found = new Set(scores().map(({ compactions }) => compactions));
  return [...found].flatMap((depth) =>
    graders.flatMap((grader) => {
      const { id, prompt, input } = gradeTask(depth, grader);
      return readRecorded(id)?.hash === hashOf(`${prompt}\n${input}`) ? [] : [`${id} graded other answers.`];
    }),
  );
}

/** Compares today's contexts with those that were read: wording changes, and the recorded figures stay. */
async function changesSince(): Promise<string> {
  const tasks = await allTasks(({ isPeer }) => !isPeer);
  const changes = tasks.flatMap(({ id, kind, prompt, input }) => {
    const recorded = readRecorded(id);
    if (!recorded) return [`${id}: not recorded`];
    if (recorded.hash === hashOf(`${prompt}\n${input}`) || kind === "grade") return [];
    if (recorded.input === undefined) return [`${id}: the prompt has other words`];
    const lines = input.split("\n");
    const before = new Set(recorded.input.split("\n"));
    const other = lines.filter((line) => !before.has(line)).length;
    return [`${id}: ${other} of ${lines.length} lines are different`];
  });
  const notMade = "Contexts of peers that npm install does not bring are not made again.";
  if (changes.length === 0)
    return `Every context is today as it was when it was read, byte for byte. ${notMade}`;
  return `Different today from what was read (the figures are of what was read):\n${changes.join("\n")}\n${notMade}`;
}
