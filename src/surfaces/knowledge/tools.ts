import { z } from "zod";
import { fenceContent } from "../../context/fence.ts";
import type { Json } from "../../engine/json.ts";
import { countCharacters, oneLine, quote } from "../../engine/text.ts";
import { HoldfastError } from "../../errors.ts";
import { derivedKey } from "../call-key.ts";
import { editAnswer, editInput, editOutput, operationOf } from "../edit-tool.ts";
import type { ApplyOptions, SessionHandle } from "../session-handle.ts";
import { agentKey, type Call, defineTool, type Surface, type Tool } from "../surface.ts";

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

const editSystemPrompt = defineTool({
  name: "edit_system_prompt",
  description: "Edit your permanent system prompt. All your later sessions start with it.",
  adapt: (_limits, { shown }) =>
    shown === "host"
      ? {
          description:
            "Edit the system prompt that Holdfast keeps for you. This host does not show it; agents of Holdfast and its plug-ins start with it.",
        }
      : {},
  input: editInput,
  output: editOutput,
  destructive: true,
  run: async (call, input) => {
    const { session } = await call.session.knowledge();
    const { result } = await session.apply(operationOf("system", input), await knowledgeOptions(call));
    return editAnswer(input, result);
  },
});

export interface KnowledgeOptions {
  /** Skills in addition to those the agent saved; `skillFolders` reads them from disk. */
  skills?: SkillSource;
}

const noSkills: SkillSource = {
  list: async () => ({ skills: [], warnings: [] }),
  read: async () => undefined,
};

/** The knowledge of an agent across sessions: its system prompt, its skills and its state. */
export function knowledgeSurface({ skills = noSkills }: KnowledgeOptions = {}): Surface {
  const blocks = new Map<string, string>();
  return {
    name: "knowledge",
    // Instructions come before everything else that memory shows, except the user's rules.
    order: 0,
    tools: [editSystemPrompt, ...skillTools(skills), ...stateTools],
    guidance: (_limits, { shown }) =>
      `${shown === "host" ? "Your skills and state outlive the session; list_skills lists the skills." : "Your system prompt, skills and state outlive the session. Record lasting observations with edit_system_prompt."} Before work that a skill covers, read it with read_skill; when you have learned how to do something, save it with save_skill. Store values that later sessions need with set_state.`,
    async refresh(session) {
      const { row } = await session.state();
      blocks.set(agentKey(row), await render(session, skills));
    },
    block: ({ row }) => {
      const text = blocks.get(agentKey(row)) ?? "";
      return text === "" ? undefined : { placement: "system", text };
    },
  };
}

async function render(session: SessionHandle, source: SkillSource): Promise<string> {
  const knowledge = await session.knowledge();
  const prompt = await knowledge.systemPrompt.read();
  const { skills } = await listSkills(session, source);
  return [prompt === "" ? "" : fenceContent(prompt), renderSkills(skills)]
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Characters for all descriptions together, every turn; beyond that, each is cut to an equal share. */
const maxSummaryCharacters = 16_000;
const minSummaryLength = 60;

function renderSkills(skills: readonly SkillSummary[]): string {
  if (skills.length === 0) return "";
  const summaries = skills.map(({ name, description }) => ({
    name,
    text: fenceContent(oneLine(description)),
  }));
  const isLong = summaries.reduce((sum, { text }) => sum + text.length, 0) > maxSummaryCharacters;
  const share = Math.max(minSummaryLength, Math.floor(maxSummaryCharacters / skills.length));
  const lines = summaries.map(({ name, text }) => `- ${name}: ${isLong ? oneLine(text, share) : text}`);
  if (isLong) lines.push("(Some descriptions are cut; list_skills shows them in full.)");
  return `## Skills\n${lines.join("\n")}`;
}

/** All skills of a session's agent: those in folders first, then those it saved. */
async function listSkills(
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

function skillTools(source: SkillSource): Tool[] {
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
        const { result } = await knowledge.saveSkill(skill, await knowledgeOptions(call));
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

const key = z.string().describe("Such as deploy/last");
const expectedVersion = z
  .int()
  .min(0)
  .optional()
  .describe("Only if the value is at this version; 0: only if the key does not exist");

const getState = defineTool({
  name: "get_state",
  description: "Read a value that you keep across sessions.",
  input: z.strictObject({ key }),
  output: z.object({ found: z.boolean(), value: z.unknown(), version: z.number() }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }, input) => {
    const stored = await (await session.knowledge()).state.get(input.key);
    return { found: stored !== undefined, value: stored?.value ?? null, version: stored?.version ?? 0 };
  },
});

const setState = defineTool({
  name: "set_state",
  description: "Keep a JSON value under a key, across sessions.",
  input: z.strictObject({
    key,
    value: z.unknown().describe("Any JSON"),
    expected_version: expectedVersion,
  }),
  output: z.object({ ok: z.literal(true), version: z.number() }),
  destructive: true,
  run: async (call, { key, value, expected_version: expected }) => {
    const { state } = await call.session.knowledge();
    const { result } = await state.set(key, value as Json, { ...(await knowledgeOptions(call)), expected });
    return { ok: true as const, version: result.version };
  },
});

const deleteState = defineTool({
  name: "delete_state",
  description: "Remove a value that you keep across sessions.",
  input: z.strictObject({ key, expected_version: expectedVersion }),
  output: z.object({ ok: z.literal(true) }),
  destructive: true,
  run: async (call, { key, expected_version: expected }) => {
    const { state } = await call.session.knowledge();
    await state.delete(key, { ...(await knowledgeOptions(call)), expected });
    return { ok: true as const };
  },
});

const listState = defineTool({
  name: "list_state",
  description: "List the keys of the values you keep across sessions.",
  input: z.strictObject({
    prefix: z.string().optional(),
    after: z.string().optional().describe("Continue after this key"),
    limit: z.int().min(1).max(1_000).optional().describe("Default: 100"),
  }),
  output: z.object({
    keys: z.array(z.object({ key: z.string(), version: z.number() })),
    next: z.string().optional(),
  }),
  readOnly: true,
  idempotent: true,
  run: async ({ session }, selection) => {
    const { keys, next } = await (await session.knowledge()).state.list(selection);
    return { keys, ...(next === undefined ? {} : { next }) };
  },
});

/** JSON values that belong to the agent, not to a session. */
const stateTools = [getState, setState, deleteState, listState];

/** Options for a session's write to the agent's knowledge. Sessions may use the same idempotency key. */
export async function knowledgeOptions({ session, options }: Call): Promise<ApplyOptions> {
  const { key } = options;
  return {
    ...options,
    surface: options.surface ?? "knowledge",
    ...(key === undefined ? {} : { key: await derivedKey(session.id, key) }),
  };
}
