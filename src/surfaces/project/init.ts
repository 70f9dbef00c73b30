import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { type NotesFile, readNotesFile, writeNotesFile } from "./notes-md/file.ts";
import { templateText } from "./notes-md/sections.ts";
import type { Project } from "./project.ts";
import { isIgnored } from "./verify/git.ts";
import { holdLock } from "./verify/working-files.ts";

/** Writes the template to the project's notes file; never overwrites existing notes. */
export function initProject(project: Project): { name: string; ignored: boolean } {
  const { file } = project;
  return holdLock(file, () => {
    if (readNotesFile(file)) {
      throw new HoldfastError(
        "conflict",
        `${file.name} already exists. Nothing was changed. Run "holdfast project lint" to see how it differs from the template.`,
        { data: { path: file.path } },
      );
    }
    writeNotesFile(file, templateText(project.now()));
    unignore(file, "!NOTES.md");
    return { name: file.name, ignored: isIgnored(file) };
  });
}

/** `.holdfast` is ignored by git, but the notes and what is beside them belong in the repository. */
export function unignore(file: NotesFile, ...patterns: string[]): void {
  if (file.name !== ".holdfast/NOTES.md") return;
  const ignore = join(file.root, ".holdfast/.gitignore");
  const current = existsSync(ignore) ? readFileSync(ignore, "utf8") : "";
  const known = new Set(current.split("\n"));
  const wanted = [...(current === "" ? ["*"] : []), "!.gitignore", ...patterns];
  const missing = wanted.filter((line) => !known.has(line));
  if (missing.length === 0) return;
  const separator = current === "" || current.endsWith("\n") ? "" : "\n";
  appendFileSync(ignore, `${separator}${missing.join("\n")}\n`, { mode: 0o600 });
}
