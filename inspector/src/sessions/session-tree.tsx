import { useEffect, useRef, useState } from "preact/hooks";
import { useNow } from "../clock.ts";
import { ago, dayOf, plural } from "../format.ts";
import { isAtWork } from "../live.ts";
import { goTo, isPlaceInUrl, replaceWith, useRoute } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";
import { rowAfterKey, VirtualList } from "../virtual-list.tsx";
import { type SessionItem, type SessionPages, type Shown, useSessionPages } from "./session-pages.ts";

const rowHeight = 56;

interface Row {
  session: SessionItem | undefined;
  depth: number;
  /** The day, on the first row of a day. */
  day: string;
}

/** Sessions with their children; up and down move, left and right collapse and expand. */
export function SessionTree({ shown, isWide }: { shown: Shown; isWide: boolean }) {
  const pages = useSessionPages(shown);
  const { sessionId, tab } = useRoute();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const now = useNow();
  const list = useRef<HTMLDivElement>(null);
  const rows = rowsOf(pages, open, now);
  // Rows that are not loaded have no session either.
  const current = rows.findIndex(({ session }) => session !== undefined && session.id === sessionId);

  // Without a session in the URL, open the most recent one; the demo's on what it demonstrates.
  const first = pages.root(0);
  useEffect(() => {
    // The address may have changed since this was rendered.
    if (isWide && sessionId === undefined && first !== undefined && !isPlaceInUrl())
      replaceWith(first.id, first.agent === "demo" ? "compaction" : "memory");
  }, [isWide, sessionId === undefined, first?.id]);

  if (pages.total === undefined) return <Waiting error={pages.error} retry={pages.reload} lines={6} />;
  if (pages.total === 0) return <NoSessions shown={shown} />;

  const toggle = (id: string, isOpen: boolean) =>
    setOpen((before) => {
      const after = new Set(before);
      if (isOpen) after.add(id);
      else after.delete(id);
      return after;
    });
  const onKey = (event: KeyboardEvent) => {
    const session = rows[current]?.session;
    const next = rowAfterKey(event, current, rows.length);
    const target = next === undefined ? undefined : rows[next]?.session;
    if (target) replaceWith(target.id, tab);
    else if (event.key === "ArrowRight" && session && session.children > 0) toggle(session.id, true);
    else if (event.key === "ArrowLeft" && session) toggle(session.id, false);
    else return;
    event.preventDefault();
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  };
  return (
    <div class="tree" ref={list}>
      <VirtualList
        label="Sessions"
        role="tree"
        total={rows.length}
        rowHeight={rowHeight}
        current={current}
        onRange={(from, to) => pages.request(from, to, open)}
        onKey={onKey}
        row={(index) => {
          const { session, depth, day } = rows[index] ?? { session: undefined, depth: 0, day: "" };
          if (!session) return <div class="session-row session-row-empty" />;
          const isCurrent = session.id === sessionId;
          return (
            <SessionRow
              session={session}
              depth={depth}
              day={day}
              now={now}
              isCurrent={isCurrent}
              isReachable={isCurrent || (current === -1 && index === 0)}
              isOpen={open.has(session.id)}
              onToggle={(isOpen) => toggle(session.id, isOpen)}
              onChoose={() => goTo(session.id, tab)}
            />
          );
        }}
      />
    </div>
  );
}

function rowsOf(pages: SessionPages, open: ReadonlySet<string>, now: number): Row[] {
  const rows: Row[] = [];
  let last = "";
  const add = (session: SessionItem | undefined, depth: number) => {
    const day = session && depth === 0 ? dayOf(session.updatedAt, now) : last;
    rows.push({ session, depth, day: day === last ? "" : day });
    last = day;
    if (session && open.has(session.id) && depth < 20)
      for (const child of pages.children(session.id)) add(child, depth + 1);
  };
  for (let index = 0; index < (pages.total ?? 0); index++) add(pages.root(index), 0);
  return rows;
}

interface SessionRowProps {
  session: SessionItem;
  depth: number;
  day: string;
  now: number;
  isCurrent: boolean;
  isReachable: boolean;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
  onChoose: () => void;
}

function SessionRow(props: SessionRowProps) {
  const { session, depth, day, now, isCurrent, isReachable, isOpen } = props;
  const isLive = isAtWork(session.id, now);
  const hasChildren = session.children > 0;
  return (
    <div
      role="treeitem"
      class={`session-row${isCurrent ? " is-current" : ""}${day === "" ? "" : " is-first"}`}
      aria-selected={isCurrent}
      aria-level={depth + 1}
      aria-expanded={hasChildren ? isOpen : undefined}
      tabIndex={isReachable ? 0 : -1}
      style={{ paddingInlineStart: `${12 + depth * 16}px` }}
      onClick={props.onChoose}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          props.onChoose();
        }
      }}
    >
      <span
        class={`twist${hasChildren ? "" : " twist-none"}${isOpen ? " is-open" : ""}`}
        aria-hidden="true"
        onClick={(event) => {
          if (!hasChildren) return;
          event.stopPropagation();
          props.onToggle(!isOpen);
        }}
      >
        ›
      </span>
      <span class="session-row-text">
        <span class="session-row-title" title={session.id}>
          <bdi>{session.name}</bdi>
        </span>
        <span class="session-row-facts">
          {isLive ? <span class="live">at work</span> : <span>{ago(session.updatedAt, now)}</span>}
          {session.host !== null && <span class="session-row-host">{session.host}</span>}
          <span>{describe(session)}</span>
        </span>
      </span>
      {day !== "" && <span class="session-day">{day}</span>}
      {isLive && <span class="live-dot" aria-hidden="true" />}
    </div>
  );
}

function describe({ delegated, epoch, notes, messages, children }: SessionItem): string {
  const facts = [
    delegated ? `${delegated.kind} · ${delegated.status.replace("_", " ")}` : "",
    messages > 0 ? plural(messages, "message") : "",
    notes > 0 ? plural(notes, "note") : "",
    epoch > 1 ? `${epoch - 1}× compacted` : "",
    children > 0 ? `${children} ${children === 1 ? "child" : "children"}` : "",
  ];
  return facts.filter((fact) => fact !== "").join(" · ");
}

function NoSessions({ shown }: { shown: Shown }) {
  return <Empty title={shown === "active" ? "No sessions yet" : `No ${shown} sessions`} />;
}
