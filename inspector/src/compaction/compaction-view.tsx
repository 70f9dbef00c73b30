import { useMemo, useState } from "preact/hooks";
import { isMissing, type Reply } from "../api.ts";
import { count, dateTime, percent, plural } from "../format.ts";
import { useLoad } from "../load.ts";
import { goTo, replaceWith } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";
import { rowAfterKey } from "../virtual-list.tsx";
import { homeNames } from "./homes.ts";
import { useRemovedMessages } from "./removed-messages.ts";
import { CompactionSteps } from "./steps.tsx";
import { SurvivalMap } from "./survival-map.tsx";
import { type Compaction, homes, type Traced, traceItems } from "./trace-items.ts";

type Listed = Reply<"compactions">["compactions"][number];

const pageSize = 50;

const triggers: Record<Listed["trigger"], string> = {
  threshold: "the window reached its threshold",
  projected: "the next turn would not have fit",
  overflow: "the provider rejected the prompt as too long",
  manual: "someone requested it",
  tasks: "enough tasks were closed",
  "sub-session": "a sub-session needed space",
  host: "the host compacted its conversation",
};

/** Each compaction: why it happened, what it removed, and where that is now. */
export function CompactionView({
  sessionId,
  chosen,
  epoch,
}: {
  sessionId: string;
  chosen: number | undefined;
  epoch: number;
}) {
  const [before, setBefore] = useState<number>();
  const query = { limit: pageSize, ...(before === undefined ? {} : { before }) };
  const { data, error, reload } = useLoad("compactions", { params: { id: sessionId }, query }, epoch);
  if (!data) return <Waiting error={error} retry={reload} />;
  const { compactions } = data;
  if (compactions.length === 0) return <NoCompactions />;
  const current = chosen ?? compactions[0]?.epoch ?? 1;
  return (
    <div class="compactions">
      <CompactionPicker sessionId={sessionId} compactions={compactions} current={current} />
      {(data.before !== null || before !== undefined) && (
        <div class="pager">
          <button
            type="button"
            class="button"
            disabled={data.before === null}
            onClick={() => setBefore(data.before ?? undefined)}
          >
            Older compactions
          </button>
          <button
            type="button"
            class="button"
            disabled={before === undefined}
            onClick={() => setBefore(undefined)}
          >
            Newest compactions
          </button>
        </div>
      )}
      <OneCompaction key={current} sessionId={sessionId} epoch={current} />
    </div>
  );
}

function NoCompactions() {
  return (
    <Empty title="No compaction yet">
      <p>
        When the window is nearly full, Holdfast warns the agent, writes a checkpoint and replaces the oldest
        messages with a summary. This view shows what was removed and where it is now.
      </p>
      <p>
        In the demo,{" "}
        <button type="button" class="link" onClick={() => goTo("audit-finished", "compaction")}>
          the finished audit
        </button>{" "}
        has several.
      </p>
    </Empty>
  );
}

