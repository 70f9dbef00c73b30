import type { Reply } from "../api.ts";
import { useLoad } from "../load.ts";
import { Pager, usePages } from "../pages.tsx";
import { replaceWith } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";
import { CallBars } from "./call-bars.tsx";
import { CallDetail } from "./call-detail.tsx";
import { Legend } from "./legend.tsx";
import { Money } from "./money.tsx";

export type Call = Reply<"call">["call"];

const pageSize = 120;

/** The context window of each model call over time, and one call in full. */
export function ContextView({
  sessionId,
  chosen,
  freshness,
}: {
  sessionId: string;
  chosen: number | undefined;
  freshness: string;
}) {
  const pages = usePages(pageSize);
  const request = { params: { id: sessionId }, query: pages.query };
  const { data, error, reload } = useLoad("calls", request, freshness);
  if (!data) return <Waiting error={error} retry={reload} />;
  if (data.calls.length === 0) return <NoCalls />;
  const { calls, total } = data;
  const current = calls.find(({ number }) => number === chosen) ?? calls.at(-1);
  const choose = (number: number) => replaceWith(sessionId, "context", number);
  return (
    <div class="context">
      <section class="panel panel-flush" aria-labelledby="title-calls">
        <div class="panel-head">
          <h2 id="title-calls">
            Context window per call <span class="faint number">{total}</span>
          </h2>
          <Legend />
        </div>
        <p class="signs faint">
          {current?.source === "transcript"
            ? "Read from the host's transcript: the provider's counts; how they divide is an estimate. System is the rest: the host's prompt, its tools and what it adds. ✂ compaction"
            : "! warning before a compaction · Σ summary · ✂ compaction"}
        </p>
        <CallBars calls={calls} current={current?.number} choose={choose} />
        <Pager {...pages} older={data.before} name="calls">
          <span class="faint number">
            {calls[0]?.number}–{calls.at(-1)?.number} of {total}
          </span>
        </Pager>
        <Money calls={calls} />
      </section>
      {current && (
        <CallDetail
          sessionId={sessionId}
          number={chosen ?? current.number}
          numbers={calls.map(({ number }) => number)}
          choose={choose}
        />
      )}
    </div>
  );
}

function NoCalls() {
  return (
    <Empty title="No model calls recorded">
      <p>
        An agent that runs on <code>holdfast/agent</code> or <code>holdfast chat</code> records its prompts. A
        coding agent builds its own; they appear here when its transcript is on this machine and contains
        token counts.
      </p>
    </Empty>
  );
}
