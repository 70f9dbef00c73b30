import type { Reply } from "../api.ts";
import { plural } from "../format.ts";
import { useLoad } from "../load.ts";
import { hrefTo } from "../route.ts";

type Content = Reply<"window">;

interface WithWithoutProps {
  sessionId: string;
  /** Right after this revision; undefined: now. */
  revision: number | undefined;
  /** When to load it again. */
  freshness: unknown;
  title: string;
}

/** What the window alone still holds of what the agent wrote down, beside what it holds with memory. */
export function WithWithout({ sessionId, revision, freshness, title }: WithWithoutProps) {
  const query = revision === undefined ? {} : { revision };
  const { data } = useLoad("window", { params: { id: sessionId }, query }, freshness);
  if (!data || data.total === 0 || !data.isKnown) return null;
  return (
    <section class="panel" aria-labelledby="title-with">
      <div class="panel-head">
        <h2 id="title-with">
          With and without memory <span class="faint">{title}</span>
        </h2>
      </div>
      <div class="columns-two">
        <Column
          name="Without memory"
          reason="The messages and summaries that are left in the window."
          content={data}
          has={({ alone }) => alone}
          sessionId={sessionId}
        />
        <Column
          name="With memory"
          reason="The same window, and the notepad in it."
          content={data}
          has={({ kept }) => kept}
          sessionId={sessionId}
        />
      </div>
    </section>
  );
}

/** More lines do not show more. */
const maxShown = 24;

function Column({
  name,
  reason,
  content: { lines, total },
  has,
  sessionId,
}: {
  name: string;
  reason: string;
  content: Content;
  has: (line: Content["lines"][number]) => boolean;
  sessionId: string;
}) {
  const held = lines.filter(has).length;
  return (
    <section class={`holds${held === total ? " is-whole" : ""}`} aria-label={`${name}: ${held} of ${total}`}>
      <p class="holds-head">
        <span class="holds-figure number">
          {held} <span class="faint">of {plural(total, "finding")}</span>
        </span>
        <span class="holds-name">{name}</span>
      </p>
      <p class="faint holds-reason">{reason}</p>
      <ul class="holds-lines">
        {lines.slice(0, maxShown).map((line) => (
          <li key={line.line} class={`holds-line${has(line) ? "" : " is-gone"}`}>
            <span class="holds-sign" role="img" aria-label={has(line) ? "in context" : "not in context"}>
              {has(line) ? "✓" : "–"}
            </span>
            <a href={hrefTo(sessionId, "compaction", undefined, { find: line.text })} dir="auto">
              {line.text}
            </a>
          </li>
        ))}
      </ul>
      {total > maxShown && <p class="faint">and {total - maxShown} more</p>}
    </section>
  );
}
