import { HoldfastError } from "../../errors.ts";
import type { Project } from "../../workspace/project.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { keepOwnRun } from "./last-failure.ts";
import { runProgram } from "./run-program.ts";
import { openScratchSession } from "./scratch-session.ts";

const check = "canary";
/** Max milliseconds that a host waits for a hook. */
const limit = 10_000;

/** Saves a word, runs the hook as the host would, and looks for the word in its answer. */
export async function checkCanary(
  host: string,
  { line, startEvent }: { line: string; startEvent: string },
  project: Project,
  remedy: string,
): Promise<Finding[]> {
  let scratch: Awaited<ReturnType<typeof openScratchSession>>;
  try {
    scratch = await openScratchSession(host, project);
  } catch (error) {
    return [
      problem("store", storeProblem(error), `Make ${project.directory} writable, or repair the store.`),
    ];
  }
  const started = Date.now();
  let isBack = false;
  try {
    const payload = {
      session_id: scratch.hostSession,
      cwd: project.root,
      hook_event_name: startEvent,
      source: "startup",
    };
    const input = JSON.stringify(payload);
    const run = await runProgram(line, [], { cwd: project.root, input, limit, shell: true });
    const lastLine = run.stderr.trim().split("\n").at(-1) ?? "";
    const trouble = run.trouble ?? (run.code === 0 ? "" : `exit code ${run.code}`);
    isBack = run.stdout.includes(scratch.canary);
    if (isBack) {
      return [ok(check, "saved memory comes back from the hook"), ok("hook", `${run.milliseconds} ms`)];
    }
    const why =
      [trouble, lastLine].filter((text) => text !== "").join(": ") || "its answer does not contain it";
    return [problem(check, `The hook (${line}) did not return saved memory: ${why}`, remedy)];
  } finally {
    await scratch.close();
    // The finding reports this failure already, and no agent was affected.
    if (!isBack) keepOwnRun(project.directory, { from: started, to: Date.now() });
  }
}

function storeProblem(error: unknown): string {
  if (error instanceof HoldfastError) return error.message;
  return `Cannot write to the store: ${(error as Error).message}`;
}
