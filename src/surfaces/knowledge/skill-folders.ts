import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { parse } from "yaml";
import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { findSkillFault, type SkillSource, type SkillSummary } from "./tools.ts";

/** Where agents keep skills in a project, highest precedence first. */
export const defaultSkillFolders = [".claude/skills", ".agents/skills", "skills"];

/** A longer text would not fit any context. */
const maxFileBytes = 1_000_000;

const maxListedFiles = 100;

/**
 * Skills in the open Agent Skills format: one folder per skill, with a SKILL.md in it. A broken skill is skipped with a
 * warning that names it.
 */
export function skillFolders(
  root: string,
  { folders = defaultSkillFolders }: { folders?: readonly string[] } = {},
): SkillSource {
  return {
    async list() {
      const { skills, warnings } = await findSkills(root, folders);
      return {
        skills: skills.map(({ name, description, source }) => ({ name, description, source })),
        warnings,
      };
    },
    async read(name, file) {
      const { skills } = await findSkills(root, folders);
      const skill = skills.find((each) => each.name === name);
      if (!skill) return undefined;
      const directory = resolve(root, skill.source);
      return file === undefined
        ? { content: skill.content, files: await listFiles(directory) }
        : { content: await readInside(directory, file), files: [] };
    },
  };
}

/** A skill in a folder. `source` is the folder's path, relative to the project. */
interface FolderSkill extends SkillSummary {
  content: string;
}

async function findSkills(
  root: string,
  folders: readonly string[],
): Promise<{ skills: FolderSkill[]; warnings: string[] }> {
  const skills = new Map<string, FolderSkill>();
  const warnings: string[] = [];
  for (const folder of folders) {
    const path = resolve(root, folder);
    const names = (await readdir(path).catch(() => [])).sort();
    const read = await Promise.all(names.map((name) => readSkill(join(path, name), name)));
    for (const [index, name] of names.entries()) {
      const skill = read[index];
      if (!skill) continue;
      const source = relative(root, join(path, name)).split(sep).join("/");
      const earlier = skills.get(name);
      if (skill.fault !== undefined) warnings.push(`Skipped the skill ${source}: ${skill.fault}.`);
      else if (earlier) warnings.push(`Skipped the skill ${source}: ${earlier.source} has the same name.`);
      else skills.set(name, { name, source, description: skill.description, content: skill.content });
    }
  }
  return { skills: [...skills.values()], warnings };
}

type ReadSkill =
  | { description: string; content: string; fault?: undefined }
  | { fault: string; description?: undefined };

/** Reads the skill in a folder; undefined if it has no SKILL.md. */
async function readSkill(directory: string, name: string): Promise<ReadSkill | undefined> {
  const path = join(directory, "SKILL.md");
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) return { fault: `it is longer than ${maxFileBytes} bytes` };
    return parseSkill(await readFile(path, "utf8"), name);
  } catch (error) {
    // The error's message would reveal the absolute path.
    const { code } = error as NodeJS.ErrnoException;
    return (await entryExists(path)) ? { fault: `its SKILL.md cannot be read (${code})` } : undefined;
  }
}

/** Whether the entry exists, even if it cannot be read: that deserves a warning. */
async function entryExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
  );
}

async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter((path) => path !== "SKILL.md")
    .sort()
    .slice(0, maxListedFiles);
}

/** Reads a file of the skill; resolves symlinks and refuses anything outside the skill's folder. */
async function readInside(directory: string, file: string): Promise<string> {
  const root = await realpath(directory);
  const path = await realpath(resolve(directory, file)).catch(() => undefined);
  if (path === undefined || !path.startsWith(root + sep)) {
    throw new HoldfastError(
      "not_found",
      `There is no file ${JSON.stringify(file)} in this skill. Call read_skill without "file" to list its files.`,
      { data: { file } },
    );
  }
  const { size } = await stat(path);
  if (size > maxFileBytes) {
    throw new HoldfastError(
      "over_limit",
      `${file} has ${size} bytes; the limit is ${maxFileBytes}. Open it with another tool.`,
      { data: { file, size } },
    );
  }
  return readFile(path, "utf8");
}

/** Parses a SKILL.md: front matter with at least a name and a description, then the instructions. */
function parseSkill(text: string, directory: string): ReadSkill {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match) return { fault: "it does not start with front matter between two --- lines" };
  const [whole, header = ""] = match;
  let fields: unknown;
  try {
    fields = parse(header, { maxAliasCount: 0, logLevel: "error" });
  } catch (error) {
    return {
      fault: `its front matter is not valid YAML: ${(error as Error).message.split("\n")[0]?.replace(/:$/, "")}`,
    };
  }
  if (typeof fields !== "object" || fields === null) return { fault: "its front matter has no fields" };
  const { name, description } = fields as Record<string, unknown>;
  const fault = findSkillFault(name, description);
  if (fault !== "") return { fault };
  if (name !== directory) return { fault: `its name is "${name}", but its folder is called "${directory}"` };
  return {
    description: oneLine(description as string),
    content: text.slice(whole.length).replace(/^\s*\n/, ""),
  };
}
