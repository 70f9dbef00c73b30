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

function Figures({ stats: { sessions, writes, compactions, messages } }: { stats: Stats }) {
  return (
    <dl class="facts week-facts">
      <Fact name="Compactions survived" value={count(compactions)} />
      <Fact name="Retrievable" value={plural(messages.retrievable, "message")} />
      <Fact name="Lost" value={plural(messages.lost, "message")} />
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
