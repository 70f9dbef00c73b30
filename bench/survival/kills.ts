import { startHost } from "./kill-host.ts";
import { type Phase, phasesOf, planKills } from "./kill-plan.ts";
import { KilledConversation, type KilledOptions, type KilledRun } from "./killed-conversation.ts";
import { inLanes } from "./lanes.ts";
import { type FactResult, isWithinOneCall, runStory } from "./run-story.ts";
import { makeStory } from "./stories.ts";
import { storyKinds } from "./story.ts";
import { summariserNamed } from "./summarisers.ts";
import type { System } from "./system.ts";

/** The facts that survive the kills, of those without kills. */
export interface KillResult {
  kind: KilledRun["kind"];
  seed: number;
  compactions: number;
  planned: number;
  kills: number;
  /** Facts in context or retrievable without a kill, and how many of these after the kills. */
  without: number;
  after: number;
  /** It went on after every kill, and has all of them. */
  survived: boolean;
  problem?: string;
}

const window = 16_000;

/** The summarizer of all runs with kills. */
export const killSummariser = "S1";

/** Conversations that go on at a time; the others wait for the kill. */
const lanes = 3;

export interface PhaseKill extends KillResult {
  phase: Phase;
}

export interface Killed {
  /** Every story with 1, 3 and 10 compactions, each killed once in every phase, one phase after another. */
  stories: KilledRun[];
  /** The facts of all stories in one conversation, killed in one phase. */
  phases: PhaseKill[];
}

export async function runKills(id: string, system: System, seed: number): Promise<Killed> {
  // Without anything outside the process the first kill takes everything; more compactions would only take time.
  const stories = (system.isDurable ? [1, 3, 10] : [1]).flatMap((compactions) =>
    storyKinds.map((kind): KilledOptions => {
      const story = { kind, seed, compactions, window };
      return { system, story, takesNotes: false, plan: (made) => planKills(made, system) };
    }),
  );
  const every = { kind: "every", seed, compactions: 1, window } as const;
  const told = makeStory(every);
  const from = told.turns.length - 1;
  const phases = phasesOf(told, system);
  const killedOnce = phases.map(
    (phase): KilledOptions => ({ system, story: every, takesNotes: true, plan: () => [{ phase, from }] }),
  );
  const summariser = summariserNamed(killSummariser);
  const { facts } = await runStory(system, told, { ...every, summariser, takesNotes: true });
  const runs = await runKilled(id, [...killedOnce, ...stories]);
  const [once, killed] = [runs.slice(0, phases.length), runs.slice(phases.length)];
  const byPhase = once.map((run) => compareKilled(run, facts));
  return {
    stories: killed,
    phases: phases.flatMap((phase, index) =>
      byPhase.slice(index, index + 1).map((kill) => ({ phase, ...kill })),
    ),
  };
}

/**
 * Runs conversations in one process and kills it when each of them is at its next kill or over; goes on in another
 * process until all are over.
 */
export async function runKilled(id: string, options: readonly KilledOptions[]): Promise<KilledRun[]> {
  const conversations = options.map((option) => new KilledConversation(option));
  try {
    for (let open = conversations; open.length > 0; ) {
      const host = await startHost(id);
      const isOver = await inLanes(open, lanes, (conversation) => conversation.play(host));
      await host.kill();
      open = open.filter((_, index) => !isOver[index]);
    }
    return conversations.map((conversation) => conversation.result());
  } finally {
    for (const conversation of conversations) await conversation.close();
  }
}

/** With the facts of a run that is the same but for the kills. */
export function compareKilled(
  { reached, problem, ...run }: KilledRun,
  facts: readonly FactResult[],
): KillResult {
  const without = facts.filter(isWithinOneCall).map(({ id }) => id);
  const after = without.filter((id) => reached.includes(id)).length;
  const { planned, kills } = run;
  const missed = kills < planned ? `${planned - kills} of ${planned} kills never came` : undefined;
  const failure = missed ?? (after < without.length ? problem : undefined);
  return {
    ...run,
    without: without.length,
    after,
    survived: without.length > 0 && after === without.length && missed === undefined,
    ...(failure === undefined ? {} : { problem: failure }),
  };
}
