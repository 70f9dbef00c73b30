import { countCharacters } from "../../engine/text.ts";

/** A skill as the agent is told of it. */
export interface SkillSummary {
  name: string;
  description: string;
  /** Where it comes from: a folder, or "saved". */
  source: string;
}

/** Where skills are kept besides the store. */
export interface SkillSource {
  /** What there is, and what is wrong with what was left out. */
  list(): Promise<{ skills: SkillSummary[]; warnings: string[] }>;
  /** The instructions, or a file beside them; undefined when there is no such skill. */
  read(name: string, file?: string): Promise<{ content: string; files: string[] } | undefined>;
}

const longestName = 64;
const longestDescription = 1_024;

/** What is wrong with a skill's name or description by the Agent Skills format; "" when nothing is. */
export function findSkillFault(name: unknown, description: unknown): string {
  for (const [field, value] of Object.entries({ name, description }))
    if (value !== undefined && value !== null && typeof value !== "string")
      return `"${field}" must be a text: put it in quotes`;
  if (typeof name !== "string" || name === "") return `"name" is missing`;
  if (name.length > longestName) return `the name is longer than ${longestName} characters`;
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
    return "the name must be of lower-case letters, digits and single dashes, such as audit-workbook";
  if (typeof description !== "string" || description.trim() === "") return `"description" is missing`;
  if (countCharacters(description) > longestDescription)
    return `the description is longer than ${longestDescription} characters`;
  return "";
}
