import { useState } from "preact/hooks";
import type { Reply } from "./api.ts";
import { count, dollars, plural } from "./format.ts";
import { useAnyFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { Waiting } from "./states.tsx";

type Stats = Reply<"stats">;

/** What memory did in the last seven days. Recorded conversations are read when a person asks for them. */
export function Week() {
  const [isRecorded, setRecorded] = useState(false);
  const { generation } = useAnyFreshness();
  const { data, error, reload } = useLoad(
    "stats",
    { query: { days: 7, recorded: isRecorded ? "yes" : "no" } },
    generation,
  );
  return (
    <section class="week" aria-labelledby="title-week">
      <h1 id="title-week">The last seven days</h1>
      {data ? <Figures stats={data} /> : <Waiting error={error} retry={reload} />}
      {data && !data.recorded && !isRecorded && (
        <p>
          <button type="button" class="button" onClick={() => setRecorded(true)}>
            Count tokens and money
          </button>{" "}
          reads the conversations that coding agents recorded in this project.
        </p>
      )}
      {data?.recorded && <Recorded recorded={data.recorded} />}
      <p class="week-note">Counted on this machine; nothing leaves it. In a terminal: holdfast stats.</p>
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

function Recorded({ recorded }: { recorded: NonNullable<Stats["recorded"]> }) {
  const { conversations, calls, took, filesUsedAgain: files } = recorded;
  if (calls === 0)
    return (
      <p>No recorded conversation of these days counts tokens, so there is nothing to say about money.</p>
    );
  return (
    <>
      <h2>
        {plural(conversations, "recorded conversation")}, {plural(calls, "call")}
      </h2>
      <dl class="facts week-facts">
        <Fact name="Memory took" value={`${plural(took.tokens, "token")}, ${dollars(took.dollars)}`} />
        <Fact
          name="Repeated reads avoided"
          value={`${plural(files.unread, "file")}, ${plural(files.unreadTokens, "token")}, ${dollars(files.dollars)}`}
        />
        <Fact name="Read again" value={plural(files.readAgain, "file")} />
      </dl>
      <p class="week-note">
        Avoided: files read before a compaction that the agent worked on after it without reading them again;
        the summary may have been enough for some. Tokens of memory are estimated from its size now.
      </p>
    </>
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
