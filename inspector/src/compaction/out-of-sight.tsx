import { useState } from "preact/hooks";
import { callApi } from "../api.ts";
import { attempt, showToast } from "../toast.tsx";
import type { Compaction } from "./trace-items.ts";

type Item = Compaction["receipt"]["outOfSight"][number];

const places: Record<Item["place"], string> = {
  "one call": "one call away",
  "by search": "by search",
  lost: "lost",
};

const maxShown = 12;

/** What the agent no longer sees, most needed first, each with a button that writes it into the notepad. */
export function OutOfSight({ sessionId, compaction }: { sessionId: string; compaction: Compaction }) {
  const { outOfSight } = compaction.receipt;
  const [isAll, setAll] = useState(false);
  if (outOfSight.length === 0) return null;
  const shown = isAll ? outOfSight : outOfSight.slice(0, maxShown);
  return (
    <section class="panel" aria-labelledby="title-out-of-sight">
      <div class="panel-head">
        <h2 id="title-out-of-sight">Out of sight, most needed first</h2>
      </div>
      <ul class="pins">
        {shown.map((item) => (
          <OutOfSightItem
            key={`${item.kind} ${item.text}`}
            item={item}
            sessionId={sessionId}
            epoch={compaction.epoch}
          />
        ))}
      </ul>
      {outOfSight.length > maxShown && (
        <button type="button" class="button button-small" onClick={() => setAll(!isAll)}>
          {isAll ? "Fewer" : `${outOfSight.length - maxShown} more`}
        </button>
      )}
    </section>
  );
}

function OutOfSightItem({ item, sessionId, epoch }: { item: Item; sessionId: string; epoch: number }) {
  const { kind, text, place, call } = item;
  const [isBack, setBack] = useState(false);
  const putBack = () =>
    attempt(async () => {
      const params = { id: sessionId, epoch };
      const { revision } = await callApi("putBack", { params, body: { kind, text, into: "notepad" } });
      setBack(true);
      showToast("Put back into the notepad.", {
        label: "Undo",
        run: () =>
          attempt(async () => {
            await callApi("undo", { params: { id: sessionId }, body: { revision } });
            setBack(false);
          }),
      });
    });
  return (
    <li class="pin">
      <span class="pin-text" dir="auto">
        <span class="badge">{kind}</span> {text}
      </span>
      <span class="pin-actions">
        <span class={place === "lost" ? "bad" : "faint"}>{call ?? places[place]}</span>
        <button
          type="button"
          class="button button-small"
          aria-label={`Put back ${text}`}
          disabled={isBack}
          onClick={putBack}
        >
          {isBack ? "In the notepad" : "Put back"}
        </button>
      </span>
    </li>
  );
}
