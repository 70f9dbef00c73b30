import { HoldfastError } from "../../errors.ts";
import { maskMatches, maskOccurrences, maskSecrets } from "../../secrets/edit.ts";
import { readRegularFile } from "../../stores/regular-file.ts";
import { knowledgeOwner } from "../../surfaces/knowledge/knowledge.ts";
import { dropDerived, projectDocuments } from "../../workspace/derived-files.ts";
import { openExistingMemory } from "../../workspace/open-memory.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { atMostOne } from "../positionals.ts";
import { backupsOf, editBackup } from "../store-backups.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson, printLines } from "../terminal/screen.ts";

/** NOTES.md may not be larger. */
const maxDocument = 8_000_000;

const usage = "redact TEXT | --pattern REGEXP | --secrets [--backup FILE]…";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, {
    pattern: { type: "string" },
    secrets: { type: "boolean", default: false },
    backup: { type: "string", multiple: true, default: [] },
  });
  const edit = readEdit(atMostOne(positionals, "TEXT", usage), values.pattern, values.secrets);
  const memory = await openExistingMemory({ flags: values });
  try {
    const { sessions, values: count, remaining } = await memory.rewrite(edit);
    const owners = [memory.owner, knowledgeOwner(memory.owner)];
    const { project, store: place, config } = findWorkspace({ flags: values });
    dropDerived(project);
    const backups = backupsOf(place, "redact", values.backup);
    remaining.push(...backups.remaining);
    for (const path of backups.files) {
      const problem = await editBackup(path, edit, async (store) =>
        store.rewrite?.(owners, edit, Date.now()),
      );
      if (problem !== undefined) remaining.push(problem);
    }
    for (const path of projectDocuments(project, config.values["project.file"])) {
      const text = readRegularFile(path, { maxBytes: maxDocument })?.toString("utf8") ?? "";
      if (edit(text) !== text)
        remaining.push(
          `Not reached: ${path} is a document of the project and contains it too. Edit it yourself.`,
        );
    }
    const ids = sessions.map(({ sessionId }) => sessionId);
    if (values.json) printJson({ sessions: ids, values: count, remaining });
    else {
      printLines([
        ids.length === 0
          ? "Found nothing to redact."
          : `Redacted ${counted(count, "stored value")} in ${counted(ids.length, "session")}: ${ids.join(", ")}.`,
        ...remaining,
      ]);
    }
    return 0;
  } finally {
    await memory.close();
  }
}

/** Shorter texts occur everywhere. */
const minLength = 4;

function readEdit(
  text: string | undefined,
  pattern: string | undefined,
  secrets: boolean,
): (text: string) => string {
  if ([text !== undefined, pattern !== undefined, secrets].filter(Boolean).length !== 1)
    throw new HoldfastError("invalid_input", `Say what to redact, in one way. Usage: holdfast ${usage}`);
  if (secrets) return maskSecrets();
  if (text !== undefined) {
    if (text.length >= minLength) return maskOccurrences(text);
    throw new HoldfastError(
      "invalid_input",
      `${JSON.stringify(text)} is too short to redact: it would change unrelated text. Give at least ${minLength} characters, or --pattern.`,
    );
  }
  try {
    return maskMatches(new RegExp(pattern ?? "", "gu"));
  } catch (error) {
    throw new HoldfastError(
      "invalid_input",
      `--pattern ${JSON.stringify(pattern)} is not a regular expression: ${(error as Error).message}.`,
    );
  }
}
