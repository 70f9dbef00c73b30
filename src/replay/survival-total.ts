import type { Survival, SurvivalCut } from "./survival.ts";

/** A measured session, and where it is recorded. */
export interface MeasuredSession extends Survival {
  file: string;
  /** The session's name in the file. */
  name: string;
  /** The name of the host that wrote it. */
  host: string;
}

/** The sums over compactions of one kind. */
export interface SurvivalSum {
  compactions: number;
  /** Compactions after which nothing of what they removed was needed. */
  withoutNeed: number;
  needed: number;
  inCheckpoint: number;
}

export interface SurvivalTotal {
  sessions: number;
  /** Sessions that were compacted, or would have been. */
  compacted: number;
  all: SurvivalSum;
  recorded: SurvivalSum & { inSummary: number };
  simulated: SurvivalSum;
  readAgain: SurvivalCut["readAgain"];
}

export function totalOf(sessions: readonly MeasuredSession[]): SurvivalTotal {
  const all = sessions.flatMap(({ cuts }) => cuts);
  const recorded = all.filter(({ kind }) => kind === "recorded");
  return {
    sessions: sessions.length,
    compacted: sessions.filter(({ cuts }) => cuts.length > 0).length,
    all: sumOf(all),
    recorded: { ...sumOf(recorded), inSummary: sum(recorded, ({ inSummary = 0 }) => inSummary) },
    simulated: sumOf(all.filter(({ kind }) => kind === "simulated")),
    readAgain: {
      calls: sum(all, ({ readAgain }) => readAgain.calls),
      tokens: sum(all, ({ readAgain }) => readAgain.tokens),
      cost: sum(all, ({ readAgain }) => readAgain.cost),
    },
  };
}

function sumOf(cuts: readonly SurvivalCut[]): SurvivalSum {
  return {
    compactions: cuts.length,
    withoutNeed: cuts.filter(({ needed }) => needed === 0).length,
    needed: sum(cuts, ({ needed }) => needed),
    inCheckpoint: sum(cuts, ({ inCheckpoint }) => inCheckpoint),
  };
}

function sum(cuts: readonly SurvivalCut[], value: (cut: SurvivalCut) => number): number {
  return cuts.reduce((total, cut) => total + value(cut), 0);
}
