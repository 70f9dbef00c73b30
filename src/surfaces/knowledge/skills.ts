import { z } from "zod";
import { oneLine, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import type { SessionHandle } from "../session-handle.ts";
import { defineTool, type Tool } from "../surface.ts";
import { knowledgeOptions } from "./apply-options.ts";
import { findSkillFault, type SkillSource, type SkillSummary } from "./skill-format.ts";

/** All skills of a session's agent: those in folders first, then those it saved. */
export async function listSkills(
  session: SessionHandle,
  source: SkillSource,
): Promise<{ skills: SkillSummary[]; warnings: string[] }> {
  const found = await source.list();
  const names = new Set(found.skills.map(({ name }) => name));
  const saved = await (await session.knowledge()).skills();
  const hidden = saved.filter(({ name }) => names.has(name));
  return {
    skills: [
      ...found.skills,
      ...saved
        .filter(({ name }) => !names.has(name))
        .map(({ name, description }) => ({ name, description, source: "saved" })),
    ],
    warnings: [
      ...found.warnings,
      ...hidden.map(({ name }) => `A skill in a folder hides the saved skill ${name}.`),
    ],
  };
}

export function skillTools(source: SkillSource): Tool[] {
  return [
    defineTool({
      name: "list_skills",
      description: "List your skills, with warnings about those that could not be read.",
      input: z.strictObject({}),
      output: z.object({
        skills: z.array(z.object({ name: z.string(), description: z.string(), source: z.string() })),
        warnings: z.array(z.string()).optional(),
      }),
      readOnly: true,
      idempotent: true,
      run: async ({ session }) => {
        const { skills, warnings } = await listSkills(session, source);
        return { skills, ...(warnings.length > 0 ? { warnings } : {}) };
      },
    }),
    defineTool({
      name: "read_skill",
      description: "Read a skill in full before you use it, or a file that comes with it.",
      input: z.strictObject({
        name: z.string(),
        file: z.string().optional().describe("Path within the skill"),
      }),
      output: z.object({ name: z.string(), content: z.string(), files: z.array(z.string()).optional() }),
      readOnly: true,
      idempotent: true,
      run: async ({ session }, { name, file }) => {
        const found = await source.read(name, file);
        if (found)
          return { name, content: found.content, ...(found.files.length > 0 ? { files: found.files } : {}) };
        const saved = (await (await session.knowledge()).skills()).find((skill) => skill.name === name);
        if (!saved) throw await noSuchSkill(session, source, name);
        if (file !== undefined)
          throw new HoldfastError(
            "not_found",
            `The skill ${name} is one text without files. Leave "file" out.`,
          );
        return { name, content: saved.content };
      },
    }),
    defineTool({
      name: "save_skill",
      description: "Save what you learned as a skill for all later sessions. Saving it again replaces it.",
      input: z.strictObject({
        name: z.string().describe("Lower-case words joined by dashes"),
        description: z.string().describe("What it does and when to use it, in one line"),
        content: z
          .string()
          .optional()
          .describe("The instructions, in Markdown. Default: the session notepad"),
      }),
      output: z.object({ ok: z.literal(true), name: z.string(), version: z.number() }),
      destructive: true,
      run: async (call, { name, description, content }) => {
        const text = content ?? (await call.session.notepad.read());
        const fault = findSkillFault(name, description) || (text.trim() === "" ? "it has no content" : "");
        if (fault !== "")
          throw new HoldfastError("invalid_input", `The skill ${quote(name)} was not saved: ${fault}.`);
        await refuseHidden(source, name);
        const knowledge = await call.session.knowledge();
        const skill = { name, description: oneLine(description), content: text };
        const { result } = await knowledge.saveSkill(skill, knowledgeOptions(call));
        return { ok: true as const, name, version: result.version };
      },
    }),
  ];
}

/** A skill in a folder takes precedence over a saved one of the same name, which would never be read. */
async function refuseHidden(source: SkillSource, name: string): Promise<void> {
  const folder = (await source.list()).skills.find((skill) => skill.name === name)?.source;
  if (folder === undefined) return;
  throw new HoldfastError(
    "invalid_input",
    `The skill ${quote(name)} was not saved: ${folder} has the same name and takes precedence. Choose another name, or edit ${folder}/SKILL.md.`,
    { data: { name, folder } },
  );
}

async function noSuchSkill(
  session: SessionHandle,
  source: SkillSource,
  name: string,
): Promise<HoldfastError> {
  const names = (await listSkills(session, source)).skills.map((skill) => skill.name);
  return new HoldfastError(
    "not_found",
    `There is no skill ${quote(name)}. The skills are: ${names.join(", ") || "none"}.`,
    { data: { name } },
  );
}
