import type { CheckpointBudget } from "../../src/compaction/budget.ts";
import { planCheckpoint } from "../../src/compaction/checkpoint.ts";
import type { FindNames } from "../../src/compaction/need/later-use.ts";
import { textsIn, toolCallsOf } from "../../src/context/conversation.ts";
import { estimateTokens } from "../../src/context/estimate-tokens.ts";
import type { State } from "../../src/engine/state.ts";
import type { Cut } from "./cuts.ts";

/** Needed names of a cut: how many there are, and how many the checkpoint and a bare list of its length tell. */
export interface CutRecall {
  session: string;
  needed: number;
  told: number;
  listed: number;
}

export function recallOf(
  cut: Cut,
  state: State,
  budget: CheckpointBudget,
  weights: readonly number[],
  find: FindNames,
): CutRecall {
  const { session, messages, to } = cut;
  const { text } = planCheckpoint({ state, messages, to, budget, weights, countTokens: estimateTokens });
  const list = newestNames(cut, text.length, find);
  const isIn = (place: string) => [...cut.needed].filter((name) => place.includes(name)).length;
  return { session, needed: cut.needed.size, told: isIn(text), listed: isIn(list) };
}

/** A bare list of the newest names in calls. */
function newestNames({ messages, to }: Cut, length: number, find: FindNames): string {
  const names = new Set(
    messages
      .filter(({ number }) => number <= to)
      .toReversed()
      .flatMap((stored) => toolCallsOf(stored).flatMap(({ input }) => [...find(textsIn(input).join("\n"))])),
  );
  let list = "";
  for (const name of names) {
    if (list.length + name.length + 1 > length) break;
    list += `${name} `;
  }
  return list;
}

/** The share that is told, with the limits that 95 % of samples of the sessions stay within. */
export function summarise(cuts: readonly CutRecall[], count: "told" | "listed"): string {
  const sessions = [...Map.groupBy(cuts, ({ session }) => session).values()];
  const share = (groups: readonly (readonly CutRecall[])[]) => {
    const all = groups.flat();
    const total = all.reduce((sum, { needed }) => sum + needed, 0);
    return total === 0 ? Number.NaN : all.reduce((sum, cut) => sum + cut[count], 0) / total;
  };
  const random = seeded(13);
  const samples = Array.from({ length: 1_000 }, () =>
    share(sessions.map(() => sessions[Math.floor(random() * sessions.length)] ?? [])),
  ).sort((a, b) => a - b);
  const percent = (value = Number.NaN) => `${(100 * value).toFixed(1)} %`;
  return `${percent(share(sessions))} (${percent(samples[25])} to ${percent(samples[974])})`;
}

/** The same numbers on every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
