import { useEffect, useRef } from "preact/hooks";
import { type ApiError, callApi, isMissing, type Reply } from "../api.ts";
import { CompactionView } from "../compaction/compaction-view.tsx";
import { ContextView } from "../context/context-view.tsx";
import { ConversationView } from "../conversation/conversation-view.tsx";
import { percent } from "../format.ts";
import { useFreshness } from "../live.ts";
import { useLoad } from "../load.ts";
import { MemoryView } from "../memory/memory-view.tsx";
import { goTo, hrefTo, type Tab, tabs, useRoute } from "../route.ts";
import { useScrollToChosen } from "../scroll-to-chosen.ts";
import { Empty, Waiting } from "../states.tsx";
import { TimelineView } from "../timeline/timeline-view.tsx";
import { attempt } from "../toast.tsx";
import { Attention } from "./attention.tsx";
import { CompactionCard } from "./compaction-card.tsx";
import { useScrollToTop } from "./scroll-to-top.ts";
import { SessionHead, wasDeleted } from "./session-head.tsx";
import { SessionStrip } from "./session-strip.tsx";

export type SessionMemory = Reply<"memory">;

export const tabNames: Record<Tab, string> = {
  memory: "Memory",
  context: "Context",
  compaction: "Compaction",
  conversation: "Conversation",
  timeline: "Timeline",
};

export function SessionView({ sessionId }: { sessionId: string }) {
  const { tab, item } = useRoute();
  const freshness = useFreshness(sessionId);
  const { data, error, reload } = useLoad("memory", { params: { id: sessionId } }, freshness);
  useScrollToTop(tab);
  useTitle(data);
  if (isMissing(error)) return <Gone sessionId={sessionId} error={error} retry={reload} />;
  if (!data) return <Waiting error={error} retry={reload} lines={10} />;
  const { session, fill, revision } = data;
  return (
    <div class="session">
      <SessionHead memory={data} />
      <CompactionCard sessionId={sessionId} epoch={session.epoch} />
      <Attention sessionId={sessionId} freshness={freshness} />
      <SessionStrip sessionId={sessionId} freshness={freshness} />
      <Tabs sessionId={sessionId} tab={tab} />
      <div class="view" role="tabpanel" id="view" aria-labelledby={`tab-${tab}`} tabIndex={-1}>
        {tab === "memory" && <MemoryView memory={data} />}
        {tab === "context" && <ContextView sessionId={sessionId} chosen={item} freshness={freshness} />}
        {tab === "compaction" && (
          <CompactionView
            sessionId={sessionId}
            chosen={item}
            epoch={session.epoch}
            limit={fill?.limit}
            freshness={freshness}
            isDemo={session.agent === "demo"}
          />
        )}
        {tab === "conversation" && (
          <ConversationView sessionId={sessionId} chosen={item} freshness={freshness} />
        )}
        {tab === "timeline" && <TimelineView sessionId={sessionId} chosen={item} newest={revision} />}
      </div>
    </div>
  );
}

/** The browser's tab shows how full the window is, so that it can be watched from another one. */
function useTitle(memory: SessionMemory | undefined): void {
  const name = memory?.session.name ?? "";
  const share = memory?.fill ? `${percent(memory.fill.tokens, memory.fill.limit)} · ` : "";
  useEffect(() => {
    document.title = name === "" ? "Holdfast" : `${share}${name} · Holdfast`;
    return () => {
      document.title = "Holdfast";
    };
  }, [name, share]);
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
    <Empty title={wasDeleted(sessionId) ? "Deleted" : "Session not found"}>
      <p>{wasDeleted(sessionId) ? "The session is in the list of deleted ones." : error?.message}</p>
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
          {wasDeleted(sessionId) ? "Restore it" : "Restore it if it was deleted"}
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
  const list = useRef<HTMLDivElement>(null);
  useScrollToChosen(list, '[aria-selected="true"]', tab);
  return (
    <div ref={list} class="tabs" role="tablist" aria-label="Views of this session" onKeyDown={walk}>
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
          {tabNames[each]}
        </a>
      ))}
    </div>
  );
}
