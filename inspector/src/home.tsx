import { useAnyFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { Empty } from "./states.tsx";

const steps: readonly [command: string, result: string][] = [
  [
    "holdfast init",
    "connects the coding agents of this project; their notes then survive compaction and /clear",
  ],
  ["holdfast doctor", "checks that memory reaches each of them"],
  ["holdfast serve --demo", "plays an agent at work, in a store of its own"],
];

/** Without a session: the first steps in an empty store, else a hint. */
export function Home({ isWide }: { isWide: boolean }) {
  const { generation, revisions } = useAnyFreshness();
  const { data } = useLoad(
    "listSessions",
    { query: { limit: 1, status: "all" } },
    `${generation} ${revisions.size}`,
  );
  // On a narrow screen, the list itself is the view.
  if (!data || (data.total > 0 && !isWide)) return <h1 class="unseen">Sessions</h1>;
  if (data.total > 0)
    return (
      <Empty title="Choose a session">
        <p>The list shows every session in this store, newest first.</p>
      </Empty>
    );
  return (
    <section class="first-steps" aria-labelledby="title-first">
      <h1 id="title-first">No sessions yet</h1>
      <p>The first note of an agent creates one, and it appears here by itself.</p>
      <ol>
        {steps.map(([command, result]) => (
          <li key={command}>
            <code>{command}</code>
            <span>{result}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
