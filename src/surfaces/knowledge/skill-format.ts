import { countCharacters } from "../../engine/text.ts";

/** A skill as the agent sees it in the list. */
export interface SkillSummary {
  name: string;
  description: string;
  /** Where it comes from: a folder, or "saved". */
  source: string;
}

/** Skills from outside the store. */
export interface SkillSource {
  /** The valid skills, and a warning for each one that was skipped. */
  list(): Promise<{ skills: SkillSummary[]; warnings: string[] }>;
  /** The instructions, or a file that comes with them; undefined if there is no such skill. */
  read(name: string, file?: string): Promise<{ content: string; files: string[] } | undefined>;
}

const maxNameLength = 64;
const maxDescriptionLength = 1_024;

/** The violation of the Agent Skills format in a skill's name or description; "" if both are valid. */
export function findSkillFault(name: unknown, description: unknown): string {
  for (const [field, value] of Object.entries({ name, description }))
    if (value !== undefined && value !== null && typeof value !== "string")
      return `"${field}" must be a string: put it in quotes`;
  if (typeof name !== "string" || name === "") return `"name" is missing`;
  if (name.length > maxNameLength) return `the name is longer than ${maxNameLength} characters`;
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    return "the name must consist of lower-case letters, digits and single dashes, such as audit-workbook";
  if (typeof description !== "string" || description.trim() === "") return `"description" is missing`;
  if (countCharacters(description) > maxDescriptionLength)
    return `the description is longer than ${maxDescriptionLength} characters`;
  return "";
}
