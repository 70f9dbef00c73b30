import { useRef, useState } from "preact/hooks";
import type { Reply } from "./api.ts";
import { describeCompaction } from "./facts.ts";
import { ago, dateTime, plural } from "./format.ts";
import { connection, useActivity } from "./live.ts";
import { useLoad } from "./load.ts";
import { hrefTo } from "./route.ts";
import { walkLinks } from "./shortcuts.tsx";
import { Empty, Pager, Waiting } from "./states.tsx";
import { useBeat, useNow, useStore } from "./store.ts";
import { WindowBar } from "./window-bar.tsx";

export type Item = Reply<"listSessions">["sessions"][number];
type Status = Item["status"];

const pageSize = 30;
const statuses: readonly [Status, string][] = [
  ["active", "Active"],
  ["archived", "Archived"],
  ["deleted", "Deleted"],
];

/** All sessions as a table: what works, what needs the person, how full each window is. */
export function Home({ openPalette }: { openPalette: () => void }) {
  const [status, setStatus] = useState<Status>("active");
  const [offset, setOffset] = useState(0);
  const { generation, items } = useActivity();
  const query = { status, parent: "none", offset, limit: pageSize };
  const isHosted = useRef(false);
  const beat = useBeat(isHosted.current);
  const { data, error, reload } = useLoad("listSessions", { query }, `${generation} ${beat}`);
  isHosted.current = data?.sessions.some(({ host }) => host !== null) ?? false;
  const { data: health } = useLoad("health", {}, generation);
  if (!data) return <Waiting error={error} retry={reload} lines={12} />;
  const rows = rowsOf(data.sessions, items, status, offset === 0);
  const isEmpty = status === "active" && offset === 0 && rows.length === 0;
  const working = rows.filter((row) => row.state === "working").length;
  const needy = rows.filter((row) => row.attention.length > 0).length;
  return (
    <div class="home">
      <div class="home-head">
        <h1>Sessions</h1>
        {!isEmpty && <Week />}
        <span class="spread" />
        <fieldset class="segments" aria-label="Which sessions">
          {statuses.map(([each, label]) => (
            <button
              key={each}
              type="button"
              class="segment"
              aria-pressed={status === each}
              onClick={() => {
                setStatus(each);
                setOffset(0);
              }}
            >
              {label}
            </button>
          ))}
        </fieldset>
        <button type="button" class="button" onClick={openPalette}>
          Search <kbd>/</kbd>
        </button>
      </div>
      {isEmpty ? (
        <FirstSteps />
      ) : (
        <>
          <p class="home-facts" role="status">
            {working > 0 ? `${working} working now` : "None works now"}
            {needy > 0 && <strong class="needs"> · {needy === 1 ? "1 needs" : `${needy} need`} you</strong>}
            {data.total > pageSize && " · on this page"}
            {health?.demo && " · a scripted agent plays here"}
          </p>
          {rows.length === 0 ? <Empty title={`No ${status} session`} /> : <Table rows={rows} />}
          {data.total > pageSize && (
            <Pager
              offset={offset}
              shown={data.sessions.length}
              total={data.total}
              noun="session"
              pageSize={pageSize}
              go={setOffset}
            />
          )}
        </>
      )}
    </div>
  );
}

/** The listed sessions as the newest events have them; new ones come first. */
function rowsOf(
  listed: readonly Item[],
  items: ReadonlyMap<string, Item>,
  status: Status,
  isFirstPage: boolean,
): Item[] {
  const known = new Set(listed.map(({ id }) => id));
  const added = isFirstPage
    ? [...items.values()].filter(({ id, parent }) => !known.has(id) && parent === null)
    : [];
  const rows = [...added, ...listed.map((row) => newest(row, items.get(row.id)))];
  const shown = rows.filter((row) => row.status === status);
  return isFirstPage ? shown.sort((a, b) => b.updatedAt - a.updatedAt) : shown;
}

function newest(row: Item, item: Item | undefined): Item {
  return item && item.revision > row.revision ? item : row;
}

