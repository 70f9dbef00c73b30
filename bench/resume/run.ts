import { parseArgs } from "node:util";
import { exportTasks, importTasks } from "./exchange.ts";
import { staleFiles, writePage } from "./page.ts";
import { renderKinds, renderScores } from "./report.ts";
import { scores } from "./score.ts";
import { allTasks, staleStories } from "./tasks.ts";

/**
 * `npm run bench:resume -- --recorded` reproduces every figure from the recorded answers and lists those whose inputs have
 * changed. `--write` updates docs/benchmark.md and its picture. `export DIR` and `import DIR --model NAME` are for models without an API.
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
if (command !== undefined && directory === undefined) throw new Error(`${command} needs a folder.`);
if (command === "export" && directory) {
  const written = await exportTasks(directory);
  console.log(written.length === 0 ? "Everything is recorded." : written.join("\n"));
} else if (command === "import" && directory) {
  console.log((await importTasks(directory, values.model ?? "unknown")).join("\n"));
} else {
  if (!values.recorded) {
    if (!values.model) throw new Error("Pass --recorded, or --model provider:name.");
    const { runTasks } = await import("./ask-model.ts");
    await runTasks(values.model, values.grader ?? values.model);
  }
  const scored = await scores();
  console.log(`${renderScores(scored)}\n\n${renderKinds(scored)}\n`);
  if (values.write) writePage(scored);
  for (const file of staleFiles(scored)) {
    console.log(`${file} differs from the recorded results: pass --write.`);
    process.exitCode = 1;
  }
  const stale = (await allTasks()).flatMap((task) =>
    staleStories(task).map((story) => `${task.id}: ${story}`),
  );
  console.log(
    stale.length === 0
      ? "Every context, prompt and answer is as it was when it was recorded, byte for byte."
      : `Stale or missing, so ask again:\n${stale.join("\n")}`,
  );
  if (stale.length > 0) process.exitCode = 1;
}
