import { type Dirent, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type NotesFile, readNotesFile, updateFile } from "./file.ts";
import type { Answer, Project } from "./project.ts";
import { withoutMachinePaths } from "./references.ts";
import { refusal } from "./refusal.ts";

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
  return readNotesFile(inFolder(file, name))?.toString("utf8");
}

function inFolder({ root }: NotesFile, name: string): NotesFile {
  return { root, name, path: join(root, name) };
}

const maxStructureLength = 100_000;

/** Writes what was found out about a topic to its file. Git has the earlier text. */
export function documentStructure(
  { file }: Project,
  { text: topic, detail = "" }: { text: string; detail?: string | undefined },
): Answer {
  const name = `${discoveryFolder(file)}/${fileNameOf(topic)}.md`;
  if (detail.length > maxStructureLength)
    throw refusal(
      "over_limit",
      `"detail" has ${detail.length} characters; the limit is ${maxStructureLength}`,
      "Split it into topics",
      { limit: maxStructureLength },
    );
  const text = withHeading(topic.trim(), withoutMachinePaths(file.root, detail.trimEnd()));
  return updateFile(inFolder(file, name), (bytes) => ({
    text: bytes?.toString("utf8") === text ? undefined : text,
    result: { ok: true, text: `Documented in ${name}.`, id: name },
  }));
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
  throw refusal(
    "invalid_input",
    `The topic has no letter or digit to name a file with (got ${JSON.stringify(topic)})`,
    'Use a topic such as "API routes"',
    { topic },
  );
}
