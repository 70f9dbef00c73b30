import { startHost } from "./kill-host.ts";
import { KilledConversation, type KilledOptions, type KilledRun } from "./killed-conversation.ts";
import { inLanes } from "./lanes.ts";
import type { StoryResult } from "./run-story.ts";
import { type StoryOptions, storyKinds } from "./story.ts";
import type { System } from "./system.ts";

/** A killed story, compared with the same story without kills. */
export interface KillResult extends Omit<KilledRun, "reached"> {
  /** Numbers in context or found with one call without a kill, and how many of these after the kills. */
  without: number;
  after: number;
  /** It went on after the kills, and has all of them. A kill may never come if a system has no such phase after its place. */
  survived: boolean;
}

const window = 16_000;

/** Every kind of story with one, three and ten compactions. Those with kills are compared with those without. */
export function storiesFor(seed: number): StoryOptions[] {
  return storyKinds.flatMap((kind) => [1, 3, 10].map((compactions) => ({ kind, seed, compactions, window })));
}

/** Conversations that go on at a time; the others wait for the kill. */
const lanes = 3;

/** Every story, killed once in every phase, one phase after another. */
export function runKills(id: string, system: System, seed: number): Promise<KilledRun[]> {
  // Without anything outside the process the first kill takes everything; more compactions would only take time.
  const stories = storiesFor(seed).filter(({ compactions }) => system.isDurable || compactions === 1);
  return runKilled(
    id,
    stories.map((story) => ({ system, story })),
  );
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

/** With a run that is the same but for the kills. */
export function compareKilled(
  { reached, problem, ...run }: KilledRun,
  unkilled: Pick<StoryResult, "reached">,
): KillResult {
  const without = unkilled.reached;
  const after = without.filter((subject) => reached.includes(subject)).length;
  const { planned, kills } = run;
  const missed = kills < planned ? `${planned - kills} of ${planned} kills never came` : undefined;
  const failure = missed ?? (after < without.length ? problem : undefined);
  return {
    ...run,
    without: without.length,
    after,
    survived: without.length > 0 && after === without.length && (kills > 0 || planned === 0),
    ...(failure === undefined ? {} : { problem: failure }),
  };
}
