/** One example: its features, and whether it is positive. */
export interface Example {
  features: readonly number[];
  isNeeded: boolean;
}

const maxSteps = 15;

/** Weights of a logistic regression, by Newton's method. The first feature is the bias; `ridge` keeps weights small. */
export function fitLogistic(examples: readonly Example[], size: number, ridge: number): number[] {
  const weights = new Array<number>(size).fill(0);
  for (let step = 0; step < maxSteps; step++) {
    const { gradient, curvature } = slopes(examples, weights, ridge);
    const change = solve(curvature, gradient);
    for (const [index, value] of change.entries()) weights[index] = (weights[index] ?? 0) + value;
    if (Math.max(...change.map(Math.abs)) < 1e-4) break;
  }
  return weights;
}

function slopes(examples: readonly Example[], weights: readonly number[], ridge: number) {
  const size = weights.length;
  const gradient = weights.map((weight) => -ridge * weight);
  const curvature = weights.map((_, row) =>
    weights.map((__, column): number => (row === column ? ridge : 0)),
  );
  for (const { features, isNeeded } of examples) {
    let sum = 0;
    for (let index = 0; index < size; index++) sum += (weights[index] ?? 0) * (features[index] ?? 0);
    const probability = 1 / (1 + Math.exp(-sum));
    const error = (isNeeded ? 1 : 0) - probability;
    const spread = Math.max(probability * (1 - probability), 1e-6);
    for (let row = 0; row < size; row++) {
      const value = features[row] ?? 0;
      if (value === 0) continue;
      gradient[row] = (gradient[row] ?? 0) + error * value;
      const line = curvature[row] ?? [];
      for (let column = 0; column < size; column++)
        line[column] = (line[column] ?? 0) + spread * value * (features[column] ?? 0);
    }
  }
  return { gradient, curvature };
}

/** Solves a system of linear equations by elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((line, index) => [...line, right[index] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    const below = rows.slice(column).map((line) => Math.abs(line[column] ?? 0));
    const pivot = column + below.indexOf(Math.max(...below));
    const [first = [], second = []] = [rows[column], rows[pivot]];
    [rows[column], rows[pivot]] = [second, first];
    for (const line of rows.slice(column + 1)) {
      const factor = (line[column] ?? 0) / (second[column] ?? 1);
      for (let index = column; index <= size; index++)
        line[index] = (line[index] ?? 0) - factor * (second[index] ?? 0);
    }
  }
  const found = new Array<number>(size).fill(0);
  for (let row = size - 1; row >= 0; row--) {
    const line = rows[row] ?? [];
    let sum = line[size] ?? 0;
    for (let column = row + 1; column < size; column++) sum -= (line[column] ?? 0) * (found[column] ?? 0);
    found[row] = sum / (line[row] ?? 1);
  }
  return found;
}
