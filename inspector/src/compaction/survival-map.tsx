import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, plural } from "../format.ts";
import { homeNames, reasonFor } from "./homes.ts";
import { MessageBody, messageLine } from "./messages.tsx";
import { earlier, type Layout, measure, Ribbons, ribbonsOf } from "./ribbons.tsx";
import { type Home, homes, type Message, type Traced } from "./trace-items.ts";

interface SurvivalMapProps {
  items: readonly Traced[];
  messages: readonly Message[];
  /** All removed messages, including those that are not listed. */
  total: number;
  /** Whether each message is only one line of it. */
  isPreview: boolean;
  /** Whether a host compacted its own conversation. */
  isHost: boolean;
}

/** The removed messages on the left, where their content is now on the right, and lines between them. */
export function SurvivalMap({ items, messages, total, isPreview, isHost }: SurvivalMapProps) {
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
          Removed <span class="faint number">{plural(total, "message")}</span>
        </h3>
        {isPreview && <p class="faint map-note">The host's transcript is gone; this is one line of each.</p>}
        {total > messages.length && messages.length > 0 && (
          <p class="faint map-note">The newest {messages.length} are listed.</p>
        )}
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
          What was in them, and where it is now <span class="faint number">{count(items.length)}</span>
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

/** Dates, sizes and cell values: seldom what someone looks for, so they fold into one chip. */
function isNumber({ kind }: Traced): boolean {
  return kind === "number";
}

function isLine({ kind }: Traced): boolean {
  return kind !== "path" && kind !== "id" && kind !== "url" && !isNumber({ kind } as Traced);
}

interface HomeGroupProps {
  home: Home;
  isHost: boolean;
  /** What is most likely needed again comes first. */
  items: readonly Traced[];
  isLit: (item: Traced) => boolean;
  highlight: (key: string | undefined) => void;
}

function HomeGroup({ home, isHost, items, isLit, highlight }: HomeGroupProps) {
  const [isAll, setAll] = useState(false);
  const [hasNumbers, setNumbers] = useState(false);
  const named = items.filter((item) => !isNumber(item));
  const numbers = items.filter(isNumber);
  const shown = isAll ? named : named.slice(0, maxShown);
  const chip = (item: Traced) => (
    <Chip key={item.key} item={item} isLit={isLit(item)} highlight={highlight} />
  );
  return (
    <section class={`home home-${home}`} data-home={home} aria-label={`${homeNames[home]}: ${items.length}`}>
      <h4 class="home-title">
        {homeNames[home]} <span class="number">{items.length}</span>
      </h4>
      <p class="home-reason">{reasonFor(home, isHost)}</p>
      <ul class="home-items">
        {shown.map(chip)}
        {named.length > maxShown && (
          <li>
            <button type="button" class="chip chip-more" onClick={() => setAll(!isAll)}>
              {isAll ? "fewer" : `${named.length - maxShown} more`}
            </button>
          </li>
        )}
        {numbers.length > 0 && (
          <li>
            <button
              type="button"
              class={`chip chip-more${numbers.some(isLit) ? " is-lit" : ""}`}
              aria-expanded={hasNumbers}
              onClick={() => setNumbers(!hasNumbers)}
            >
              {plural(numbers.length, "number")}
            </button>
          </li>
        )}
        {hasNumbers && numbers.map(chip)}
      </ul>
    </section>
  );
}

function Chip({
  item,
  isLit,
  highlight,
}: {
  item: Traced;
  isLit: boolean;
  highlight: (key: string | undefined) => void;
}) {
  const [first] = item.sources;
  return (
    <li class={isLine(item) ? "home-line" : undefined}>
      <button
        type="button"
        class={`chip${isLit ? " is-lit" : ""}`}
        title={storyOf(item)}
        onMouseEnter={() => highlight(item.key)}
        onMouseLeave={() => highlight(undefined)}
        onFocus={() => highlight(item.key)}
        onBlur={() => highlight(undefined)}
      >
        {isLine(item) && <span class="chip-kind">{item.kind}</span>}
        <bdi>{shorten(item.text.replace(/^\s*[-*+]\s+/, ""))}</bdi>
        {first !== undefined && <span class="chip-source number">{first}</span>}
      </button>
    </li>
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
