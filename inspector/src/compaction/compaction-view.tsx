import { useRef } from "preact/hooks";
import { isMissing } from "../api.ts";
import { count, plural } from "../format.ts";
import { useLoad } from "../load.ts";
import { Pager, usePages } from "../pages.tsx";
import { hrefTo, replaceWith } from "../route.ts";
import { useScrollToChosen } from "../scroll-to-chosen.ts";
import { Empty, Waiting } from "../states.tsx";
import { rowAfterKey } from "../virtual-list.tsx";
import { ReceiptPanel } from "./receipt.tsx";
import { isLost, type Receipt } from "./receipt-facts.ts";
import { CompactionSteps } from "./steps.tsx";
import { StillThere } from "./still-there.tsx";
import { whyOf } from "./triggers.ts";
import { WithWithout } from "./with-without.tsx";

const pageSize = 50;

interface CompactionViewProps {
  sessionId: string;
  chosen: number | undefined;
  epoch: number;
  /** The size of the context window in tokens, if it is known. */
  limit: number | undefined;
  freshness: string;
  /** Whether this is a session of `holdfast serve --demo`. */
  isDemo: boolean;
}

/** Each compaction: why it happened, what it removed, and what the agent got instead. */
export function CompactionView({ sessionId, chosen, epoch, limit, freshness, isDemo }: CompactionViewProps) {
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
        When the window is nearly full, Holdfast warns the agent, writes a handoff and replaces the oldest
        messages with a summary. Here you will see what was removed and what the agent got instead.
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
  compactions: readonly Receipt[];
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
      {inOrder.map(({ epoch, removed, rest, tokensBefore, tokensAfter }) => (
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
            {isLost({ removed, rest }) && <span class="bad"> · lost</span>}
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
  /** Changes with the session, for the newest compaction; undefined for an older one. */
  freshness: string | undefined;
}

function OneCompaction({ sessionId, epoch, limit, freshness }: OneCompactionProps) {
  // The newest receipt is verified after the compaction, against the next request.
  const { data, error, reload } = useLoad("compaction", { params: { id: sessionId, epoch } }, freshness);
  if (isMissing(error)) {
    return (
      <Empty title={`Compaction ${epoch} does not exist`}>
        <p>Choose one above.</p>
      </Empty>
    );
  }
  if (!data) return <Waiting error={error} retry={reload} lines={10} />;
  const isNewest = freshness !== undefined;
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
          Retention removed the history of this compaction. Its receipt and handoff are kept.
        </p>
      )}
      <ReceiptPanel compaction={data} why={whyOf(data, limit)} />
      <CompactionSteps sessionId={sessionId} compaction={data} />
    </>
  );
}
