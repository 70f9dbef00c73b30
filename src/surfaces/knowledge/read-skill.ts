import { parse } from "yaml";
import { oneLine } from "../../engine/text.ts";
import { findSkillFault } from "./skill-format.ts";

export type ReadSkill =
  | { description: string; content: string; fault?: undefined }
  | { fault: string; description?: undefined };

/** Parses a SKILL.md: front matter with at least a name and a description, then the instructions. */
export function readSkill(text: string, directory: string): ReadSkill {
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
