import { useState } from "preact/hooks";
import { isMissing } from "../api.ts";
import { count, dollars, percent, time } from "../format.ts";
import { useLoad } from "../load.ts";
import { partNames, parts } from "../parts.ts";
import { Empty, Waiting } from "../states.tsx";
import { usedOf } from "./call-bars.tsx";
import type { Call } from "./context-view.tsx";
import { Pieces } from "./pieces.tsx";

const purposes: Record<Call["purpose"], string> = {
  turn: "Agent turn",
  warning: "Warning before a compaction",
  summary: "Summary of the removed messages",
};

/** One call: its exact prompt, and what changed since the previous call. */
export function CallDetail({
  sessionId,
  number,
  choose,
}: {
  sessionId: string;
  number: number;
  choose: (number: number) => void;
}) {
  const { data, error, reload } = useLoad("call", { params: { id: sessionId, number } }, 0);
  const [only, setOnly] = useState<"all" | "changed">("all");
  const [view, setView] = useState<"readable" | "exact">("readable");
  if (isMissing(error)) return <Empty title={`Call ${number} is not recorded`} />;
  if (!data) return <Waiting error={error} retry={reload} />;
  const { call, pieces, previous, cachedPieces } = data;
  const kept = pieces.slice(0, cachedPieces).reduce((sum, { tokens }) => sum + tokens, 0);
  return (
    <section class="panel" aria-labelledby="title-call">
      <div class="panel-head">
        <h2 id="title-call">
          Call {call.number} <span class="faint">{purposes[call.purpose]}</span>
        </h2>
        <div class="panel-actions">
          <button
            type="button"
            class="button"
            disabled={previous === null}
            onClick={() => previous !== null && choose(previous)}
          >
            ‹ Previous call
          </button>
        </div>
      </div>
      <Facts call={call} kept={kept} />
      <PartTable call={call} />
      <div class="panel-head">
        <h3>Prompt</h3>
        <div class="panel-actions">
          <fieldset class="segments" aria-label="Which pieces">
            <button
              type="button"
              class="segment"
              aria-pressed={only === "all"}
              onClick={() => setOnly("all")}
            >
              All {pieces.length}
            </button>
            <button
              type="button"
              class="segment"
              aria-pressed={only === "changed"}
              onClick={() => setOnly("changed")}
            >
              Changed
            </button>
          </fieldset>
          <fieldset class="segments" aria-label="Show pieces as">
            <button
              type="button"
              class="segment"
              aria-pressed={view === "readable"}
              onClick={() => setView("readable")}
            >
              Readable
            </button>
            <button
              type="button"
              class="segment"
              aria-pressed={view === "exact"}
              onClick={() => setView("exact")}
            >
              Exact
            </button>
          </fieldset>
        </div>
      </div>
      <Pieces sessionId={sessionId} detail={data} only={only} isExact={view === "exact"} />
    </section>
  );
}

function Facts({ call, kept }: { call: Call; kept: number }) {
  const { usage, contextWindow } = call;
  const used = usedOf(call);
  const facts: [string, string][] = [
    ["Model", call.model],
    ["At", `${time(call.at)}, revision ${call.revision}`],
    ["Window", `${count(used)} of ${count(contextWindow)} tokens (${percent(used, contextWindow)})`],
    ["Unchanged prefix", `${count(kept)} tokens (${percent(kept, used)})`],
    [
      "Provider's count",
      usage.input === null ? "not reported" : `${count(usage.input)} in, ${count(usage.output ?? 0)} out`,
    ],
    ["From cache", usage.cached === null ? "not reported" : count(usage.cached)],
    ["Written to cache", usage.written === null ? "not reported" : count(usage.written)],
    ...(call.money ? [["Cost", dollars(call.money.total)] as [string, string]] : []),
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function PartTable({ call }: { call: Call }) {
  const used = usedOf(call);
  const shown = parts.filter((part) => call.parts[part] > 0);
  return (
    <div class="part-table">
      <div class="part-strip" aria-hidden="true">
        {shown.map((part) => (
          <span key={part} class={`part-cell part-${part}`} style={{ flexGrow: call.parts[part] }} />
        ))}
      </div>
      <ul class="part-list" aria-label="Parts of the window">
        {shown.map((part) => (
          <li key={part}>
            <span class={`swatch part-${part}`} aria-hidden="true" />
            <span>{partNames[part]}</span>
            <span class="number">{count(call.parts[part])}</span>
            <span class="number faint">{percent(call.parts[part], used)}</span>
            {call.money && <span class="number faint">{dollars(call.money.parts[part])}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
