import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count } from "../format.ts";
import { homeNames, reasonFor } from "./homes.ts";
import { MessageBody, messageLine } from "./messages.tsx";
import { earlier, type Layout, measure, Ribbons, ribbonsOf } from "./ribbons.tsx";
import { type Home, homes, type Message, type Traced } from "./trace-items.ts";

interface SurvivalMapProps {
  items: readonly Traced[];
  messages: readonly Message[];
  /** Whether a host compacted its own conversation. */
  isHost: boolean;
}

/** The removed messages on the left, where their content is now on the right, and lines between them. */
export function SurvivalMap({ items, messages, isHost }: SurvivalMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [layout, setLayout] = useState<Layout>();
  const [active, setActive] = useState<{ key?: string; source?: number }>({});
  const ribbons = useMemo(() => ribbonsOf(items), [items]);
  const used = homes.filter((home) => items.some((item) => item.home === home));

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setLayout(measure(element)));
    for (const part of [element, ...element.children]) observer.observe(part);
    return () => observer.disconnect();
  }, [items, messages]);

  const isLit = (item: Traced) =>
    active.key === item.key ||
    (active.source !== undefined &&
      (item.sources.length === 0 ? [earlier] : item.sources).includes(active.source));
  const lit = items.filter(isLit);
  const litSources = new Set(
    lit.flatMap(({ sources }) => (sources.length === 0 ? [earlier] : sources.slice(0, 1))),
  );
  const isActive = active.key !== undefined || active.source !== undefined;
  const hasEarlier = items.some(({ sources }) => sources.length === 0);

  return (
    <div class={`map${isActive ? " has-active" : ""}`} ref={frame}>
      <div class="map-from">
        <h3 class="map-title">
          Removed <span class="faint number">{messages.length} messages</span>
        </h3>
        <ul class="map-messages">
          {hasEarlier && (
            <li data-source={earlier} class={`map-message${litSources.has(earlier) ? " is-lit" : ""}`}>
              <p class="map-message-earlier faint">
                {messages.length === 0 ? "The host keeps these messages" : "From before these messages"}
              </p>
            </li>
          )}
          {messages.map((message) => (
            <li
              key={message.number}
              data-source={message.number}
              class={`map-message${litSources.has(message.number) || active.source === message.number ? " is-lit" : ""}`}
              onMouseEnter={() => setActive({ source: message.number })}
              onMouseLeave={() => setActive({})}
              onFocusIn={() => setActive({ source: message.number })}
              onFocusOut={() => setActive({})}
            >
              <MessageRow
                message={message}
                items={items.filter(({ sources }) => sources[0] === message.number).length}
              />
            </li>
          ))}
        </ul>
      </div>
      <div class="map-gap" aria-hidden="true" />
      <div class="map-to">
        <h3 class="map-title">
          Their content, and where it is now <span class="faint number">{items.length}</span>
        </h3>
        {used.map((home) => (
          <HomeGroup
            key={home}
            home={home}
            isHost={isHost}
            items={items.filter((item) => item.home === home)}
            isLit={isLit}
            highlight={(key) => setActive(key === undefined ? {} : { key })}
          />
        ))}
      </div>
      {layout && <Ribbons ribbons={ribbons} layout={layout} lit={isActive ? lit : undefined} />}
    </div>
  );
}

function MessageRow({ message, items }: { message: Message; items: number }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="map-message-head">
        <span class="number faint">{message.number}</span>
        <span class={`role role-${message.role}`}>{message.role}</span>
        <span class="map-message-line" dir="auto">
          {messageLine(message)}
        </span>
        {items > 0 && <span class="number faint">{count(items)}</span>}
      </summary>
      {isOpen && <MessageBody message={message} />}
    </details>
  );
}

const maxShown = 14;

function HomeGroup({
  home,
  isHost,
  items,
  isLit,
  highlight,
}: {
  home: Home;
  isHost: boolean;
  items: readonly Traced[];
  isLit: (item: Traced) => boolean;
  highlight: (key: string | undefined) => void;
}) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? items : items.slice(0, maxShown);
  return (
    <section class={`home home-${home}`} data-home={home} aria-label={`${homeNames[home]}: ${items.length}`}>
      <h4 class="home-title">
        {homeNames[home]} <span class="number">{items.length}</span>
      </h4>
      <p class="home-reason">{reasonFor(home, isHost)}</p>
      <ul class="home-items">
        {shown.map((item) => (
          <li key={item.key} class={item.kind === "note" || item.kind === "ask" ? "home-line" : undefined}>
            <button
              type="button"
              class={`chip${isLit(item) ? " is-lit" : ""}`}
              title={storyOf(item)}
              onMouseEnter={() => highlight(item.key)}
              onMouseLeave={() => highlight(undefined)}
              onFocus={() => highlight(item.key)}
              onBlur={() => highlight(undefined)}
            >
              {(item.kind === "note" || item.kind === "ask") && <span class="chip-kind">{item.kind}</span>}
              <bdi>{shorten(item.text)}</bdi>
              {item.sources[0] !== undefined && <span class="chip-source number">{item.sources[0]}</span>}
            </button>
          </li>
        ))}
        {items.length > maxShown && (
          <li>
            <button type="button" class="chip chip-more" onClick={() => setAll(!isAll)}>
              {isAll ? "fewer" : `${items.length - maxShown} more`}
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}

function storyOf({ kind, home, alsoIn, sources }: Traced): string {
  const from =
    sources.length === 0
      ? "from before these messages"
      : `from message ${sources.slice(0, 5).join(", ")}${sources.length > 5 ? "…" : ""}`;
  const others = alsoIn.filter((other) => other !== home).map((other) => homeNames[other].toLowerCase());
  return `${kind}, ${from}; now ${homeNames[home].toLowerCase()}${others.length > 0 ? `, also ${others.join(" and ")}` : ""}`;
}

function shorten(text: string): string {
  return text.length > 180 ? `${text.slice(0, 179).toWellFormed()}…` : text;
}
