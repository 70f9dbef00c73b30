import type { Sighting, Sightings } from "./gather.ts";
import { isWordlike } from "./names.ts";
import { weights } from "./weights.ts";

/**
 * The features of a name, in the order of the weights. They are few, and only the last is about its spelling: with more,
 * the sessions that they were fitted on are ranked better, and others worse.
 */
export const featureNames: readonly string[] = [
  "bias",
  "uses in calls, older ones less",
  "sightings, older ones less",
  "among the newest in calls",
  "among the newer in calls",
  "said by the agent",
  "said by the user",
  "named in a call",
  "only in results",
  "uses of its file",
  "a bare word with a dot",
];

/** Positions after which a name counts 1/e as much as the newest one. */
const newest = 40;
const newer = 200;

/** The features of a name. Names are compared with the others of the same conversation. */
export function describeNames({ names, calls }: Sightings): (sighting: Sighting) => number[] {
  const ranks = rankByLastCall(names.values());
  const usesOf = ({ targets, written, first, lastCall }: Sighting) =>
    faded(targets + written, calls - first, calls - lastCall);
  const usesOfHome = (home: string) => {
    const file = home === "" ? undefined : names.get(home);
    return file ? usesOf(file) : 0;
  };
  return (sighting) => {
    const { targets, written, said, asked, results, first, last } = sighting;
    const isCalled = sighting.lastCall !== -1;
    const isOnlyInResults = targets + written + said + asked === 0 && results > 0;
    const rank = isCalled ? (ranks.get(sighting.text) ?? 0) : Number.POSITIVE_INFINITY;
    return [
      1,
      logOf(usesOf(sighting)),
      logOf(faded(targets + written + said + asked + results, calls - first, calls - last)),
      Math.exp(-rank / newest),
      Math.exp(-rank / newer),
      Math.log1p(said),
      Math.log1p(asked),
      isCalled ? 1 : 0,
      isOnlyInResults ? 1 : 0,
      Math.log1p(usesOfHome(sighting.home)),
      // A property or a file without its folder: the next call says it with another object, or with the whole path.
      isBare(sighting) ? 1 : 0,
    ];
  };
}

/**
 * How many uses still count, where one that is t calls old counts 1/√t, as needs fade in people's memory: the last one
 * exactly, the others as if they were spread evenly since the first.
 */
function faded(uses: number, oldest: number, latest: number): number {
  if (uses === 0) return 0;
  const near = Math.sqrt(latest + 1);
  const far = Math.sqrt(oldest + 1);
  // The mean of 1/√t between t = near² and t = far².
  const between = 2 / (near + far);
  return 1 / near + (uses - 1) * between;
}

/** Never used is less than used long ago. */
const leastLog = -4;

function logOf(value: number): number {
  return value === 0 ? leastLog : Math.max(leastLog, Math.log(value));
}

/** Whether a name is one for certain: what may be an ordinary word is a name if a call was about it. */
export function isCertain({ kind, targets }: Sighting): boolean {
  return !isWordlike(kind) || targets > 0;
}

/** `origin/main` and `CI/CD`, if the agent says or writes them. Where there is room, these are names as well. */
function isOwnPair({ kind, said, written }: Sighting): boolean {
  return kind === "pair" && said + written > 0;
}

/** How likely the agent is to write each name into one of its next calls; `certain`: of those that are names for certain. */
export function scoreNames(
  sightings: Sightings,
  { using = weights, certain = false }: { using?: readonly number[] | undefined; certain?: boolean } = {},
): Map<string, number> {
  const describe = describeNames(sightings);
  const scores = new Map<string, number>();
  /** The last name that is a bare word with a dot, and the last other one. */
  const last: Record<"bare" | "other", { sighting?: Sighting; score: number }> = {
    bare: { score: 0 },
    other: { score: 0 },
  };
  for (const sighting of sightings.names.values()) {
    if (!isCertain(sighting) && (certain || !isOwnPair(sighting))) continue;
    const before = last[isBare(sighting) ? "bare" : "other"];
    // Most names are seen once, in one result, beside others that are seen only there.
    if (!before.sighting || !isAlike(before.sighting, sighting))
      before.score = scoreOf(describe(sighting), using);
    before.sighting = sighting;
    scores.set(sighting.text, before.score);
  }
  return scores;
}

function scoreOf(features: readonly number[], using: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < features.length; index++) sum += (using[index] ?? 0) * (features[index] ?? 0);
  return 1 / (1 + Math.exp(-sum));
}

/** Whether two names that no call names, both bare words with a dot or neither, have the same features. */
function isAlike(a: Sighting, b: Sighting): boolean {
  return (
    a.lastCall === -1 &&
    b.lastCall === -1 &&
    a.first === b.first &&
    a.last === b.last &&
    a.results === b.results &&
    a.said === b.said &&
    a.asked === b.asked &&
    a.targets === b.targets &&
    a.written === b.written &&
    a.home === b.home
  );
}

function isBare({ kind }: Sighting): boolean {
  return kind === "dotted" || kind === "file";
}

/** The position of each name when the one called last comes first. */
function rankByLastCall(names: Iterable<Sighting>): Map<string, number> {
  // A call has few names, so sorting those of each call takes less than sorting all.
  const byCall: string[][] = [];
  for (const { text, lastCall } of names) {
    if (lastCall === -1) continue;
    const texts = byCall[lastCall];
    if (texts) texts.push(text);
    else byCall[lastCall] = [text];
  }
  const ranks = new Map<string, number>();
  for (let call = byCall.length - 1; call >= 0; call--) {
    const texts = byCall[call];
    if (texts) for (const text of texts.sort()) ranks.set(text, ranks.size);
  }
  return ranks;
}

/** The names with the highest scores, highest first. */
export function mostNeeded(
  sightings: readonly Sighting[],
  scores: ReadonlyMap<string, number>,
  max: number,
): Sighting[] {
  const score = ({ text }: Sighting) => scores.get(text) ?? 0;
  const values = new Float64Array(sightings.map(score));
  // Sorting numbers is much faster than sorting all names.
  const least = values.toSorted().at(-max) ?? 0;
  return sightings
    .filter((_, index) => (values[index] ?? 0) >= least)
    .sort((a, b) => score(b) - score(a) || (a.text < b.text ? -1 : 1))
    .slice(0, max);
}
