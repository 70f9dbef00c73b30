import { defaultLimits } from "../engine/limits.ts";
import { wholeNumber } from "../engine/options.ts";
import type { EntryPoint, Setting } from "./settings.ts";

/** The limits of the surfaces, under `limits`. The scratchpad's tokens have a name of their own: scratchpad.maxTokens. */
export function limitSettings(actsIn: readonly EntryPoint[]): Record<`limits.${LimitName}`, Setting<number>> {
  const made: Partial<Record<string, Setting<number>>> = {};
  for (const name of Object.keys(descriptions) as LimitName[]) {
    made[`limits.${name}`] = {
      kind: wholeNumber(1),
      default: defaultLimits[name],
      description: descriptions[name],
      // A hook writes down the rules that it finds, and nothing else for the agent.
      actsIn: name === "foundRuleBytes" ? [...actsIn, "hook"] : actsIn,
      elsewhere: "it writes nothing for the agent",
    };
  }
  return made as Record<`limits.${LimitName}`, Setting<number>>;
}

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
  foundRuleBytes: "Bytes of all rules found in what the user said.",
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
