import { lastingCalls, recentCalls, type Sighting, type Sightings } from "./gather.ts";
import { nameKinds } from "./name-kinds.ts";
import { weights } from "./weights.ts";

/** The features of a name, in the order of the weights. */
export const featureNames: readonly string[] = [
  "bias",
  "recent calls",
  "lasting calls",
  "as a target",
  "in written texts",
  "said by the agent",
  "said by the user",
  "in results",
  "calls since it was seen",
  "named in a call",
  "only in results",
  "calls with the same base name",
  "calls between first and last",
  "rank by last call",
  "only in new results",
  "calls with its file",
  "said just now",
  ...nameKinds.map((kind) => `kind: ${kind}`),
];

/** The features of a name but its kind. Names are compared with the others of the same conversation. */
function measureNames({ names, calls }: Sightings): (sighting: Sighting) => number[] {
  const uses = new Map<string, number>();
  for (const sighting of names.values()) {
    const base = baseOf(sighting.text);
    uses.set(base, (uses.get(base) ?? 0) + sighting.targets + sighting.written);
  }
  const ranks = rankByLastCall(names.values());
  const recentUse = ({ recent, lastCall }: Sighting) =>
    lastCall === -1 ? 0 : recent * Math.exp(-(calls - lastCall) / recentCalls);
  const homeUse = (home: string) => {
    const file = home === "" ? undefined : names.get(home);
    return file ? recentUse(file) : 0;
  };
  return (sighting) => {
    const isCalled = sighting.lastCall !== -1;
    const age = isCalled ? calls - sighting.lastCall : 0;
    const isOnlyInResults =
      sighting.targets + sighting.written + sighting.said + sighting.asked === 0 && sighting.results > 0;
    return [
      1,
      Math.log1p(recentUse(sighting)),
      isCalled ? Math.log1p(sighting.lasting * Math.exp(-age / lastingCalls)) : 0,
      Math.log1p(sighting.targets),
      Math.log1p(sighting.written),
      Math.log1p(sighting.said),
      Math.log1p(sighting.asked),
      Math.log1p(sighting.results),
      Math.log1p(calls - sighting.last),
      isCalled ? 1 : 0,
      isOnlyInResults ? 1 : 0,
      Math.log1p(uses.get(baseOf(sighting.text)) ?? 0),
      Math.log1p(sighting.last - sighting.first),
      isCalled ? Math.log1p(ranks.get(sighting.text) ?? 0) : 0,
      isOnlyInResults ? Math.exp(-(calls - sighting.last) / 5) : 0,
      Math.log1p(homeUse(sighting.home)),
      sighting.said + sighting.asked > 0 ? Math.exp(-(calls - sighting.last) / 5) : 0,
    ];
  };
}

/** All features of a name; the kind has one for each of its values. */
export function describeNames(sightings: Sightings): (sighting: Sighting) => number[] {
  const describe = measureNames(sightings);
  return (sighting) => [...describe(sighting), ...nameKinds.map((kind) => (sighting.kind === kind ? 1 : 0))];
}

/** How likely the agent is to write each name into one of its next calls. */
export function scoreNames(sightings: Sightings, using: readonly number[] = weights): Map<string, number> {
  const measure = measureNames(sightings);
  const firstKind = featureNames.length - nameKinds.length;
  const kindWeights = new Map(nameKinds.map((kind, index) => [kind, using[firstKind + index] ?? 0]));
  const scores = new Map<string, number>();
  for (const sighting of sightings.names.values()) {
    const features = measure(sighting);
    let sum = kindWeights.get(sighting.kind) ?? 0;
    for (let index = 0; index < features.length; index++) sum += (using[index] ?? 0) * (features[index] ?? 0);
    scores.set(sighting.text, 1 / (1 + Math.exp(-sum)));
  }
  return scores;
}

/** The position of each name when the one called last comes first. */
function rankByLastCall(names: Iterable<Sighting>): Map<string, number> {
  const called = [...names].filter(({ lastCall }) => lastCall !== -1);
  called.sort((a, b) => b.lastCall - a.lastCall || (a.text < b.text ? -1 : 1));
  return new Map(called.map(({ text }, index) => [text, index]));
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The names with the highest scores, highest first. */
export function mostNeeded(
  sightings: readonly Sighting[],
  scores: ReadonlyMap<string, number>,
  max: number,
): Sighting[] {
  const score = ({ text }: Sighting) => scores.get(text) ?? 0;
  // Sorting numbers is much faster than sorting all names.
  const least = new Float64Array(sightings.map(score)).sort().at(-max) ?? 0;
  return sightings
    .filter((sighting) => score(sighting) >= least)
    .sort((a, b) => score(b) - score(a) || (a.text < b.text ? -1 : 1))
    .slice(0, max);
}
