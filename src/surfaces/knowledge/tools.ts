import { fenceContent } from "../../context/fence.ts";
import { isLongerThan, oneLine, takeCharacters } from "../../engine/text.ts";
import { agentKey } from "../agent-key.ts";
import { editAnswer, editInput, editOutput, operationOf } from "../edit-tool.ts";
import type { SessionHandle } from "../session-handle.ts";
import { defineTool, type Surface } from "../surface.ts";
import { knowledgeOptions } from "./apply-options.ts";
import type { SkillSource, SkillSummary } from "./skill-format.ts";
import { listSkills, skillTools } from "./skills.ts";
import { stateTools } from "./state-tools.ts";
import { readSystemPrompt } from "./system-prompt.ts";

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
    const { result } = await session.apply(operationOf("system", input), knowledgeOptions(call));
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

/** What an agent keeps across sessions: its system prompt, its skills and its state. */
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
  const prompt = readSystemPrompt(await knowledge.session.state());
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
  const summaries = skills.map(({ name, description }) => ({ name, text: summaryLine(description) }));
  const isLong = summaries.reduce((sum, { text }) => sum + text.length, 0) > maxSummaryCharacters;
  const share = Math.max(minSummaryLength, Math.floor(maxSummaryCharacters / skills.length));
  const lines = summaries.map(({ name, text }) => `- ${name}: ${isLong ? cut(text, share) : text}`);
  if (isLong) lines.push("(Some descriptions are cut; list_skills shows them in full.)");
  return `## Skills\n${lines.join("\n")}`;
}

function cut(text: string, characters: number): string {
  return isLongerThan(text, characters) ? `${takeCharacters(text, characters - 1)}…` : text;
}

function summaryLine(description: string): string {
  return fenceContent(oneLine(description));
}
