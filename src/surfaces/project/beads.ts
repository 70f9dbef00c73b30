import { type ExecFileException, execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import { severities } from "./layout.ts";
import type { Project } from "./project.ts";

const timeoutMilliseconds = 10_000;

/** Creates an issue with `bd`, or returns the reason of the failure. Never throws. */
export async function createBead(
  project: Project,
  issue: { title: string; severity: (typeof severities)[number]; reference: string },
): Promise<{ id: string } | { problem: string }> {
  if (!project.beads) return { problem: "Beads is turned off" };
  const program = findProgram("bd");
  if (program === undefined) return { problem: "bd is not on the PATH" };
  // A title that starts with a dash would be parsed as an option.
  const title = issue.title.startsWith("-") ? `Fix: ${issue.title}` : issue.title;
  const added = [
    "add",
    "--priority",
    issue.severity.toLowerCase(),
    "--title",
    title,
    "--ref",
    issue.reference,
  ];
  const first = await runTracker(project, program, added);
  // It accepted the form, so asking again could create a second issue.
  if ("id" in first || !first.refused) return first;
  // This tracker does not take the protocol's form, so use the one of today's Beads.
  const priority = String(severities.length - 1 - severities.indexOf(issue.severity));
  const description = `${issue.reference} in ${project.file.name}`;
  const created = ["create", title, "--priority", priority, "--description", description, "--json"];
  return runTracker(project, program, created);
}

async function runTracker(
  { file: { root } }: Project,
  program: string,
  args: readonly string[],
): Promise<{ id: string } | { problem: string; refused: boolean }> {
  const options = {
    cwd: root,
    timeout: timeoutMilliseconds,
    killSignal: "SIGKILL",
    maxBuffer: 1_000_000,
  } as const;
  const failed = (why: string, refused: boolean) => ({
    problem: `${program} created no issue: ${why.slice(0, 200)}`,
    refused,
  });
  try {
    const { stdout } = await promisify(execFile)(program, args, options);
    const id = findId(stdout);
    return id === undefined ? failed("its answer contains no id", false) : { id };
  } catch (error) {
    const { killed, stderr = "", message } = error as ExecFileException;
    if (killed) return failed(`it took more than ${timeoutMilliseconds / 1000} seconds`, false);
    return failed(stderr.trim().split("\n")[0] || message, true);
  }
}

/** The program on the PATH. Skips relative entries: they would run files of the project. */
function findProgram(name: string): string | undefined {
  const directories = (process.env.PATH ?? "").split(delimiter).filter((each) => isAbsolute(each));
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The id in JSON, or the first word of a text that looks like one: `bd-x7y8`. */
function findId(answer: string): string | undefined {
  return /"id"\s{0,8}:\s{0,8}"([\w.-]{1,64})"|(?<![\w-])([A-Za-z]{1,20}-[a-z0-9.]{1,20})(?![\w-])/
    .exec(answer.slice(0, 10_000))
    ?.slice(1)
    .find((id) => id !== undefined);
}
