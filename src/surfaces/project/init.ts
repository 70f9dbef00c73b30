import { HoldfastError } from "../../errors.ts";
import { readNotesFile, writeNotesFile } from "./notes-md/file.ts";
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
    return { name: file.name, ignored: isIgnored(file) };
  });
}
