import { statSync } from "node:fs";
import { readNotesFile } from "../surfaces/project/file.ts";
import { lintProject } from "../surfaces/project/lint.ts";
import { openProject, type ProjectOptions } from "../surfaces/project/project.ts";
import type { Reply } from "./api.ts";

/** The project's NOTES.md, read and linted on every request. */
export interface ProjectReader {
  exists(): Promise<boolean>;
  read(): Promise<Reply<"project"> | undefined>;
}

/** Rules whose findings change how the file is read; the other rules are about style. */
const serious: readonly string[] = ["readable"];

/** The NOTES.md of the project in `root`, with the linter's findings. */
export function projectNotes(root: string, options: Omit<ProjectOptions, "root"> = {}): ProjectReader {
  const project = openProject({ ...options, root });
  return {
    exists: async () => readNotesFile(project.file) !== undefined,
    async read() {
      const { file } = project;
      const found = readNotesFile(file);
      if (!found) return undefined;
      const { findings } = await lintProject(project);
      return {
        path: file.name,
        text: found.bytes.toString("utf8"),
        updatedAt: statSync(file.path, { throwIfNoEntry: false })?.mtimeMs ?? null,
        findings: findings.map(({ rule, line, message }) => ({
          rule,
          severity: serious.includes(rule) ? ("error" as const) : ("warning" as const),
          line,
          message,
        })),
      };
    },
  };
}
