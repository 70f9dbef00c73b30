import { useState } from "preact/hooks";
import { isMissing, type Reply } from "../api.ts";
import { count, dollars, percent, time } from "../format.ts";
import { useLoad } from "../load.ts";
import { partNames, parts } from "../parts.ts";
import { replaceWith, useRoute } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";
import { usedOf } from "./call-bars.tsx";
import type { Call } from "./context-view.tsx";
import { Pieces } from "./pieces.tsx";

const purposes: Record<Call["purpose"], string> = {
  turn: "Agent turn",
  warning: "Warning before a compaction",
  summary: "Summary of the removed messages",
};

interface CallDetailProps {
  sessionId: string;
  number: number;
  /** The calls that it can be compared with. */
  numbers: readonly number[];
  choose: (number: number) => void;
}

/** One call: its exact prompt, and what changed since the agent's last turn, or since any other call. */
export function CallDetail({ sessionId, number, numbers, choose }: CallDetailProps) {
  const { against } = useRoute();
  const query = against === undefined ? {} : { against };
  const { data, error, reload } = useLoad("call", { params: { id: sessionId, number }, query }, 0);
  const [only, setOnly] = useState<"all" | "changed">("all");
  const [view, setView] = useState<"readable" | "exact">("readable");
  if (isMissing(error)) return <Empty title={`Call ${number} is not recorded`} />;
  if (!data) return <Waiting error={error} retry={reload} />;
  const { call, pieces, previous } = data;
  return (
    <section class="panel" aria-labelledby="title-call">
      <div class="panel-head">
        <h2 id="title-call">
          Call {call.number} <span class="faint">{purposes[call.purpose]}</span>
        </h2>
        <div class="panel-actions">
          <Compare sessionId={sessionId} number={number} against={data.against} numbers={numbers} />
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
      <Facts detail={data} />
      <PartTable call={call} />
      {data.isBare && <p class="faint">Retention removed the text of this prompt. Its numbers are kept.</p>}
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

function Compare({
  sessionId,
  number,
  against,
  numbers,
}: Pick<CallDetailProps, "sessionId" | "number" | "numbers"> & { against: number | null }) {
  if (against === null) return null;
  const others = [...new Set([...numbers, against])].filter((each) => each !== number).sort((a, b) => b - a);
  return (
    <label class="compare">
      Compared with call{" "}
      <select
        class="input"
        value={against}
        onChange={(event) =>
          replaceWith(sessionId, "context", number, { against: Number(event.currentTarget.value) })
        }
      >
        {others.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}

function Facts({ detail: { call, prefix } }: { detail: Reply<"call"> }) {
  const { usage, contextWindow } = call;
  const used = usedOf(call);
  const reported = (value: number | null) => (value === null ? "not reported" : count(value));
  const facts: [string, string][] = [
    ["Model", call.model],
    ["At", call.source === "ledger" ? `${time(call.at)}, revision ${call.revision}` : time(call.at)],
    [
      "Window",
      `${call.source === "ledger" ? "about " : ""}${count(used)} of ${count(contextWindow)} tokens (${percent(used, contextWindow)})`,
    ],
    ["Unchanged prefix", `about ${count(prefix.tokens)} tokens (${percent(prefix.tokens, used)})`],
    [
      "Counted by the provider",
      usage.input === null ? "not reported" : `${count(usage.input)} in, ${reported(usage.output)} out`,
    ],
    ["From its cache", reported(usage.cached)],
    ["Written to its cache", reported(usage.written)],
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
