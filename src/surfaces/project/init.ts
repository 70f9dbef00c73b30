import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import { type NotesFile, readNotesFile, writeNotesFile } from "./notes-md/file.ts";
import { templateText } from "./notes-md/sections.ts";
import type { Project } from "./project.ts";
import { isIgnored } from "./verify/git.ts";
import { holdLock } from "./verify/working-files.ts";

/** Writes the template where the project's notes go; what is there already stays. */
export function initProject(project: Project): { name: string; ignored: boolean } {
  const { file } = project;
  return holdLock(file, () => {
    if (readNotesFile(file)) {
      throw new HoldfastError(
        "conflict",
        `There is already a ${file.name}. Nothing was changed. Run "holdfast project lint" to see how it differs from the template.`,
        { data: { path: file.path } },
      );
    }
    writeNotesFile(file, templateText(project.now()));
    showToGit(file);
    return { name: file.name, ignored: isIgnored(file) };
  });
}

/** Our folder hides itself from git; the notes belong to the repository. */
function showToGit(file: NotesFile): void {
  const ignore = join(file.root, ".holdfast/.gitignore");
  if (file.name !== ".holdfast/NOTES.md") return;
  const known = existsSync(ignore) ? readFileSync(ignore, "utf8") : "*\n";
  if (known.includes("!NOTES.md")) return;
  const shown = "!.gitignore\n!NOTES.md\n";
  appendFileSync(ignore, existsSync(ignore) ? shown : known + shown, { mode: 0o600 });
}
