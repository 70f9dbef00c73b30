import type { Reply } from "../api.ts";
import { count, percent } from "../format.ts";

type Budget = Reply<"memory">["budgets"][number];

/** A budget is worth showing from this share on. */
const worthShowing = 0.7;

/** Budgets that fill up, in full; the others folded into one line. */
export function Budgets({ budgets }: { budgets: readonly Budget[] }) {
  const near = budgets.filter(({ used, limit }) => limit > 0 && used / limit >= worthShowing);
  const calm = budgets.filter((budget) => !near.includes(budget));
  return (
    <section class="panel" aria-labelledby="title-budgets">
      <div class="panel-head">
        <h2 id="title-budgets">Budgets</h2>
      </div>
      {near.length > 0 && (
        <ul class="gauges">
          {near.map((budget) => (
            <Gauge key={budget.name} {...budget} />
          ))}
        </ul>
      )}
      {calm.length > 0 && (
        <details class="quiet">
          <summary>{near.length === 0 ? "All are below 70 %" : `${calm.length} are below 70 %`}</summary>
          <ul class="gauges">
            {calm.map((budget) => (
              <Gauge key={budget.name} {...budget} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Gauge({ label, used, limit, unit, atLimit }: Budget) {
  const share = limit === 0 ? 0 : used / limit;
  const tone = share >= 1 ? "full" : share >= 0.8 ? "near" : "calm";
  return (
    <li class="gauge">
      <div class="gauge-head">
        <span>{label}</span>
        <span class="number">
          {count(used)} <span class="faint">of {count(limit)}</span>
        </span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers do not let a page style a meter */}
      <div
        class={`gauge-track gauge-${tone}`}
        role="meter"
        aria-label={`${label}, ${unit}`}
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(used, limit)}
        aria-valuetext={`${count(used)} of ${count(limit)} ${unit}, ${percent(used, limit)}`}
      >
        <div class="gauge-fill" style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
      <p class="gauge-limit">When full: {atLimit}</p>
    </li>
  );
}
