import { startHost } from "./kill-host.ts";
import { type Kill, KilledConversation, type KilledRun } from "./killed-conversation.ts";
import type { StoryResult } from "./run-story.ts";
import type { StoryOptions } from "./story.ts";
import type { System } from "./system.ts";

/** A killed story, compared with the same story without kills. */
export interface KillResult extends StoryOptions {
  /** Numbers in context or found with one call without a kill, and how many of these after the kills. */
  without: number;
  after: number;
  kills: number;
  /** It went on after the kills, and has all of them. */
  survived: boolean;
  problem?: string;
}

const window = 16_000;

/** With one, three and ten compactions. */
export function storiesFor(seed: number): StoryOptions[] {
  return [1, 3, 10].map((compactions) => ({ seed, compactions, window }));
}

/** Each story killed in every phase, one phase after another, compared with the run without kills. */
export async function runKills(
  id: string,
  system: System,
  unkilled: readonly StoryResult[],
): Promise<KillResult[]> {
  // Without anything outside the process the first kill takes everything; more compactions would only take time.
  const stories = unkilled.filter(({ compactions }) => system.isDurable || compactions === 1);
  const runs = await runKilled(
    id,
    system,
    stories.map(({ seed, compactions, window }) => ({ seed, compactions, window })),
  );
  return runs.map((run, index) => compareKilled(run, stories[index]?.reached ?? []));
}

/**
 * Runs conversations in one process and kills it when each of them is at its next kill or over; goes on in another
 * process until all are over.
 */
export async function runKilled(
  id: string,
  system: System,
  stories: readonly StoryOptions[],
  plan?: readonly Kill[],
): Promise<KilledRun[]> {
  const conversations = stories.map((story) => new KilledConversation(system, story, plan));
  try {
    for (let open = conversations; open.length > 0; ) {
      const host = await startHost(id);
      const isOver = await Promise.all(open.map((conversation) => conversation.play(host)));
      await host.kill();
      open = open.filter((_, index) => !isOver[index]);
    }
    return conversations.map((conversation) => conversation.result());
  } finally {
    for (const conversation of conversations) await conversation.close();
  }
}

/** With the subjects that the same run without kills reached. A kill may never come if a system has no such phase. */
export function compareKilled(
  { reached, planned, problem, ...run }: KilledRun,
  without: readonly string[],
): KillResult {
  const after = without.filter((subject) => reached.includes(subject)).length;
  const missed = run.kills < planned ? `${planned - run.kills} of ${planned} kills never came` : undefined;
  const failure = missed ?? (after < without.length ? problem : undefined);
  return {
    ...run,
    without: without.length,
    after,
    survived: without.length > 0 && after === without.length && (run.kills > 0 || planned === 0),
    ...(failure === undefined ? {} : { problem: failure }),
  };
}
