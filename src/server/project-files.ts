import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
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
        text: found.toString("utf8"),
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

/** The server's facts about the files that memory names. */
export interface ProjectFiles {
  /** Whether a reference names a file of the project, and whether that file still exists. */
  checkRef(ref: string): Promise<"present" | "stale" | "unchecked">;
}

export const noFiles: ProjectFiles = {
  checkRef: async () => "unchecked",
};

/** The files of the project in `directory`. Never looks outside of it. */
export function fileRefs(directory: string): ProjectFiles {
  const locate = async (ref: string): Promise<{ root: string; path: string } | undefined> => {
    const path = ref.trim().replace(/(?::\d+(?:[-:]\d+)?|#L?\d+(?:-L?\d+)?)$/, "");
    if (!looksLikeFile(path)) return undefined;
    const root = await realpath(directory).catch(() => resolve(directory));
    const absolute = resolve(root, path);
    return absolute.startsWith(root + sep) ? { root, path: absolute } : undefined;
  };
  return {
    async checkRef(ref) {
      const found = await locate(ref);
      if (!found) return "unchecked";
      try {
        return (await realpath(found.path)).startsWith(found.root + sep) ? "present" : "unchecked";
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === "ENOENT" ? "stale" : "unchecked";
      }
    },
  };
}

/** A path with a folder or an extension; not a URL, an issue number or a sentence. */
function looksLikeFile(path: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(path) && !/\s/.test(path) && /\/|\.[A-Za-z0-9]{1,8}$/.test(path);
}
