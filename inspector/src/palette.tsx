import { useEffect, useMemo, useState } from "preact/hooks";
import { callApi, type Reply } from "./api.ts";
import { actorName, count, dateTime, plural } from "./format.ts";
import { currentRoute, hrefTo, tabs } from "./route.ts";
import { tabNames } from "./session.tsx";
import { Dialog } from "./shortcuts.tsx";
import { nextTheme } from "./theme.ts";

type Where = Reply<"where">;
type Place = Where["places"][number];
type Hit = Reply<"search">["hits"][number];
type Session = Reply<"listSessions">["sessions"][number];

/** Something to go to, or to do. */
interface Choice {
  key: string;
  kind: string;
  text: string;
  hint: string;
  href?: string;
  run?: () => void;
}

const typingDelay = 120;
const maxSessions = 60;
const maxChoices = 14;

/** "Where is …?": what the agent has of a text, and the way to every session, place and action. */
export function Palette({ start, close }: { start: string; close: () => void }) {
  const [query, setQuery] = useState(start);
  const [at, setAt] = useState(0);
  const { sessionId } = currentRoute();
  const wanted = query.trim();
  const sessions = useAnswer<readonly Session[]>("sessions", (signal) =>
    callApi("listSessions", { query: { status: "all", limit: maxSessions } }, signal).then(
      (page) => page.sessions,
    ),
  );
  const where = useAnswer<Where>(
    sessionId !== undefined && wanted.length >= 2 ? `${sessionId} ${wanted}` : undefined,
    (signal) => callApi("where", { params: { id: sessionId ?? "" }, query: { q: wanted } }, signal),
  );
  const found = useAnswer<Reply<"search">>(wanted.length >= 2 ? wanted : undefined, (signal) =>
    callApi("search", { query: { q: wanted, status: "all", limit: 20 } }, signal),
  );
  const choices = useMemo(
    () => choicesFor(wanted, sessionId, where, sessions ?? [], found?.hits ?? []).slice(0, maxChoices),
    [wanted, where, sessions, found],
  );
  useEffect(() => setAt(0), [query]);
  const run = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    if (choice.run) choice.run();
    else if (choice.href !== undefined) location.hash = choice.href;
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) setAt((at + step + choices.length) % Math.max(1, choices.length));
    else if (event.key === "Enter") run(choices[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog class="palette" label="Where is …?" close={close}>
      <input
        class="input palette-input"
        type="text"
        role="combobox"
        aria-expanded={true}
        aria-controls="palette-choices"
        aria-activedescendant={choices.length > 0 ? `choice-${at}` : undefined}
        aria-label="Where is …? A path, a number, a sentence, a session or an action"
        placeholder={
          sessionId === undefined ? "Search all sessions" : "Where is …? A path, a number, a sentence"
        }
        value={query}
        maxLength={500}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      {where && <Answer where={where} />}
      <div id="palette-choices" class="palette-choices" role="listbox" aria-label="Places">
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the choice
          <div
            key={choice.key}
            id={`choice-${index}`}
            role="option"
            aria-selected={index === at}
            class={`palette-choice${index === at ? " is-current" : ""}`}
            onMouseMove={() => setAt(index)}
            onClick={() => run(choice)}
          >
            <span class="palette-kind">{choice.kind}</span>
            <bdi class="palette-text">{choice.text}</bdi>
            {choice.hint !== "" && <span class="faint palette-hint">{choice.hint}</span>}
          </div>
        ))}
      </div>
      {choices.length === 0 && <p class="faint palette-none">Nothing found.</p>}
      {found && found.searched < found.sessions && (
        <p class="faint palette-none">
          Searched the newest {count(found.searched)} of {plural(found.sessions, "session")}.
        </p>
      )}
    </Dialog>
  );
}

/** The answer for the current key; undefined until it arrives. */
function useAnswer<T>(key: string | undefined, ask: (signal: AbortSignal) => Promise<T>): T | undefined {
  const [answer, setAnswer] = useState<{ key: string; value: T }>();
  useEffect(() => {
    if (key === undefined) return undefined;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      ask(aborter.signal).then(
        (value) => setAnswer({ key, value }),
        () => undefined,
      );
    }, typingDelay);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [key]);
  return answer && answer.key === key ? answer.value : undefined;
}

/** The state in one word, with the life of the line if it is in memory. */
function Answer({ where: { state, places, life } }: { where: Where }) {
  if (state === null)
    return (
      <p class="answer" role="status">
        The agent never had this, as far as can be searched.
      </p>
    );
  const [first] = places;
  return (
    <div class="answer" role="status">
      <p>
        <strong class={`answer-state where-${state.replace(" ", "-")}`}>{state}</strong>
        {first && ` · ${placeName(first)}`}
      </p>
      {life && (
        <p class="faint">
          {life.since === null
            ? "written longer ago than is searched"
            : `written at revision ${life.since}${life.at === null ? "" : `, ${dateTime(life.at)}`}${life.actor ? `, by ${actorName(life.actor)}` : ""}`}
          {life.calls && ` · in ${life.calls.present} of ${plural(life.calls.checked, "call")} since`}
          {` · ${plural(life.compactions, "compaction")} since`}
        </p>
      )}
    </div>
  );
}

