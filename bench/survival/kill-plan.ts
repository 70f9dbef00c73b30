import type { Story } from "./story.ts";
import type { System } from "./system.ts";

/** The phase in which a process is killed. */
export const phases = [
  "while it waits for an answer",
  "during a tool",
  "between two turns",
  "while it waits for a summary",
  "in the first request after a summary",
] as const;

export type Phase = (typeof phases)[number];

/** A kill in the first such phase from a place of the story on. */
export interface Kill {
  phase: Phase;
  /** The number of a turn, from 0; in a story of one turn the number of one of its calls. */
  from: number;
}

/** One kill in every phase that the system and the story have, spread over the story. */
export function planKills(story: Story, system: System): Kill[] {
  // The marks are said before the first kill.
  const firstPlace = isOneTurn(story) ? 1 : 3;
  const places = isOneTurn(story) ? callsOf(story).length / 2 : story.turns.length;
  const apart = Math.max(1, Math.floor((places - firstPlace) / phases.length));
  return phasesOf(story, system).map((phase, index) => ({ phase, from: firstPlace + index * apart }));
}

function phasesOf(story: Story, { summarises }: System): Phase[] {
  return phases.filter(
    (phase) =>
      (summarises !== false || !phase.includes("summary")) &&
      !(isOneTurn(story) && phase === "between two turns"),
  );
}

/** A long ask: its work goes on through the whole story. */
export function isOneTurn({ turns }: Story): boolean {
  return turns.length === 1;
}

/** The file whose reader is killed: the last one of the turn, or the one that the call reads. */
export function deadlyFile(story: Story, { from }: Kill): string | undefined {
  if (isOneTurn(story)) return callsOf(story)[from]?.input.path;
  const turn = story.turns.slice(from).find(({ steps }) => steps.length > 0);
  return turn?.steps.at(-1)?.input.path;
}

function callsOf({ turns }: Story) {
  return turns[0]?.steps ?? [];
}
