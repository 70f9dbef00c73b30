import type { KillResult } from "./kills.ts";
import { oneLine, type Row, table } from "./markdown-table.ts";
import type { SystemResult } from "./results.ts";

const counts = [1, 3, 10];
const maxProblem = 120;

/** The runs that survived, of those in which there was something to lose: "24 of 24". */
export function survivedOf(kills: readonly KillResult[]): string {
  const counted = kills.filter(({ without }) => without > 0);
  if (counted.length === 0) return "–";
  return `${counted.filter(({ survived }) => survived).length} of ${counted.length}`;
}

export function killTables(systems: readonly SystemResult[]): string[] {
  return [
    "### Killed in every phase, one after another: runs survived, with 1, 3 and 10 compactions",
    table(
      ["System", "1", "3", "10", "Kills", "Numbers without kills", "Of these after the kills", "First loss"],
      systems.map(storyRow),
    ),
  ];
}

function storyRow({ name, kills, killProblem }: SystemResult): Row {
  if (killProblem !== undefined)
    return [name, `not run: ${oneLine(killProblem).slice(0, maxProblem)}`, "", "", "", "", "", ""];
  const lost = kills.find(({ without, survived }) => without > 0 && !survived);
  return [
    name,
    ...counts.map((count) => survivedOf(kills.filter(({ compactions }) => compactions === count))),
    sum(kills, (run) => run.kills),
    sum(kills, ({ without }) => without),
    sum(kills, ({ after }) => after),
    lost ? lossOf(lost) : "",
  ];
}

function lossOf({ kind, compactions, without, after, problem }: KillResult): string {
  const why = problem === undefined ? "" : `; ${oneLine(problem).slice(0, maxProblem)}`;
  return `${kind}, ${compactions}: ${after} of ${without} numbers${why}`;
}

function sum(kills: readonly KillResult[], value: (kill: KillResult) => number): number {
  return kills.reduce((total, kill) => total + value(kill), 0);
}