function placeName({ kind, line, number }: Place): string {
  if (kind === "message") return `message ${number}`;
  if (kind === "history") return `removed from memory at revision ${number}`;
  if (kind === "handoff" || kind === "summary") return kind;
  return line === null ? kind : `${kind} line ${line}`;
}

function choicesFor(
  query: string,
  sessionId: string | undefined,
  where: Where | undefined,
  sessions: readonly Session[],
  hits: readonly Hit[],
): Choice[] {
  const words = query.toLowerCase().split(/\s+/);
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const places =
    sessionId === undefined ? [] : (where?.places ?? []).map((place) => placeChoice(sessionId, place, query));
  const numbered = /^(?:(revision|message|call|compaction)\s+)?(\d{1,9})$/.exec(query.toLowerCase());
  return [
    ...places,
    ...(sessionId !== undefined && numbered
      ? numberChoices(sessionId, numbered[1], Number(numbered[2]))
      : []),
    ...sessions
      .filter(({ name, id, host, project }) => matches(`${name} ${id} ${host ?? ""} ${project ?? ""}`))
      .slice(0, query === "" ? 6 : maxChoices)
      .map((session) => ({
        key: `session ${session.id}`,
        kind: "session",
        text: session.name,
        hint: session.host ?? (session.name === session.id ? "" : session.id),
        href: hrefTo(session.id),
      })),
    ...hits
      .filter(({ kind, sessionId: id }) => kind !== "title" && (id !== sessionId || places.length === 0))
      .map(hitChoice),
    ...actionsFor(sessionId).filter(({ text }) => matches(text)),
  ];
}

/** Opens the place, with the text highlighted. */
function placeChoice(sessionId: string, place: Place, query: string): Choice {
  const { kind, state, text, number, noteId, line } = place;
  const find = { find: query };
  const href =
    kind === "message"
      ? hrefTo(sessionId, "window", number ?? undefined, find)
      : kind === "handoff"
        ? hrefTo(sessionId, "history", `c${number}`)
        : kind === "summary" || kind === "history"
          ? hrefTo(sessionId, "history", kind === "history" ? (number ?? undefined) : undefined)
          : hrefTo(sessionId, "memory", undefined, find);
  return {
    key: `place ${kind} ${number} ${line} ${noteId} ${text}`,
    kind: placeName(place),
    text,
    hint: state,
    href,
  };
}

function hitChoice(hit: Hit, index: number): Choice {
  const { sessionId, kind, message, line, excerpt, at, length, title } = hit;
  const find = excerpt.slice(at, at + Math.max(length, 40)).split("\n")[0] ?? "";
  return {
    key: `hit ${index} ${sessionId}`,
    kind: kind === "message" ? `message ${message}` : kind === "note" ? "note" : `${kind} line ${line}`,
    text: excerpt.slice(Math.max(0, at - 30), at + 60).replaceAll(/\s+/g, " "),
    hint: title || sessionId,
    href: hrefTo(sessionId, kind === "message" ? "window" : "memory", message ?? undefined, { find }),
  };
}

function numberChoices(id: string, kind: string | undefined, number: number): Choice[] {
  const all: Record<string, string> = {
    revision: hrefTo(id, "history", number),
    message: hrefTo(id, "window", number),
    call: hrefTo(id, "window", undefined, { call: number }),
    compaction: hrefTo(id, "history", `c${number}`),
  };
  return Object.entries(all)
    .filter(([name]) => kind === undefined || kind === name)
    .map(([name, href]) => ({ key: `${name} ${number}`, kind: name, text: String(number), hint: "", href }));
}

/** Actions, in the session that is shown. */
function actionsFor(sessionId: string | undefined): Choice[] {
  const act = (text: string, run: () => void) => ({ key: text, kind: "action", text, hint: "", run });
  const views =
    sessionId === undefined
      ? []
      : tabs.map((tab) => ({
          key: tab,
          kind: "view",
          text: `Show the ${tabNames[tab].toLowerCase()}`,
          hint: "",
          href: hrefTo(sessionId, tab),
        }));
  return [
    ...views,
    { key: "home", kind: "view", text: "Show all sessions", hint: "", href: "#/" },
    ...(sessionId === undefined
      ? []
      : [
          act("Edit the notepad", () => {
            location.hash = hrefTo(sessionId, "memory");
            setTimeout(() => document.querySelector<HTMLElement>("[data-edit-notepad]")?.click(), 200);
          }),
        ]),
    act("Change the theme", nextTheme),
    act("Copy a link to this view", () => void navigator.clipboard.writeText(location.href)),
  ];
}
