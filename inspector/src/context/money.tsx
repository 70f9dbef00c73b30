import { dollars, percent, plural } from "../format.ts";
import { type Part, partNames, parts } from "../parts.ts";
import type { Call } from "./context-view.tsx";

/** The cost of the shown calls, in total and per part. */
export function Money({ calls }: { calls: readonly Call[] }) {
  const priced = calls.flatMap(({ money }) => (money ? [money] : []));
  if (priced.length === 0) {
    return <p class="money-none faint">The price of this model is unknown, so no costs are shown.</p>;
  }
  const sums = parts.map((part): [Part, number] => [part, sum(priced.map((money) => money.parts[part]))]);
  const paid = sums.filter(([, value]) => value > 0);
  const output = sum(priced.map((money) => money.output));
  const total = sum(priced.map((money) => money.total));
  const bases = [...new Set(priced.map(({ basis }) => basis))];
  return (
    <div class="money">
      <p class="money-total">
        <span class="money-figure number">{dollars(total)}</span>
        <span class="faint">
          {plural(priced.length, "call")}, prices from {bases.join(", ")}
        </span>
      </p>
      <ul class="money-parts">
        {paid.map(([part, value]) => (
          <li key={part}>
            <span class={`swatch part-${part}`} aria-hidden="true" />
            <span>{partNames[part]}</span>
            <span class="number">{dollars(value)}</span>
            <span class="number faint">{percent(value, total)}</span>
          </li>
        ))}
        <li>
          <span class="swatch part-output" aria-hidden="true" />
          <span>Output</span>
          <span class="number">{dollars(output)}</span>
          <span class="number faint">{percent(output, total)}</span>
        </li>
      </ul>
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
