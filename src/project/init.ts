import { HoldfastError } from "../errors.ts";
import { readNotesFile, writeNotesFile } from "./notes-file.ts";
import type { Project } from "./project.ts";
import { templateText } from "./sections.ts";
import { holdLock } from "./working-files.ts";

/** Writes the template where the project's notes go; what is there already stays. */
export function initProject(project: Project): { name: string } {
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
    return { name: file.name };
  });
}
