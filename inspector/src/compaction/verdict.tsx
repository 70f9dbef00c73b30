import { count, dateTime, percent, plural } from "../format.ts";
import { homeNames } from "./homes.ts";
import { type Compaction, homes, type Traced } from "./trace-items.ts";

interface VerdictProps {
  compaction: Compaction;
  items: readonly Traced[];
  why: string;
}

/** The result of a compaction in a sentence, two bars and one bar of everything that it removed. */
export function Verdict({ compaction, items, why }: VerdictProps) {
  const { tokensBefore, tokensAfter, counts, at, trigger, tokensBy } = compaction;
  const about = tokensBy === "estimate" && trigger === "host" ? "about " : "";
  return (
    <section class="verdict" aria-label="Result">
      <div class="verdict-text">
        <p class="verdict-line">
          <Outcome counts={counts} /> {removedSentence(compaction)}
        </p>
        <p class="faint">
          Why: {why}.{at === null ? "" : ` ${dateTime(at)}.`}
        </p>
      </div>
      <div class="verdict-window">
        <WindowBar label="Before" tokens={tokensBefore} max={tokensBefore} about={about} />
        <WindowBar label="After" tokens={tokensAfter} max={tokensBefore} about={about} />
        <p class="faint verdict-time">{percent(tokensBefore - tokensAfter, tokensBefore)} freed</p>
      </div>
      {items.length > 0 && <SurvivalBar items={items} total={totalOf(counts)} />}
    </section>
  );
}

function Outcome({ counts }: Pick<Compaction, "counts">) {
  const total = totalOf(counts);
  if (total === 0) return <strong>What was removed is unknown.</strong>;
  if (counts.missing === 0) return <strong class="good">Nothing was lost.</strong>;
  return (
    <strong class="bad">
      {count(counts.missing)} of {plural(total, "thing")} {counts.missing === 1 ? "is" : "are"} lost.
    </strong>
  );
}

function totalOf({ kept, recallable, missing }: Compaction["counts"]): number {
  return kept + recallable + missing;
}

function removedSentence({ removed, from, to, trigger, counts }: Compaction): string {
  const total = totalOf(counts);
  const range = trigger === "host" || removed === 0 ? "" : ` (${from} to ${to})`;
  const what =
    removed === 0
      ? "The conversation was compacted"
      : `${plural(removed, "message")}${range} left the window`;
  if (total === 0) return `${what}.`;
  const fetched = counts.recallable > 0 ? `, ${count(counts.recallable)} can be fetched` : "";
  return `${what}. Of the ${plural(total, "thing")} in them, ${count(counts.kept)} ${counts.kept === 1 ? "is" : "are"} still in sight${fetched}.`;
}

/** One bar, each part as long as its share; the names are below, so that they cannot stretch it. */
function SurvivalBar({ items, total }: { items: readonly Traced[]; total: number }) {
  const used = homes
    .map((home) => ({ home, size: items.filter((item) => item.home === home).length }))
    .filter(({ size }) => size > 0);
  const listed = items.length;
  return (
    <div class="survival">
      <div class="survival-bar" aria-hidden="true">
        {used.map(({ home, size }) => (
          <span
            key={home}
            class={`survival-part home-${home}`}
            data-size={size}
            style={{ width: `${(100 * size) / listed}%` }}
          />
        ))}
      </div>
      <ul class="survival-names" aria-label="Where the things are now">
        {used.map(({ home, size }) => (
          <li key={home} class={`home-${home}`}>
            <span class="swatch" aria-hidden="true" />
            <span class="number">{size}</span> {homeNames[home]}
          </li>
        ))}
        {total > listed && <li class="faint">{count(total - listed)} more are counted, but not listed</li>}
      </ul>
    </div>
  );
}

function WindowBar({
  label,
  tokens,
  max,
  about,
}: {
  label: string;
  tokens: number;
  max: number;
  about: string;
}) {
  return (
    <div class="window-bar">
      <span class="window-bar-label">{label}</span>
      <span class="window-bar-track">
        <span
          class={`window-bar-fill window-${label.toLowerCase()}`}
          style={{ width: `${Math.min(100, (100 * tokens) / Math.max(1, max))}%` }}
        />
      </span>
      <span class="number">
        {about}
        {count(tokens)} tokens
      </span>
    </div>
  );
}
