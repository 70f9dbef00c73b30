import type { Reply } from "./api.ts";
import { brief, capital, percent, plural } from "./format.ts";

export type WindowFact = NonNullable<Reply<"session">["session"]["window"]>;

/** The figures of a window. Those that predict its future are known for the present only. */
export type WindowFill = Pick<WindowFact, "tokens" | "limit" | "basis" | "isLimitKnown"> &
  Partial<WindowFact>;

/** How full the window is, with a tick where the agent is warned and one where the conversation is compacted. */
export function WindowBar({ window, isWide = false }: { window: WindowFill; isWide?: boolean }) {
  const { tokens, limit, basis, isLimitKnown, isLearned } = window;
  const { warnAt = null, compactAt = null, callsLeft = null } = window;
  const about = basis === "estimate" ? "about " : "";
  const size = `${about}${brief(tokens)} of ${isLimitKnown ? "" : "about "}${brief(limit)}`;
  const left =
    callsLeft === null
      ? ""
      : callsLeft === 0
        ? ", compaction is next"
        : `, about ${plural(callsLeft, "call")} left`;
  const ticks = [
    ...(warnAt === null ? [] : [`the agent is warned at ${brief(warnAt)}`]),
    ...(compactAt === null
      ? []
      : [`the conversation is compacted at ${isLearned ? "" : "about "}${brief(compactAt)}`]),
  ].join(", ");
  const tone =
    compactAt !== null && tokens >= compactAt
      ? " is-full"
      : warnAt !== null && tokens >= warnAt
        ? " is-near"
        : "";
  return (
    <span
      class={`window${isWide ? " window-wide" : ""}`}
      title={`${size} tokens.${ticks === "" ? "" : ` ${capital(ticks)}.`}`}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: browsers do not let a page style a meter */}
      <span
        class={`window-track${tone}`}
        role="meter"
        aria-label="Context window"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(tokens, limit)}
        aria-valuetext={`${percent(tokens, limit)} full, ${size} tokens${ticks === "" ? "" : `; ${ticks}`}`}
      >
        <span class="window-fill" style={{ width: shareOf(tokens, limit) }} />
        {warnAt !== null && <span class="tick tick-warn" style={{ left: shareOf(warnAt, limit) }} />}
        {compactAt !== null && <span class="tick tick-compact" style={{ left: shareOf(compactAt, limit) }} />}
      </span>
      <span class="window-text number" aria-hidden="true">
        {isWide ? `${size}${left}` : percent(tokens, limit)}
      </span>
    </span>
  );
}

function shareOf(tokens: number, limit: number): string {
  return `${Math.min(100, (100 * tokens) / Math.max(1, limit))}%`;
}