function Table({ rows }: { rows: readonly Item[] }) {
  return (
    <table class="sessions">
      <thead>
        <tr>
          <th scope="col">Session</th>
          <th scope="col">Agent</th>
          <th scope="col">Window</th>
          <th scope="col">Plan</th>
          <th scope="col">Last compaction</th>
          <th scope="col">Written</th>
        </tr>
      </thead>
      <tbody onKeyDown={(event) => void walkLinks(event, ".name")}>
        {rows.map((row) => (
          <Row key={row.id} row={row} depth={0} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ row, depth }: { row: Item; depth: number }) {
  const now = useNow();
  const isLive = useStore(connection) === "live";
  const [isOpen, setOpen] = useState(false);
  const { id, name, agent, window, plan, last, attention, updatedAt } = row;
  const state = isLive ? row.state : "quiet";
  const [first] = attention;
  return (
    <>
      <tr class={`row row-${state}`}>
        <td class="cell-name">
          <span class="name-line" style={{ paddingInlineStart: `${depth * 20}px` }}>
            <Sign state={state} needs={first !== undefined} />
            <a class="name" href={hrefTo(id)}>
              <bdi>{name}</bdi>
            </a>
            {row.children > 0 && (
              <button
                type="button"
                class="link children"
                aria-expanded={isOpen}
                onClick={() => setOpen(!isOpen)}
              >
                {isOpen ? "hide" : plural(row.children, "child session")}
              </button>
            )}
          </span>
        </td>
        <td class="cell-agent">{agent}</td>
        <td class="cell-window">
          {window ? <WindowBar window={window} /> : <span class="faint unknown">not known</span>}
        </td>
        <td class="cell-plan number">
          {plan ? `${plan.done}/${plan.total}` : <span class="faint unknown">–</span>}
        </td>
        <td class={`cell-last${first ? " needs" : ""}`}>
          {first ? (
            first.brief
          ) : last ? (
            <a class="quiet-link" href={hrefTo(id, "history", `c${last.epoch}`)}>
              {describeCompaction(last)}
            </a>
          ) : (
            <span class="faint unknown">none yet</span>
          )}
        </td>
        <td class="cell-written faint number" title={dateTime(updatedAt)}>
          {ago(updatedAt, Math.max(now, updatedAt))}
        </td>
      </tr>
      {isOpen && <Children id={id} depth={depth + 1} />}
    </>
  );
}

function Children({ id, depth }: { id: string; depth: number }) {
  const { generation, items } = useActivity();
  const { data } = useLoad("listSessions", { query: { parent: id, limit: 200 } }, generation);
  return (
    <>
      {data?.sessions.map((row) => (
        <Row key={row.id} row={newest(row, items.get(row.id))} depth={depth} />
      ))}
    </>
  );
}

/** ● works, ! needs the person; both have a word for those who do not see them. */
export function Sign({ state, needs }: { state: Item["state"]; needs: boolean }) {
  const [sign, word] = needs
    ? ["!", "needs you"]
    : state === "working"
      ? ["●", "working"]
      : state === "waiting"
        ? ["○", "waiting for you"]
        : ["", ""];
  return (
    <span class={`sign${needs ? " sign-needs" : ` sign-${state}`}`} title={word}>
      <span aria-hidden="true">{sign}</span>
      <span class="unseen">{word}</span>
    </span>
  );
}

/** Compactions of the last seven days, a bar for each. */
function Week() {
  const { generation } = useActivity();
  const { data } = useLoad("week", {}, generation);
  if (!data || data.compactions === 0) return null;
  const highest = Math.max(...data.days.map(({ compactions }) => compactions));
  const text = `${plural(data.compactions, "compaction")} in 7 days`;
  return (
    <span class="week" title={text}>
      <svg class="week-bars" viewBox="0 0 70 20" aria-hidden="true">
        {data.days.map(({ at, compactions }, index) => (
          <rect
            key={at}
            x={index * 10}
            width={8}
            y={20 - Math.max(1, (20 * compactions) / highest)}
            height={Math.max(1, (20 * compactions) / highest)}
          />
        ))}
      </svg>
      {text}
    </span>
  );
}

const steps: readonly [command: string, result: string][] = [
  [
    "npx holdfast init",
    "connects the coding agents of this project. Their notes then survive compaction and /clear.",
  ],
  ["npx holdfast doctor", "checks that memory reaches each of them."],
  ["npx holdfast serve --demo", "plays an agent at work, in a store of its own."],
];

function FirstSteps() {
  return (
    <section class="first-steps" aria-labelledby="title-first">
      <h2 id="title-first">No sessions yet</h2>
      <p>The first note of an agent creates a session, and it appears here by itself.</p>
      <ol>
        {steps.map(([command, result]) => (
          <li key={command}>
            <code>{command}</code>
            <span>{result}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
