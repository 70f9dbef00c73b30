import { useState } from "preact/hooks";
import type { Reply } from "../api.ts";
import { useLoad } from "../load.ts";
import { hrefTo } from "../route.ts";
import { showToast } from "../toast.tsx";

type Item = Reply<"attention">["items"][number];

const signs: Record<Item["kind"], string> = {
  lost: "!",
  hook: "!",
  budget: "◔",
  reference: "⌫",
  delegated: "!",
};

const maxShown = 3;

/** What a person should look at, each with what to do about it. */
export function Attention({ sessionId, freshness }: { sessionId: string; freshness: string }) {
  const { data } = useLoad("attention", { params: { id: sessionId } }, freshness);
  const [isAll, setAll] = useState(false);
  const items = data?.items ?? [];
  if (items.length === 0) return null;
  const shown = isAll ? items : items.slice(0, maxShown);
  return (
    <section class="attention" aria-label="Needs attention">
      <ul>
        {shown.map((item) => (
          <li key={`${item.kind} ${item.text}`} class={`attention-item attention-${item.kind}`}>
            <span class="attention-sign" aria-hidden="true">
              {signs[item.kind]}
            </span>
            <span class="attention-text" dir="auto">
              {item.text}
            </span>
            <ItemAction sessionId={sessionId} action={item.action} />
          </li>
        ))}
      </ul>
      {items.length > maxShown && (
        <button type="button" class="link" onClick={() => setAll(!isAll)}>
          {isAll ? "Show fewer" : `Show ${items.length - maxShown} more`}
        </button>
      )}
    </section>
  );
}

function ItemAction({ sessionId, action }: { sessionId: string; action: Item["action"] }) {
  const { label, tab, item, command } = action;
  if (tab !== null) return <a href={hrefTo(sessionId, tab, item ?? undefined)}>{label}</a>;
  if (command === null) return null;
  return (
    <button
      type="button"
      class="link"
      onClick={() =>
        navigator.clipboard.writeText(command).then(
          () => showToast(`Copied: ${command}`),
          () => showToast(`Run in a terminal: ${command}`),
        )
      }
    >
      <code>{command}</code>
    </button>
  );
}
