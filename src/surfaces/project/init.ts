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
    unignoreNotes(file);
    return { name: file.name, ignored: isIgnored(file) };
  });
}

/** `.holdfast` is ignored by git, but the notes belong in the repository. */
function unignoreNotes(file: NotesFile): void {
  const ignore = join(file.root, ".holdfast/.gitignore");
  if (file.name !== ".holdfast/NOTES.md") return;
  const current = existsSync(ignore) ? readFileSync(ignore, "utf8") : "*\n";
  if (current.includes("!NOTES.md")) return;
  const exceptions = "!.gitignore\n!NOTES.md\n";
  appendFileSync(ignore, existsSync(ignore) ? exceptions : current + exceptions, { mode: 0o600 });
}