function CompactionPicker({
  sessionId,
  compactions,
  current,
}: {
  sessionId: string;
  compactions: readonly Listed[];
  current: number;
}) {
  const choose = (epoch: number) => replaceWith(sessionId, "compaction", epoch);
  const inOrder = compactions.toReversed();
  const walk = (event: KeyboardEvent) => {
    const keys: Record<string, string> = { ArrowRight: "ArrowDown", ArrowLeft: "ArrowUp" };
    const mapped = { ...modifiersOf(event), key: keys[event.key] ?? event.key } as KeyboardEvent;
    const next = rowAfterKey(
      mapped,
      inOrder.findIndex(({ epoch }) => epoch === current),
      inOrder.length,
    );
    const target = next === undefined ? undefined : inOrder[next];
    if (!target) return;
    event.preventDefault();
    choose(target.epoch);
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus());
  };
  return (
    <fieldset class="picker" aria-label="Compactions, in order" onKeyDown={walk}>
      {inOrder.map(({ epoch, from, to, tokensBefore, tokensAfter, counts }) => (
        <button
          key={epoch}
          type="button"
          class="picker-item"
          aria-pressed={epoch === current}
          tabIndex={epoch === current ? 0 : -1}
          onClick={() => choose(epoch)}
        >
          <span class="picker-title">Compaction {epoch}</span>
          <span class="picker-facts number">
            {count(tokensBefore)} → {count(tokensAfter)}
          </span>
          <span class="picker-facts faint">
            messages {from}–{to}
            {counts.missing > 0 && <span class="bad"> · {counts.missing} missing</span>}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

function modifiersOf({ altKey, ctrlKey, metaKey }: KeyboardEvent) {
  return { altKey, ctrlKey, metaKey };
}

function OneCompaction({ sessionId, epoch }: { sessionId: string; epoch: number }) {
  const { data, error, reload } = useLoad("compaction", { params: { id: sessionId, epoch } }, 0);
  const then = useLoad(
    "memoryAt",
    data && { params: { id: sessionId, revision: data.revision }, query: { limit: 200 } },
    0,
  );
  const removed = useRemovedMessages(sessionId, data);
  const items = useMemo(
    () =>
      data && then.data && removed.messages
        ? traceItems(data, { memory: memoryText(then.data), messages: removed.messages })
        : undefined,
    [data, then.data, removed.messages],
  );
  if (isMissing(error)) {
    return (
      <Empty title={`Compaction ${epoch} does not exist`}>
        <p>Choose one above.</p>
      </Empty>
    );
  }
  const problem = error ?? then.error ?? removed.error;
  if (!data || !items || !removed.messages) {
    return (
      <Waiting
        error={problem}
        retry={() => {
          reload();
          then.reload();
          removed.reload();
        }}
        lines={10}
      />
    );
  }
  return (
    <>
      <Verdict compaction={data} items={items} />
      <section class="panel" aria-labelledby="title-map">
        <div class="panel-head">
          <h2 id="title-map">What survived, and where it is now</h2>
        </div>
        <SurvivalMap items={items} messages={removed.messages} isHost={data.trigger === "host"} />
        {removed.isCut && (
          <p class="faint">
            Showing the newest {removed.messages.length} of {data.to - data.from + 1} removed messages.
          </p>
        )}
      </section>
      <CompactionSteps compaction={data} messages={removed.messages} triggerText={triggers[data.trigger]} />
    </>
  );
}

function memoryText({ notepad, scratchpad, notes }: Reply<"memoryAt">): string {
  return [
    notepad,
    scratchpad.plan,
    scratchpad.notes,
    ...scratchpad.refs,
    ...notes.map(({ content }) => content),
  ].join("\n");
}

function Verdict({ compaction, items }: { compaction: Compaction; items: readonly Traced[] }) {
  const { tokensBefore, tokensAfter, counts, at, trigger, from, to } = compaction;
  const total = counts.kept + counts.recallable + counts.missing;
  const used = homes
    .map((home) => ({ home, size: items.filter((item) => item.home === home).length }))
    .filter(({ size }) => size > 0);
  return (
    <section class="verdict" aria-label="Result">
      <p class="verdict-line">
        {total === 0 ? (
          <strong>The removed content is unknown.</strong>
        ) : counts.missing === 0 ? (
          <strong class="good">Nothing was lost.</strong>
        ) : (
          <strong class="bad">
            {count(counts.missing)} of {plural(total, "item")} {counts.missing === 1 ? "is" : "are"} out of
            reach.
          </strong>
        )}{" "}
        {to === 0 ? "The conversation was compacted" : `Messages ${from} to ${to} left the window`} because{" "}
        {triggers[trigger]}
        {total > 0 &&
          `; of the ${plural(total, "item")} in them, ${count(counts.kept)} are still in context and ${count(counts.recallable)} can be recalled`}
        .
      </p>
      <div class="verdict-window">
        <WindowBar label="Before" tokens={tokensBefore} max={tokensBefore} />
        <WindowBar label="After" tokens={tokensAfter} max={tokensBefore} />
        <p class="faint verdict-time">
          {percent(tokensBefore - tokensAfter, tokensBefore)} freed · {dateTime(at)}
        </p>
      </div>
      <ul class="survival" aria-label="Where the items are now">
        {used.map(({ home, size }) => (
          <li key={home} class={`survival-part home-${home}`} style={{ flexGrow: size }}>
            <span class="survival-bar" aria-hidden="true" />
            <span class="survival-text">
              <span class="number">{size}</span> {homeNames[home]}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function WindowBar({ label, tokens, max }: { label: string; tokens: number; max: number }) {
  return (
    <div class="window-bar">
      <span class="window-bar-label">{label}</span>
      <span class="window-bar-track">
        <span
          class={`window-bar-fill window-${label.toLowerCase()}`}
          style={{ width: `${(100 * tokens) / Math.max(1, max)}%` }}
        />
      </span>
      <span class="number">{count(tokens)} tokens</span>
    </div>
  );
}
