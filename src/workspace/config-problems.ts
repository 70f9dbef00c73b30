import { HoldfastError } from "../errors.ts";
import type { WorkspaceConfig } from "./config.ts";
import { type ConfigProblem, maxConfigBytes } from "./config-file.ts";
import { readRegularFile } from "./small-file.ts";

/** One sentence for each problem, with the file and the line. */
export async function explainProblems({ problems }: Pick<WorkspaceConfig, "problems">): Promise<string[]> {
  const explained: string[] = [];
  for (const problem of problems) {
    const { file, path, message } = problem;
    const place =
      file === undefined ? "" : `${file}${await lineOf(file, path)}${path.length === 0 ? " " : ": "}`;
    explained.push(`${place}${message}${message.endsWith("?") ? "" : "."}`);
  }
  return explained;
}

/** Throws on the first problem. For commands that a person runs: nothing is done with half of the settings. */
export async function requireValid(config: Pick<WorkspaceConfig, "problems">): Promise<void> {
  if (config.problems.length === 0) return;
  const [first = "", ...more] = await explainProblems(config);
  const others =
    more.length === 0
      ? ""
      : ` There ${more.length === 1 ? "is 1 more problem" : `are ${more.length} more problems`}: run "holdfast config".`;
  throw new HoldfastError("invalid_input", `${first}${others}`, {
    data: { problems: config.problems.length },
  });
}

/** ":LINE" of a value, or of the first mistake in a file that is not JSON. Loaded late: most files have no problem. */
async function lineOf(file: string, path: ConfigProblem["path"]): Promise<string> {
  try {
    const text = readRegularFile(file, { maxBytes: maxConfigBytes, followLinks: true })?.toString("utf8");
    if (text === undefined) return "";
    const { findNodeAtLocation, parseTree } = await import("jsonc-parser");
    const mistakes: { offset: number }[] = [];
    const tree = parseTree(text, mistakes as Parameters<typeof parseTree>[1]);
    const node = tree && findNodeAtLocation(tree, [...path]);
    const offset = path.length === 0 ? mistakes[0]?.offset : (node?.parent?.offset ?? node?.offset);
    return offset === undefined ? "" : `:${text.slice(0, offset).split("\n").length}`;
  } catch {
    return "";
  }
}
