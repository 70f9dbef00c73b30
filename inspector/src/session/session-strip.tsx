import type { Reply } from "../api.ts";
import { count, dollars, percent, plural, time } from "../format.ts";
import { useLoad } from "../load.ts";
import { currentRoute, replaceWith, type Tab } from "../route.ts";

type Call = Reply<"calls">["calls"][number];

const maxCalls = 240;
const height = 34;
/** The height of a marker below a call that led to writes. */
const writeHeight = 5;

/** The whole session at a glance: fill by call, warnings, cuts, writes and money. Moving along it moves every view. */
export function SessionStrip({ sessionId, freshness }: { sessionId: string; freshness: string }) {
  const query = { limit: maxCalls };
  const { data } = useLoad("calls", { params: { id: sessionId }, query }, freshness);
  const calls = data?.calls ?? [];
  if (calls.length < 2) return null;
  const { tab, item } = currentRoute();
  const current = currentCall(calls, tab, item);
  const money = calls.flatMap((call) => (call.money ? [call.money.total] : []));
  const cuts = calls.filter((call, index) => index > 0 && calls[index - 1]?.epoch !== call.epoch).length;
  const writes = calls.reduce((sum, each) => sum + each.writes, 0);
  const call = calls[current];
  return (
    <section class="strip" aria-label="The session by call">
      <div class="strip-body">
        <Picture calls={calls} current={current} />
        <input
          class="strip-range"
          type="range"
          min={0}
          max={calls.length - 1}
          value={current}
          aria-label="Move through the session"
          aria-valuetext={call ? describe(call) : ""}
          onInput={(event) => moveTo(sessionId, calls[Number(event.currentTarget.value)])}
        />
      </div>
      <div class="strip-facts number faint">
        {call && (
          <span>
            call {call.number} · {time(call.at)} · {fillOf(call)} full
            {call.writes > 0 && ` · ${plural(call.writes, "write")} to memory`}
          </span>
        )}
        <StripLegend calls={calls} />
        <span>
          {count(data?.total ?? calls.length)} calls, {plural(cuts, "cut")}, {plural(writes, "write")}
          {money.length > 0 && `, ${dollars(money.reduce((sum, each) => sum + each, 0))}`}
        </span>
      </div>
    </section>
  );
}

function Picture({ calls, current }: { calls: readonly Call[]; current: number }) {
  const width = 100 / calls.length;
  return (
    <svg
      class="strip-picture"
      viewBox={`0 0 100 ${height + writeHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {calls.map((call, index) => {
        const share = Math.min(1, tokensOf(call) / Math.max(1, call.contextWindow));
        const isCut = index > 0 && calls[index - 1]?.epoch !== call.epoch;
        return (
          <g key={call.number}>
            <rect
              class={`strip-call strip-${call.purpose}${index === current ? " is-current" : ""}`}
              x={index * width}
              y={height * (1 - share)}
              width={width * 0.86}
              height={height * share}
            />
            {call.writes > 0 && (
              <rect
                class="strip-write"
                x={index * width}
                y={height + 1}
                width={width * 0.86}
                height={writeHeight - 1}
              />
            )}
            {isCut && (
              <line
                class="strip-cut"
                x1={index * width - width * 0.07}
                x2={index * width - width * 0.07}
                y1={0}
                y2={height}
                vector-effect="non-scaling-stroke"
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}

const kinds: readonly [kind: string, name: string, isIn: (call: Call) => boolean][] = [
  ["warning", "warning", ({ purpose }) => purpose === "warning"],
  ["summary", "summary", ({ purpose }) => purpose === "summary"],
  ["write", "write to memory", ({ writes }) => writes > 0],
];

function StripLegend({ calls }: { calls: readonly Call[] }) {
  const used = kinds.filter(([, , isIn]) => calls.some(isIn));
  if (used.length === 0) return null;
  return (
    <ul class="strip-legend" aria-label="Colours of the strip">
      {used.map(([kind, name]) => (
        <li key={kind}>
          <span class={`swatch swatch-${kind}`} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}

function tokensOf({ usage, parts }: Call): number {
  const { free: _free, ...used } = parts;
  return usage.input ?? Object.values(used).reduce((sum, tokens) => sum + tokens, 0);
}

function describe(call: Call): string {
  return `Call ${call.number} at ${time(call.at)}, ${fillOf(call)} full, ${plural(call.writes, "write")} to memory`;
}

function fillOf(call: Call): string {
  return percent(tokensOf(call), call.contextWindow);
}

/** The call that belongs to what the view shows. */
function currentCall(calls: readonly Call[], tab: Tab, item: number | undefined): number {
  if (item === undefined) return calls.length - 1;
  const matches: Partial<Record<Tab, (call: Call) => boolean>> = {
    context: ({ number }) => number <= item,
    compaction: ({ epoch }) => epoch <= item,
    timeline: ({ revision }) => revision <= item,
  };
  const match = matches[tab];
  return match ? Math.max(0, calls.findLastIndex(match)) : calls.length - 1;
}

/** Moves the current view to the time of a call; a view without a place for it shows the call itself. */
function moveTo(sessionId: string, call: Call | undefined): void {
  if (!call) return;
  const { tab } = currentRoute();
  if (tab === "timeline" && call.revision > 0) replaceWith(sessionId, "timeline", call.revision);
  else if (tab === "compaction" && call.epoch > 1) replaceWith(sessionId, "compaction", call.epoch - 1);
  else replaceWith(sessionId, "context", call.number);
}
