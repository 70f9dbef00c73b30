import { type ApiError, callApi, isMissing, type Reply } from "./api.ts";
import { useNow } from "./clock.ts";
import { CompactionView } from "./compaction/compaction-view.tsx";
import { ContextView } from "./context/context-view.tsx";
import { dateTime, plural } from "./format.ts";
import { isWriting, useFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { MemoryView } from "./memory/memory-view.tsx";
import { goTo, hrefTo, type Tab, tabs, useRoute } from "./route.ts";
import { Empty, Waiting } from "./states.tsx";
import { TimelineView } from "./timeline/timeline-view.tsx";
import { attempt, showToast } from "./toast.tsx";

export type SessionMemory = Reply<"memory">;
type Status = SessionMemory["session"]["status"];

const titles: Record<Tab, string> = {
  memory: "Memory",
  context: "Context",
  compaction: "Compaction",
  timeline: "Timeline",
};

export function SessionView({ sessionId, isDemo }: { sessionId: string; isDemo: boolean }) {
  const { tab, item } = useRoute();
  const freshness = useFreshness(sessionId);
  const { data, error, reload } = useLoad("memory", { params: { id: sessionId } }, freshness);
  if (isMissing(error)) return <Gone sessionId={sessionId} error={error} retry={reload} />;
  if (!data) return <Waiting error={error} retry={reload} lines={10} />;
  return (
    <div class="session">
      <SessionHead memory={data} />
      {isDemo && <DemoHint sessionId={sessionId} tab={tab} />}
      <Tabs sessionId={sessionId} tab={tab} />
      <div class="view" role="tabpanel" id="view" aria-labelledby={`tab-${tab}`} tabIndex={-1}>
        {tab === "memory" && <MemoryView memory={data} />}
        {tab === "context" && <ContextView sessionId={sessionId} chosen={item} freshness={freshness} />}
        {tab === "compaction" && (
          <CompactionView sessionId={sessionId} chosen={item} epoch={data.session.epoch} />
        )}
        {tab === "timeline" && <TimelineView sessionId={sessionId} chosen={item} newest={data.revision} />}
      </div>
    </div>
  );
}

function SessionHead({ memory: { session } }: { memory: SessionMemory }) {
  const now = useNow();
  const isLive = isWriting(session.id, now);
  return (
    <header class="session-head">
      <div class="session-head-text">
        <h1 class="session-title">
          <bdi>{session.title || session.id}</bdi>
        </h1>
        <p class="session-facts">
          <span class={isLive ? "live" : ""}>
            {isLive ? "active now" : `last change ${dateTime(session.updatedAt)}`}
          </span>
          <span>{plural(session.messages, "message")}</span>
          <span>{plural(Math.max(0, session.epoch - 1), "compaction")}</span>
          <span>revision {session.revision}</span>
          {session.parent !== null && (
            <span>
              {session.origin} from <a href={hrefTo(session.parent)}>{session.parent}</a>
            </span>
          )}
          {session.status !== "active" && <span class="badge">{session.status}</span>}
        </p>
        {session.delegated && (
          <p class="session-task">
            <span class="badge">{session.delegated.status.replace("_", " ")}</span>{" "}
            <bdi>{session.delegated.task}</bdi>
          </p>
        )}
      </div>
      <div class="session-actions">
        {session.status === "active" ? (
          <button type="button" class="button" onClick={() => setStatus(session.id, "archived")}>
            Archive
          </button>
        ) : (
          <button type="button" class="button" onClick={() => setStatus(session.id, "active")}>
            Restore
          </button>
        )}
        <button type="button" class="button button-danger" onClick={() => setStatus(session.id, "deleted")}>
          Delete
        </button>
      </div>
    </header>
  );
}

const done: Record<Status, string> = { active: "Restored", archived: "Archived", deleted: "Deleted" };

function setStatus(id: string, status: Status): void {
  attempt(async () => {
    const { before } = await callApi("setStatus", { params: { id }, body: { status } });
    showToast(`${done[status]} ${id}.`, { label: "Undo", run: () => setStatus(id, before) });
    if (status === "deleted") location.hash = "#/";
    else goTo(id);
  });
}

function Gone({
  sessionId,
  error,
  retry,
}: {
  sessionId: string;
  error: ApiError | undefined;
  retry: () => void;
}) {
  return (
    <Empty title="Session not found">
      <p>{error?.message}</p>
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
  const walk = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length] ?? tab;
    goTo(sessionId, next);
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
          href={hrefTo(sessionId, each)}
          aria-selected={each === tab}
          aria-controls={each === tab ? "view" : undefined}
          tabIndex={each === tab ? 0 : -1}
        >
          {titles[each]}
        </a>
      ))}
    </div>
  );
}

const demoHints: Record<string, string> = {
  audit:
    "A scripted agent is auditing a workbook in a context window of 4,400 tokens, so small that it needs one compaction after another. Watch the notepad grow, then see what each compaction removed.",
  "audit-finished":
    "This audit is finished. It was compacted several times, and all its findings are still here.",
};

function DemoHint({ sessionId, tab }: { sessionId: string; tab: Tab }) {
  const text = demoHints[sessionId];
  if (text === undefined || tab !== "memory") return null;
  return (
    <p class="hint">
      <strong>Demo.</strong> {text}{" "}
      <a href={hrefTo("audit-finished", "compaction")}>See what survived a compaction</a>
    </p>
  );
}
