/** When to remind the agent of its memory. Default: 0 (off) for each. */
export interface NudgePolicy {
  /** The memory is empty after this many turns. */
  nudgeAfterTurns: number;
  /** The agent's answer contains a plan and the memory is empty (1 is on). */
  nudgeOnPlanDetected: number;
  /** The context has just been compacted (1 is on). */
  nudgeAfterCompaction: number;
  /** The memory holds something and has not been updated for this many turns. */
  nudgeTurnsSinceLastUse: number;
}

export type NudgeName = keyof NudgePolicy;

export const noNudges: NudgePolicy = {
  nudgeAfterTurns: 0,
  nudgeOnPlanDetected: 0,
  nudgeAfterCompaction: 0,
  nudgeTurnsSinceLastUse: 0,
};

/** How the agent has used its memory so far. Each user message begins a turn. */
export interface NudgeFacts {
  turns: number;
  /** Completed turns since the agent last wrote to its memory. */
  turnsSinceWrite: number;
  /** The agent's last text. */
  lastText: string;
  /** Whether the context was compacted since the previous turn. */
  compacted: boolean;
  /** The turn in which each nudge was last given. */
  given: Partial<Record<NudgeName, number>>;
}

export function newNudgeFacts(): NudgeFacts {
  return { turns: 0, turnsSinceWrite: 0, lastText: "", compacted: false, given: {} };
}

/** The facts after one more turn. */
export function afterTurn(
  facts: NudgeFacts,
  turn: { wrote: boolean; text: string; compacted: boolean },
): NudgeFacts {
  return {
    ...facts,
    turns: facts.turns + 1,
    turnsSinceWrite: turn.wrote ? 0 : facts.turnsSinceWrite + 1,
    lastText: turn.text,
    compacted: turn.compacted,
  };
}

export function isAnyNudgeOn(policy: NudgePolicy): boolean {
  return Object.values(policy).some((value) => value > 0);
}

/** Turns before the same nudge may repeat. */
const cooldown = 5;

const texts: Record<NudgeName, string> = {
  nudgeAfterTurns:
    "Your session memory is still empty. Save your plan and findings now; they survive context compaction.",
  nudgeOnPlanDetected:
    "You have written down a plan. Save it to your session memory so that it survives context compaction.",
  nudgeAfterCompaction:
    "The context has just been compacted. Review your session memory and save what is missing.",
  nudgeTurnsSinceLastUse:
    "Your session memory has not been updated for a while. Review it and bring it up to date.",
};

/** The hint to give before the next user message, if any, and the updated record of given nudges. */
export function planNudge(
  facts: NudgeFacts & { isEmpty: boolean },
  policy: NudgePolicy,
): { name: NudgeName; text: string; given: NudgeFacts["given"] } | undefined {
  const due: [name: NudgeName, isDue: boolean][] = [
    ["nudgeAfterCompaction", facts.compacted],
    ["nudgeOnPlanDetected", facts.isEmpty && looksLikePlan(facts.lastText)],
    ["nudgeAfterTurns", facts.isEmpty && facts.turns >= policy.nudgeAfterTurns],
    ["nudgeTurnsSinceLastUse", !facts.isEmpty && facts.turnsSinceWrite >= policy.nudgeTurnsSinceLastUse],
  ];
  for (const [name, isDue] of due) {
    const rested = facts.turns - (facts.given[name] ?? Number.NEGATIVE_INFINITY) >= cooldown;
    if (policy[name] > 0 && isDue && rested)
      return { name, text: `[Hint: ${texts[name]}]`, given: { ...facts.given, [name]: facts.turns } };
  }
  return undefined;
}

/** At least three numbered lines, steps or checkboxes. */
export function looksLikePlan(text: string): boolean {
  const lines = text
    .split("\n")
    .filter((line) =>
      /^\s*(?:(?:\*\*)?\d+[.)]\s|(?:#+\s*|\*\*)?(?:step|phase|stage)\s+\d|[-*]\s+\[[ xX]\])/i.test(line),
    );
  return lines.length >= 3;
}
