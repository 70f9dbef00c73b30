import { useMemo, useRef } from "preact/hooks";
import { isMissing, type Reply } from "../api.ts";
import { count, plural } from "../format.ts";
import { useLoad } from "../load.ts";
import { Pager, usePages } from "../pages.tsx";
import { hrefTo, replaceWith } from "../route.ts";
import { useScrollToChosen } from "../scroll-to-chosen.ts";
import { Empty, Waiting } from "../states.tsx";
import { rowAfterKey } from "../virtual-list.tsx";
import { OutOfSight } from "./out-of-sight.tsx";
import { useRemovedMessages } from "./removed-messages.ts";
import { CompactionReplay } from "./replay.tsx";
import { CompactionSteps } from "./steps.tsx";
import { StillThere } from "./still-there.tsx";
import { SurvivalMap } from "./survival-map.tsx";
import { traceItems } from "./trace-items.ts";
import { whyOf } from "./triggers.ts";
import { Verdict } from "./verdict.tsx";
import { WithWithout } from "./with-without.tsx";

type Listed = Reply<"compactions">["compactions"][number];

const pageSize = 50;

interface CompactionViewProps {
  sessionId: string;
  chosen: number | undefined;
  epoch: number;
  /** The size of the context window in tokens, if it is known. */
  limit: number | undefined;
  freshness: string;
  /** The name of the session. */
  name: string;
  /** Whether this is a session of `holdfast serve --demo`. */
  isDemo: boolean;
}

/** Each compaction: why it happened, what it removed, and where that is now. */
export function CompactionView(props: CompactionViewProps) {
  const { sessionId, chosen, epoch, limit, freshness, isDemo } = props;
  const pages = usePages(pageSize);
  const request = { params: { id: sessionId }, query: pages.query };
  const { data, error, reload } = useLoad("compactions", request, epoch);
  if (!data) return <Waiting error={error} retry={reload} />;
  const { compactions } = data;
  const newest = compactions[0]?.epoch;
  const current = chosen ?? newest;
  return (
    <div class="compactions">
      <StillThere sessionId={sessionId} freshness={freshness} />
      {current === undefined ? (
        <>
          <NoCompactions isDemo={isDemo} />
          <WithWithout sessionId={sessionId} revision={undefined} freshness={freshness} title="now" />
        </>
      ) : (
        <>
          <CompactionPicker sessionId={sessionId} compactions={compactions} current={current} />
          <Pager {...pages} older={data.before} name="compactions" />
          <OneCompaction
            key={current}
            sessionId={sessionId}
            epoch={current}
            limit={limit}
            name={props.name}
            freshness={current === newest && pages.isNewest ? freshness : undefined}
          />
        </>
      )}
    </div>
  );
}

function NoCompactions({ isDemo }: { isDemo: boolean }) {
  if (isDemo)
    return (
      <p class="lead">
        A scripted agent audits a workbook of ten sheets, in a window that is far too small for them. Watch it
        fill. After each compaction, this page shows what the window alone still holds of what the agent
        found, and what it holds with memory.{" "}
        <a href={hrefTo("audit-finished", "compaction")}>See a finished audit.</a>
      </p>
    );
  return (
    <Empty title="No compaction yet">
      <p>
        When the window is nearly full, Holdfast warns the agent, writes a checkpoint and replaces the oldest
        messages with a summary. Here you will see what was removed and where it is now.
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
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus());
  };
  const list = useRef<HTMLFieldSetElement>(null);
  useScrollToChosen(list, '[aria-pressed="true"]', current);
  return (
    <fieldset ref={list} class="picker" aria-label="Compactions, in order" onKeyDown={walk}>
      {inOrder.map(({ epoch, removed, tokensBefore, tokensAfter, counts }) => (
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
            {plural(removed, "message")}
            {counts.missing > 0 && <span class="bad"> · {counts.missing} lost</span>}
          </span>
        </button>
      ))}
    </fieldset>
  );
}

function modifiersOf({ altKey, ctrlKey, metaKey }: KeyboardEvent) {
  return { altKey, ctrlKey, metaKey };
}

interface OneCompactionProps {
  sessionId: string;
  epoch: number;
  limit: number | undefined;
  name: string;
  /** Changes with the session, for the newest compaction; undefined for an older one. */
  freshness: string | undefined;
}

function OneCompaction({ sessionId, epoch, limit, name, freshness }: OneCompactionProps) {
  const { data, error, reload } = useLoad("compaction", { params: { id: sessionId, epoch } }, 0);
  const then = useLoad(
    "memoryAt",
    data?.revision != null
      ? { params: { id: sessionId, revision: data.revision }, query: { limit: 200 } }
      : undefined,
    0,
  );
  // Retention may have removed the memory of that time.
  const memory = data?.revision === null ? "" : then.data && memoryText(then.data);
  const removed = useRemovedMessages(sessionId, epoch);
  const items = useMemo(
    () =>
      data && memory !== undefined && removed.messages
        ? traceItems(data, { memory, messages: removed.messages })
        : undefined,
    [data, memory, removed.messages],
  );
  if (isMissing(error)) {
    return (
      <Empty title={`Compaction ${epoch} does not exist`}>
        <p>Choose one above.</p>
      </Empty>
    );
  }
  if (!data || !items || !removed.messages) {
    const reloadAll = () => [reload, then.reload, removed.reload].forEach((load) => void load());
    return <Waiting error={error ?? then.error ?? removed.error} retry={reloadAll} lines={10} />;
  }
  const isNewest = freshness !== undefined;
  const why = whyOf(data, limit);
  return (
    <>
      {isNewest || data.revision !== null ? (
        <WithWithout
          sessionId={sessionId}
          revision={isNewest ? undefined : (data.revision ?? undefined)}
          freshness={freshness}
          title={isNewest ? "now" : `right after compaction ${epoch}`}
        />
      ) : (
        <p class="faint">
          Retention removed the history of this compaction. Its receipt and checkpoint are kept.
        </p>
      )}
      <Verdict compaction={data} items={items} why={why} />
      <OutOfSight sessionId={sessionId} compaction={data} />
      <section class="panel" aria-labelledby="title-map">
        <div class="panel-head">
          <h2 id="title-map">What survived, and where it is now</h2>
        </div>
        <SurvivalMap
          items={items}
          messages={removed.messages}
          total={removed.total}
          isPreview={removed.isPreview}
          isHost={data.trigger === "host"}
        />
      </section>
      {items.length > 0 && (
        <CompactionReplay
          key={epoch}
          compaction={data}
          items={items}
          messages={removed.messages}
          name={name}
        />
      )}
      <CompactionSteps compaction={data} messages={removed.messages} why={why} />
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
