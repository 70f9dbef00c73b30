import { type Dirent, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { HoldfastError } from "../../errors.ts";
import type { Answer } from "./entries.ts";
import { holdLock, type NotesFile, readNotesFile, writeNotesFile } from "./file.ts";
import type { Project } from "./project.ts";
import { withoutMachinePaths } from "./references.ts";

/** The folder next to NOTES.md for what was found out about the structure of the code. */
const folderName = "discovery";

/** The folder's path relative to the root, with forward slashes. */
function discoveryFolder({ name }: NotesFile): string {
  const parent = dirname(name);
  return parent === "." ? folderName : `${parent}/${folderName}`;
}

/** Its files, relative to the root, in alphabetical order. */
export function discoveryFiles(file: NotesFile): string[] {
  const folder = discoveryFolder(file);
  let entries: Dirent[];
  try {
    entries = readdirSync(join(file.root, folder), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
    .map(({ name }) => `${folder}/${name}`)
    .sort();
}

/** The text of one of its files; undefined if it does not exist. Links are refused. */
export function readDiscovery(file: NotesFile, name: string): string | undefined {
  return readNotesFile(inFolder(file, name))?.bytes.toString("utf8");
}

function inFolder({ root }: NotesFile, name: string): NotesFile {
  return { root, name, path: join(root, name) };
}

const maxStructureLength = 100_000;

/** Writes what was found out about a topic to its file. Git has the earlier text. */
export function documentStructure(project: Project, topic: string, content: string): Answer {
  const { file } = project;
  const name = `${discoveryFolder(file)}/${fileNameOf(topic)}.md`;
  if (content.length > maxStructureLength)
    throw new HoldfastError(
      "over_limit",
      `"detail" has ${content.length} characters; the limit is ${maxStructureLength}. Nothing was changed. Split it into topics.`,
      { data: { limit: maxStructureLength } },
    );
  const text = withHeading(topic.trim(), withoutMachinePaths(file.root, content.trimEnd()));
  return holdLock(file, () => {
    const before = readDiscovery(file, name);
    if (before !== text) writeNotesFile(inFolder(file, name), text);
    return { ok: true, text: `Documented in ${name}.`, id: name };
  });
}

function withHeading(topic: string, text: string): string {
  return /^#{1,6}\s/.test(text) ? `${text}\n` : `# ${topic.replace(/\s+/g, " ")}\n\n${text}\n`;
}

const maxNameLength = 60;

/** "API routes" becomes "api-routes". */
function fileNameOf(topic: string): string {
  const name = topic
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, maxNameLength)
    .toWellFormed()
    .replace(/^-+|-+$|\ufffd/g, "");
  if (name !== "") return name;
  throw new HoldfastError(
    "invalid_input",
    `The topic has no letter or digit to name a file with (got ${JSON.stringify(topic)}). Nothing was changed. Use a topic such as "API routes".`,
    { data: { topic } },
  );
}
