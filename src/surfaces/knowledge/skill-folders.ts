import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { parse } from "yaml";
import { oneLine } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { findSkillFault, type SkillSource } from "./tools.ts";

/** Where agents keep skills in a project, highest precedence first. */
export const defaultSkillFolders = [".claude/skills", ".agents/skills", "skills"];

/** A longer text would not fit any context. */
const maxFileBytes = 1_000_000;

const maxListedFiles = 100;

interface Entry {
  name: string;
  /** The path shown to the agent, relative to the project. */
  source: string;
  directory: string;
}

/**
 * Skills in the open Agent Skills format: one folder per skill, with a SKILL.md in it. Every call lists the folders
 * again but rereads only files that changed. A broken skill is skipped with a warning that names it.
 */
export function skillFolders(
  root: string,
  { folders = defaultSkillFolders }: { folders?: readonly string[] } = {},
): SkillSource {
  const known = new Map<string, { stamp: string; skill: ReadSkill }>();

  const load = async (entry: Entry): Promise<ReadSkill> => {
    const path = join(entry.directory, "SKILL.md");
    const { mtimeMs, size } = await stat(path);
    const stamp = `${mtimeMs}/${size}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.skill;
    const skill =
      size > maxFileBytes
        ? { fault: `it is longer than ${maxFileBytes} bytes` }
        : readSkill(await readFile(path, "utf8"), entry.name);
    known.set(path, { stamp, skill });
    return skill;
  };

  const list: SkillSource["list"] = async () => {
    const skills = new Map<string, { name: string; description: string; source: string }>();
    const warnings: string[] = [];
    const entries = await findEntries(root, folders);
    const found = await Promise.all(entries.map((entry) => load(entry).catch(unreadable)));
    for (const [index, entry] of entries.entries()) {
      const skill = found[index] as ReadSkill;
      const earlier = skills.get(entry.name);
      if (skill.fault !== undefined) warnings.push(`Skipped the skill ${entry.source}: ${skill.fault}.`);
      else if (earlier)
        warnings.push(`Skipped the skill ${entry.source}: ${earlier.source} has the same name.`);
      else skills.set(entry.name, { name: entry.name, description: skill.description, source: entry.source });
    }
    return { skills: [...skills.values()], warnings };
  };

  return {
    list,
    async read(name, file) {
      const source = (await list()).skills.find((skill) => skill.name === name)?.source;
      if (source === undefined) return undefined;
      const directory = resolve(root, source);
      if (file !== undefined) return { content: await readInside(directory, file), files: [] };
      const skill = await load({ name, source, directory });
      return skill.fault === undefined
        ? { content: skill.content, files: await listFiles(directory) }
        : undefined;
    },
  };
}

async function findEntries(root: string, folders: readonly string[]): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const folder of folders) {
    const path = resolve(root, folder);
    const names = (await readdir(path).catch(() => [])).sort();
    const areSkills = await Promise.all(names.map((name) => entryExists(join(path, name, "SKILL.md"))));
    for (const name of names.filter((_, index) => areSkills[index])) {
      const directory = join(path, name);
      found.push({ name, directory, source: relative(root, directory).split(sep).join("/") });
    }
  }
  return found;
}

/** Whether the entry exists, even if it cannot be read: that deserves a warning. */
async function entryExists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== "ENOENT" && code !== "ENOTDIR",
  );
}

/** Omits the error's message, which reveals the absolute path. */
function unreadable({ code }: NodeJS.ErrnoException): ReadSkill {
  return { fault: `its SKILL.md cannot be read (${code})` };
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

type ReadSkill =
  | { description: string; content: string; fault?: undefined }
  | { fault: string; description?: undefined };

/** Parses a SKILL.md: front matter with at least a name and a description, then the instructions. */
function readSkill(text: string, directory: string): ReadSkill {
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
