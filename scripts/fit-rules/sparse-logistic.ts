/** A sentence: its features, and whether it states a rule. */
export interface Example {
  features: readonly string[];
  isRule: boolean;
}

/** A feature of fewer sentences says nothing about others. */
const minCount = 2;

/** Keep weights small, and most of them 0, so that what is fitted holds for sentences that were not seen. */
const ridge = 1e-4;
const lasso = 5e-5;

const steps = 300;
const rate = 0.5;

/** Weights of a logistic regression over many features, by gradient descent with a rate of its own for each weight. */
export function fitSparse(examples: readonly Example[], bias: string): Map<string, number> {
  const ids = idsOf(examples);
  const rows = examples.map(({ features, isRule }) => ({
    ids: Uint32Array.from(features.flatMap((feature) => ids.get(feature) ?? [])),
    target: isRule ? 1 : 0,
  }));
  const size = ids.size + 1;
  const weights = new Float64Array(size);
  const squares = new Float64Array(size).fill(1e-8);
  for (let step = 0; step < steps; step++) {
    const slopes = slopesOf(rows, weights);
    for (let id = 0; id < size; id++) {
      const isBias = id === ids.size;
      const weight = weights[id] ?? 0;
      const slope = (slopes[id] ?? 0) / rows.length + (isBias ? 0 : ridge * weight);
      squares[id] = (squares[id] ?? 0) + slope * slope;
      const by = rate / Math.sqrt(squares[id] ?? 1);
      weights[id] = shrink(weight - by * slope, isBias ? 0 : by * lasso);
    }
  }
  const fitted = new Map([...ids].map(([feature, id]) => [feature, weights[id] ?? 0]));
  return fitted.set(bias, weights[ids.size] ?? 0);
}

/** Towards 0, and not beyond it. */
function shrink(value: number, by: number): number {
  return Math.sign(value) * Math.max(0, Math.abs(value) - by);
}

function idsOf(examples: readonly Example[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { features } of examples)
    for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1);
  const frequent = [...counts].filter(([, count]) => count >= minCount).map(([feature]) => feature);
  return new Map(frequent.sort().map((feature, id) => [feature, id]));
}

function slopesOf(
  rows: readonly { ids: Uint32Array; target: number }[],
  weights: Float64Array,
): Float64Array {
  const slopes = new Float64Array(weights.length);
  const last = weights.length - 1;
  for (const { ids, target } of rows) {
    let sum = weights[last] ?? 0;
    for (const id of ids) sum += weights[id] ?? 0;
    const error = 1 / (1 + Math.exp(-sum)) - target;
    slopes[last] = (slopes[last] ?? 0) + error;
    for (const id of ids) slopes[id] = (slopes[id] ?? 0) + error;
  }
  return slopes;
}
