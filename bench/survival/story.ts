import type { Fact } from "./facts.ts";

/** A call that the scripted model makes, and what its tool returns. */
export interface Step {
  tool: "view_file" | "run_command" | "start_agent" | "check_agent";
  input: Record<string, string>;
  result: string;
  /** The agent's text with the call. */
  says?: string;
}

/** One message of the user and everything that the agent does in answer to it. */
export interface StoryTurn {
  /** Unique in the story. */
  user: string;
  steps: readonly Step[];
  answer: string;
  /** The note of this turn, by an agent that takes notes. */
  note?: string;
  /** Facts of files read before, without which the agent reads the file again. */
  needs?: readonly FileFact[];
  /** The agent is asked what it knows at the end of this turn, before it answers. */
  isProbed?: boolean;
  /** Not said by the user: a person changes the agent's memory from outside, where the system has a way to. */
  isEdit?: boolean;
}

export interface FileFact extends Fact {
  path: string;
}

export const storyKinds = [
  "rule",
  "override",
  "entities",
  "plan",
  "command",
  "sub-agent",
  "edit",
  "long ask",
] as const;

export type StoryKind = (typeof storyKinds)[number];

/** A conversation that is the same for every system. It has at least `compactions` epochs. */
export interface Story {
  kind: StoryKind | "every";
  seed: number;
  facts: readonly Fact[];
  turns: readonly StoryTurn[];
  /** Further turns, for a system that has not compacted often enough by the end. */
  more: readonly StoryTurn[];
  /** The files of the story: reading one again returns the same. */
  files: ReadonlyMap<string, string>;
}
