import { execFile } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Project } from "./project.ts";
import { severities } from "./template.ts";

const timeoutMilliseconds = 10_000;

/** Creates an issue with `bd` or `br`, or returns the reason of the failure. Never throws. */
export async function createBead(
  project: Project,
  issue: { title: string; severity: (typeof severities)[number]; reference: string },
): Promise<{ id: string } | { problem: string }> {
  if (!project.beads) return { problem: "Beads is turned off" };
  const program = findProgram(["bd", "br"]);
  if (program === undefined) return { problem: "neither bd nor br is on the PATH" };
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

function runTracker(
  project: Project,
  program: string,
  args: readonly string[],
): Promise<{ id: string } | { problem: string; refused: boolean }> {
  return new Promise((resolve) => {
    execFile(
      program,
      [...args],
      { cwd: project.file.root, timeout: timeoutMilliseconds, killSignal: "SIGKILL", maxBuffer: 1_000_000 },
      (error, stdout, stderr) => {
        const id = error ? undefined : findId(stdout);
        if (id !== undefined) resolve({ id });
        else {
          const why = error?.killed
            ? `it took more than ${timeoutMilliseconds / 1000} seconds`
            : error
              ? stderr.trim().split("\n")[0] || error.message
              : "its answer contains no id";
          resolve({
            problem: `${program} created no issue: ${why.slice(0, 200)}`,
            refused: error !== null && !error.killed,
          });
        }
      },
    ).on("error", () => undefined);
  });
}

/** The first of these programs on the PATH. Skips relative entries: they would run files of the project. */
function findProgram(names: readonly string[]): string | undefined {
  const directories = (process.env.PATH ?? "").split(delimiter).filter((each) => isAbsolute(each));
  for (const name of names) {
    for (const directory of directories) {
      const path = join(directory, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

/** Versions without `--json` print the id alone or in a sentence. */
const idInText =
  /(?:"id"\s{0,8}:\s{0,8}"|\b(?:issue|created|added)[:\s]{1,8}|^[ \t]{0,8}(?=\S{1,64}[ \t]{0,8}\r?$))((?!-)[\w.]{1,40}-[\w.-]{0,40}\w)(?=["\s:,.]|$)/im;

function findId(answer: string): string | undefined {
  const id = idInJson(answer) ?? idInText.exec(answer.slice(0, 10_000))?.[1];
  return typeof id === "string" && /^[\w.-]{1,64}$/.test(id) ? id : undefined;
}

function idInJson(answer: string): unknown {
  try {
    const parsed = JSON.parse(answer) as unknown;
    const first = (Array.isArray(parsed) ? parsed[0] : parsed) as { id?: unknown; issue?: { id?: unknown } };
    return first?.id ?? first?.issue?.id;
  } catch {
    return undefined;
  }
}
