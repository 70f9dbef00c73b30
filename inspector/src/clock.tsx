import { type Call, type Calls, callAt } from "./calls.ts";
import { count, percent, plural, time } from "./format.ts";
import { currentRoute, replaceWith, useRoute } from "./route.ts";

interface ClockProps {
  sessionId: string;
  calls: Calls;
  newest: number;
  /** The newest compaction. */
  epoch: number | undefined;
}

/** One clock for the page: a bar for each call and a cut for each compaction. Moving it moves every view. */
export function Clock({ sessionId, calls: { calls, total, cuts }, newest, epoch }: ClockProps) {
  const { at, call } = useRoute();
  const turns = calls.filter(({ purpose }) => purpose !== "summary");
  const isNow = at === undefined && call === undefined;
  const current = callAt(turns, { at, call });
  const chosen = current ? turns.indexOf(current) : -1;
  const ended = epoch !== undefined && current && cuts.includes(epoch) && turns.at(-1)?.epoch === epoch;
  const move = (index: number) => {
    if (turns.length === 0) return show(sessionId, index >= newest ? undefined : index, undefined);
    const target = turns[index];
    if (!target || index === turns.length - 1) show(sessionId, undefined, undefined);
    else show(sessionId, target.revision, target.number);
  };
  const max = turns.length === 0 ? newest : turns.length - 1;
  const value = turns.length === 0 ? (at ?? newest) : Math.max(0, chosen);
  const text = current ? describe(current) : `revision ${count(at ?? newest)} of ${count(newest)}`;
  return (
    <div class={`clock${isNow ? "" : " is-past"}${turns.length === 0 ? " is-plain" : ""}`}>
      <span class="clock-text number" title={text}>
        {isNow && turns.length > 0 ? plural(total, "call") : text}
      </span>
      <span class="clock-body">
        <span class="clock-bars" aria-hidden="true">
          {turns.map((each, index) => (
            <>
              {index > 0 && isCut(turns[index - 1], each, cuts) && (
                <span class="clock-cut" key={`c${index}`} />
              )}
              <span
                key={each.number}
                class={`clock-bar clock-${each.purpose}${index === chosen ? " is-current" : ""}`}
                style={{ height: `${Math.max(6, shareOf(each))}%` }}
              />
            </>
          ))}
          {ended && <span class="clock-cut" />}
        </span>
        <input
          class="clock-range"
          type="range"
          min={turns.length === 0 ? 1 : 0}
          max={max}
          value={value}
          disabled={max < 1}
          aria-label="Time"
          aria-valuetext={text}
          title="Drag to see another time"
          onInput={(event) => move(Number(event.currentTarget.value))}
        />
      </span>
      <button type="button" class="button button-small" disabled={isNow} onClick={() => show(sessionId)}>
        Now
      </button>
    </div>
  );
}

/** Whether a compaction was between two calls; a fold begins an epoch too. */
export function isCut(before: Call | undefined, after: Call, cuts: readonly number[]): boolean {
  if (!before || before.epoch === after.epoch) return false;
  return cuts.some((epoch) => before.epoch <= epoch && epoch < after.epoch);
}

function shareOf({ tokens, contextWindow }: Call): number {
  return Math.min(100, (100 * tokens) / Math.max(1, contextWindow));
}

function describe(call: Call): string {
  return `call ${call.number} · ${time(call.at)} · ${percent(call.tokens, call.contextWindow)} full`;
}

/** Shows a time in the current view; undefined is now. */
export function show(sessionId: string, at?: number, call?: number): void {
  const { tab, find } = currentRoute();
  replaceWith(sessionId, tab, undefined, { at, call, find });
}
