import { useState } from "preact/hooks";
import { callApi } from "../api.ts";
import { useNow } from "../clock.ts";
import { count, dateTime, percent, plural } from "../format.ts";
import { isAtWork } from "../live.ts";
import { goTo, hrefTo } from "../route.ts";
import { attempt, showToast } from "../toast.tsx";
import type { SessionMemory } from "./session-view.tsx";

type Session = SessionMemory["session"];
type Status = Session["status"];

/** The session's name, its state and how full its window is. */
export function SessionHead({ memory: { session, fill } }: { memory: SessionMemory }) {
  const now = useNow();
  const isLive = isAtWork(session.id, now);
  return (
    <header class="session-head">
      <div class="session-head-text">
        <h1 class="session-title">
          <bdi>{session.name}</bdi>
        </h1>
        <p class="session-facts">
          {session.host !== null && <span class="badge badge-host">{session.host}</span>}
          <span class={isLive ? "live" : ""}>
            {isLive ? "at work" : `last change ${dateTime(session.updatedAt)}`}
          </span>
          {session.messages > 0 && <span>{plural(session.messages, "message")}</span>}
          <span>{plural(Math.max(0, session.epoch - 1), "compaction")}</span>
          <span>revision {count(session.revision)}</span>
          {session.parent !== null && (
            <span>
              {session.origin} from <a href={hrefTo(session.parent)}>{session.parent}</a>
            </span>
          )}
          {session.status !== "active" && <span class="badge">{session.status}</span>}
        </p>
        <p class="session-ids faint">
          {session.project !== null && (
            <bdi class="session-project" title={session.project}>
              {session.project}
            </bdi>
          )}
          {session.name !== session.id && <bdi>{session.id}</bdi>}
        </p>
        {session.delegated && (
          <p class="session-task">
            <span class="badge">{session.delegated.status.replace("_", " ")}</span>{" "}
            <bdi>{session.delegated.task}</bdi>
          </p>
        )}
      </div>
      <div class="session-side">
        {fill && <FillGauge fill={fill} />}
        <StatusButtons session={session} />
      </div>
    </header>
  );
}

/** A share of the window from which a compaction is near. */
const nearlyFull = 0.7;

function FillGauge({ fill }: { fill: NonNullable<SessionMemory["fill"]> }) {
  const { tokens, limit, isLimitKnown, basis } = fill;
  const share = Math.min(1, tokens / limit);
  const about = basis === "estimate" ? "about " : "";
  const text = `${about}${count(tokens)} of ${isLimitKnown ? "" : "about "}${count(limit)} tokens`;
  return (
    <div class="fill">
      <p class="fill-text number">
        <strong>{percent(tokens, limit)} full</strong> <span class="faint">{text}</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: browsers do not let a page style a meter */}
      <div
        class={`fill-track${share >= nearlyFull ? " is-near" : ""}`}
        role="meter"
        aria-label="Context window"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={Math.min(tokens, limit)}
        aria-valuetext={`${percent(tokens, limit)} full, ${text}`}
      >
        <div class="fill-bar" style={{ width: `${100 * share}%` }} />
      </div>
    </div>
  );
}

function StatusButtons({ session: { id, status, name } }: { session: Session }) {
  const [isBusy, setBusy] = useState(false);
  const change = (next: Status) => {
    setBusy(true);
    attempt(() => setStatus(id, name, next).finally(() => setBusy(false)));
  };
  return (
    <div class="session-actions">
      {status === "active" ? (
        <button type="button" class="button" disabled={isBusy} onClick={() => change("archived")}>
          Archive
        </button>
      ) : (
        <button type="button" class="button" disabled={isBusy} onClick={() => change("active")}>
          Restore
        </button>
      )}
      <button type="button" class="button button-danger" disabled={isBusy} onClick={() => change("deleted")}>
        Delete
      </button>
    </div>
  );
}

const done: Record<Status, string> = { active: "Restored", archived: "Archived", deleted: "Deleted" };

const deleted = new Set<string>();

/** Whether this page deleted the session. */
export function wasDeleted(id: string): boolean {
  return deleted.has(id);
}

async function setStatus(id: string, name: string, status: Status): Promise<void> {
  const { before } = await callApi("setStatus", { params: { id }, body: { status } });
  if (status === "deleted") deleted.add(id);
  else deleted.delete(id);
  showToast(`${done[status]} ${name}.`, {
    label: "Undo",
    run: () => attempt(() => setStatus(id, name, before)),
  });
  // The page stays on a deleted session: the next one would have its Delete button under the pointer.
  if (status === "active") goTo(id);
}
