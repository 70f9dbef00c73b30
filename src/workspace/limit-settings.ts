import { defaultLimits } from "../engine/limits.ts";
import { wholeNumber } from "../engine/options.ts";
import type { EntryPoint, Setting } from "./settings.ts";

/** The limits of the surfaces, under `limits`. The scratchpad's tokens have a name of their own: scratchpad.maxTokens. */
export function limitSettings(): Record<`limits.${LimitName}`, Setting<number>> {
  const made: Partial<Record<string, Setting<number>>> = {};
  for (const name of Object.keys(descriptions) as LimitName[]) {
    made[`limits.${name}`] = {
      kind: wholeNumber(1),
      default: defaultLimits[name],
      description: descriptions[name],
      ...whereOf(name),
    };
  }
  return made as Record<`limits.${LimitName}`, Setting<number>>;
}

const withTools = ["chat", "mcp", "plugin", "serve"] as const;

function whereOf(name: LimitName): { actsIn: readonly EntryPoint[]; elsewhere: string } {
  if (name === "tools" || name === "toolCharacters")
    return {
      actsIn: ["chat", "mcp", "serve"],
      elsewhere: "a plug-in's tools are fixed, and hooks and commands write no such thing",
    };
  if (writtenByPeople.includes(name))
    return { actsIn: [...withTools, "commands"], elsewhere: "a hook writes nothing for the agent" };
  return { actsIn: withTools, elsewhere: "hooks and commands write no such thing" };
}

/** What commands for people write: `holdfast edit` and `holdfast pin`. */
const writtenByPeople: readonly LimitName[] = [
  "notepadCharacters",
  "spaceNotesCharacters",
  "spacePlanCharacters",
  "pinBytes",
];

type LimitName = Exclude<keyof typeof defaultLimits, "scratchpadTokens">;

const descriptions: Record<LimitName, string> = {
  notepadCharacters: "Characters in the notepad.",
  noteCharacters: "Characters in one note.",
  noteTags: "Tags on one note.",
  tagCharacters: "Characters in one tag.",
  spaceNotesCharacters: "Characters in the scratchpad's notes.",
  spacePlanCharacters: "Characters in the scratchpad's plan.",
  refs: "References in the scratchpad.",
  refCharacters: "Characters in one reference.",
  pinBytes: "Bytes of all pins together.",
  resultTokens: "Tokens in one list of notes that a tool returns.",
  systemPromptCharacters: "Characters in an agent's own system prompt.",
  stateKeys: "State keys per agent, and per session.",
  stateKeyCharacters: "Characters in one state key.",
  stateValueCharacters: "Characters in one state value, as JSON.",
  skills: "Saved skills per agent.",
  skillCharacters: "Characters in one saved skill.",
  tools: "Authored tools per agent.",
  toolCharacters: "Characters in one authored tool.",
};
