import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, callApi, type Reply } from "./api.ts";
import { Connection, PageButtons } from "./app.tsx";
import { type Calls, callAt, useCalls } from "./calls.ts";
import { Clock } from "./clock.tsx";
import { ago, dateTime, percent } from "./format.ts";
import { HistoryView } from "./history.tsx";
import { Sign } from "./home.tsx";
import { connection, useMemoryFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { MemoryView } from "./memory.tsx";
import { goTo, hrefTo, type Route, type Tab, tabs, useRoute } from "./route.ts";
import { Empty, Waiting } from "./states.tsx";
import { useBeat, useNow, useStore } from "./store.ts";
import { attempt, showToast } from "./toast.tsx";
import { WindowView } from "./window.tsx";
import { WindowBar, type WindowFill } from "./window-bar.tsx";

export type SessionMemory = Reply<"session">;
type Session = SessionMemory["session"];
type Status = Session["status"];

/** ⌘ on a Mac. */
const modifier = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl";

export const tabNames: Record<Tab, string> = { memory: "Memory", window: "Window", history: "History" };

interface SessionViewProps {
  sessionId: string;
  openPalette: (query?: string) => void;
  openHelp: () => void;
}

/** One session: its name and window, one clock, and three views of the time that the clock shows. */
export function SessionView({ sessionId, openPalette, openHelp }: SessionViewProps) {
  const route = useRoute();
  const { tab, at } = route;
  const params = { id: sessionId };
  const isHosted = useRef(false);
  const beat = useBeat(isHosted.current);
  const freshness = useMemoryFreshness(sessionId);
  const now = useLoad("session", { params }, `${freshness} ${beat}`);
  isHosted.current = (now.data?.session.host ?? null) !== null;
  const past = useLoad("session", at === undefined ? undefined : { params, query: { revision: at } }, 0);
  const calls = useCalls(sessionId, now.data?.session, beat);
  useTitle(now.data?.session);
  useScrollToTop(tab);
  const { data, error, reload } = now;
  // While another time loads, the last one stays.
  const shown = useRef<SessionMemory>(undefined);
  shown.current = at === undefined ? data : (past.data ?? shown.current);
  const memory = past.error ? undefined : shown.current;
  return (
    <>
      <header class="header">
        <div class="topbar">
          <a class="back" href="#/" aria-label="All sessions" title="All sessions">
            <img class="brand-mark" src="favicon.svg" alt="" width="22" height="22" /> ‹
          </a>
          {data ? (
            <Head session={data.session} window={windowAt(data.session, calls, route)} />
          ) : (
            <span class="spread" />
          )}
          <button
            type="button"
            class="button where-button"
            onClick={() => openPalette()}
            aria-keyshortcuts="Control+K"
          >
            Where is …? <kbd>{modifier} K</kbd>
          </button>
          <Connection />
          {data && <More session={data.session} openHelp={openHelp} />}
        </div>
        <div class="subbar">
          <Tabs sessionId={sessionId} tab={tab} />
          {data && (
            <Clock
              sessionId={sessionId}
              calls={calls}
              newest={data.newest}
              epoch={data.session.last?.epoch}
            />
          )}
        </div>
      </header>
      <main class="main" id="main" tabIndex={-1}>
        {error?.status === 404 ? (
          <Gone sessionId={sessionId} error={error} retry={reload} />
        ) : !data ? (
          <Waiting error={error} retry={reload} lines={10} />
        ) : (
          <div class="view" role="tabpanel" id="view" aria-labelledby={`tab-${tab}`} tabIndex={-1}>
            {data.session.agent === "demo" && <DemoLead session={data.session} />}
            <View
              tab={tab}
              data={data}
              memory={memory}
              past={past.error}
              calls={calls}
              openPalette={openPalette}
            />
          </div>
        )}
      </main>
    </>
  );
}

interface ViewProps {
  tab: Tab;
  data: SessionMemory;
  memory: SessionMemory | undefined;
  past: ApiError | undefined;
  calls: Calls;
  openPalette: (query?: string) => void;
}

function View({ tab, data, memory, past, calls, openPalette }: ViewProps) {
  if (tab === "window") return <WindowView session={data.session} calls={calls} />;
  if (tab === "history") return <HistoryView sessionId={data.session.id} newest={data.newest} />;
  if (past)
    return (
      <Empty title="This time cannot be shown">
        <p>{past.message}</p>
      </Empty>
    );
  if (!memory) return <Waiting error={undefined} retry={() => undefined} />;
  return <MemoryView memory={memory} openPalette={openPalette} />;
}

function DemoLead({ session: { id, state, compactions } }: { session: Session }) {
  if (state !== "working" && compactions > 0)
    return (
      <p class="lead">
        The audit is done. The conversation was compacted {compactions} times, and the{" "}
        <a href={hrefTo(id)}>notepad</a> still has every finding. The{" "}
        <a href={hrefTo(id, "history", `c${compactions}`)}>last compaction</a> shows what the agent got back.
      </p>
    );
  return (
    <p class="lead">
      A scripted agent audits a workbook that does not fit into its window. At the first tick of the bar
      above, Holdfast warns it, and it writes its findings into its <a href={hrefTo(id)}>notepad</a>. Then its
      conversation is compacted, and it goes on from the notepad.
    </p>
  );
}

/** The window at the time that the page shows; null if no call tells. */
function windowAt({ window }: Session, { calls }: Calls, { at, call }: Route): WindowFill | null {
  if (at === undefined && call === undefined) return window;
  const then = callAt(calls, { at, call });
  if (!then) return null;
  const { tokens, contextWindow, basis, source } = then;
  return { tokens, limit: contextWindow, basis, isLimitKnown: source === "ledger" };
}

function Head({ session, window }: { session: Session; window: WindowFill | null }) {
  const now = useNow();
  const isLive = useStore(connection) === "live";
  const { name, agent, status, attention, updatedAt, parent, delegated } = session;
  const state = isLive ? session.state : "quiet";
  const words = {
    working: "working",
    waiting: "waiting for you",
    quiet: `written ${ago(updatedAt, Math.max(now, updatedAt))}`,
  };
  return (
    <div class="head">
      <Sign state={state} needs={false} />
      <h1 class="head-title" title={name}>
        <bdi>{name}</bdi>
      </h1>
      <span class="head-facts">
        {agent === "own" ? "own agent" : agent} ·{" "}
        <span class={`state state-${state}`} title={dateTime(updatedAt)}>
          {words[state]}
        </span>
        {status !== "active" && ` · ${status}`}
        {parent !== null && (
          <>
            {" · "}
            <a href={hrefTo(parent)}>child of another session</a>
          </>
        )}
        {delegated && ` · ${delegated.task}`}
      </span>
      {attention.length > 0 && <Attention session={session} />}
      <span class="spread" />
      {window && <WindowBar window={window} isWide />}
    </div>
  );
}

/** The items that need the user, each with its next step. */
function Attention({ session: { id, attention } }: { session: Session }) {
  return (
    <details class="menu needs-menu">
      <summary class="needs" aria-label={`Needs you: ${attention.length}`}>
        ! {attention.length}
      </summary>
      <ul class="menu-list">
        {attention.map(({ kind, text, epoch, command }) => (
          <li key={`${kind} ${text}`}>
            <span dir="auto">{text}</span>{" "}
            {epoch !== null ? (
              <a href={hrefTo(id, "history", `c${epoch}`)}>See the compaction</a>
            ) : command !== null ? (
              <code>{command}</code>
            ) : (
              <a href={hrefTo(id, kind === "delegated" ? "history" : "memory")}>See it</a>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** ⋯: what is done rarely. */
function More({
  session: { id, status, name, project },
  openHelp,
}: {
  session: Session;
  openHelp: () => void;
}) {
  const [isBusy, setBusy] = useState(false);
  const change = (next: Status) => {
    setBusy(true);
    attempt(() => setStatus(id, name, next).finally(() => setBusy(false)));
  };
  return (
    <details class="menu">
      <summary class="icon-button" aria-label="More">
        ⋯
      </summary>
      <div class="menu-list">
        <p class="faint menu-facts">
          <bdi>{id}</bdi>
          {project !== null && <bdi>{project}</bdi>}
        </p>
        <div class="menu-buttons">
          {status === "active" ? (
            <button type="button" class="button" disabled={isBusy} onClick={() => change("archived")}>
              Archive
            </button>
          ) : (
            <button type="button" class="button" disabled={isBusy} onClick={() => change("active")}>
              Restore
            </button>
          )}
          <button type="button" class="button" disabled={isBusy} onClick={() => change("deleted")}>
            Delete
          </button>
          <span class="spread" />
          <PageButtons openHelp={openHelp} />
        </div>
      </div>
    </details>
  );
}

const done: Record<Status, string> = { active: "Restored", archived: "Archived", deleted: "Deleted" };

async function setStatus(id: string, name: string, status: Status): Promise<void> {
  const { before } = await callApi("setStatus", { params: { id }, body: { status } });
  showToast(`${done[status]} ${name}.`, {
    label: "Undo",
    run: () => attempt(() => setStatus(id, name, before)),
  });
}

/** The browser's tab shows how full the window is, so that it can be watched from another one. */
function useTitle(session: Session | undefined): void {
  const name = session?.name ?? "";
  const window = session?.window;
  const share = window ? `${percent(window.tokens, window.limit)} · ` : "";
  useEffect(() => {
    document.title = name === "" ? "Holdfast" : `${share}${name} · Holdfast`;
    return () => {
      document.title = "Holdfast";
    };
  }, [name, share]);
}

/** Another view starts at its top. */
function useScrollToTop(tab: Tab): void {
  const last = useRef(tab);
  useEffect(() => {
    if (last.current !== tab) document.getElementById("main")?.scrollTo(0, 0);
    last.current = tab;
  }, [tab]);
}

function Gone({ sessionId, error, retry }: { sessionId: string; error: ApiError; retry: () => void }) {
  return (
    <Empty title="Session not found">
      <p>{error.message}</p>
      <p class="empty-actions">
        <button
          type="button"
          class="button"
          onClick={() =>
            attempt(async () => {
              await callApi("setStatus", { params: { id: sessionId }, body: { status: "active" } });
              retry();
            })
          }
        >
          Restore it if it was deleted
        </button>
        <a class="button" href="#/">
          All sessions
        </a>
      </p>
    </Empty>
  );
}

function Tabs({ sessionId, tab }: { sessionId: string; tab: Tab }) {
  const { at, call } = useRoute();
  const detail = { at, call };
  const walk = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? tab;
    goTo(sessionId, next, undefined, detail);
    requestAnimationFrame(() => document.getElementById(`tab-${next}`)?.focus());
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views of this session" onKeyDown={walk}>
      {tabs.map((each) => (
        <a
          key={each}
          id={`tab-${each}`}
          role="tab"
          class="tab"
          href={hrefTo(sessionId, each, undefined, detail)}
          aria-selected={each === tab}
          aria-controls={each === tab ? "view" : undefined}
          tabIndex={each === tab ? 0 : -1}
        >
          {tabNames[each]}
        </a>
      ))}
    </div>
  );
}
