import type { Reply } from "./api.ts";
import { count, plural } from "./format.ts";
import { useAnyFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { Waiting } from "./states.tsx";

type Stats = Reply<"stats">;

/** What memory did in the last seven days. */
export function Week() {
  const { generation } = useAnyFreshness();
  const { data, error, reload } = useLoad("stats", { query: { days: 7 } }, generation);
  return (
    <section class="week" aria-labelledby="title-week">
      <h1 id="title-week">The last seven days</h1>
      {data ? <Figures stats={data} /> : <Waiting error={error} retry={reload} />}
      <p class="week-note">Counted on this machine; nothing leaves it.</p>
    </section>
  );
}

function Figures({ stats: { sessions, writes, compactions, items } }: { stats: Stats }) {
  return (
    <dl class="facts week-facts">
      <Fact name="Compactions survived" value={count(compactions)} />
      <Fact name="Items put back" value={count(items.putBack)} />
      <Fact name="Still before the model" value={plural(items.kept, "item")} />
      <Fact name="Can be fetched" value={plural(items.recallable, "item")} />
      <Fact name="Missing" value={plural(items.missing, "item")} />
      <Fact name="Sessions" value={count(sessions)} />
      <Fact name="Writes by agents" value={count(writes.agent)} />
      <Fact name="Writes by you" value={count(writes.person)} />
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
