import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { readNotesFile } from "../surfaces/project/file.ts";
import { lintProject } from "../surfaces/project/lint.ts";
import { openProject, type ProjectOptions } from "../surfaces/project/project.ts";
import type { Reply } from "./api.ts";
import type { ServerContext } from "./handlers.ts";

/** The project's NOTES.md, read and linted on every request. */
export interface ProjectReader {
  exists(): Promise<boolean>;
  read(): Promise<Reply<"project"> | undefined>;
}

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
        findings,
      };
    },
  };
}

/** Checks references to files of the project in `directory`. Never looks outside of it. */
export function refChecker(directory: string): ServerContext["checkRef"] {
  return async (ref) => {
    const path = ref.trim().replace(/(?::\d+(?:[-:]\d+)?|#L?\d+(?:-L?\d+)?)$/, "");
    if (!looksLikeFile(path)) return "unchecked";
    const root = await realpath(directory).catch(() => resolve(directory));
    const absolute = resolve(root, path);
    if (!absolute.startsWith(root + sep)) return "unchecked";
    try {
      return (await realpath(absolute)).startsWith(root + sep) ? "present" : "unchecked";
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ENOENT" ? "stale" : "unchecked";
    }
  };
}

/** A path with a folder or an extension; not a URL, an issue number or a sentence. */
function looksLikeFile(path: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(path) && !/\s/.test(path) && /\/|\.[A-Za-z0-9]{1,8}$/.test(path);
}
