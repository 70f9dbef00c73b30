import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { callApi, type Reply } from "../api.ts";
import { currentRoute, hrefTo } from "../route.ts";
import { tabNames } from "../session/session-view.tsx";
import { hrefOf, placeOf, wordsBefore } from "../sessions/search-results.tsx";
import { actionsFor, type Choice } from "./actions.ts";

type Session = Reply<"listSessions">["sessions"][number];

const typingDelay = 120;
const maxSessions = 200;
const maxChoices = 12;

/** Goes to a session, a message, a note, a revision or an action by name. Every choice is a link that can be shared. */
export function Palette({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const sessions = useSessions();
  const found = useFound(query);
  const choices = useMemo(
    () => choicesFor(query, sessions, found).slice(0, maxChoices),
    [query, sessions, found],
  );
  // Before the next key arrives, which belongs to the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
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
    <dialog ref={dialog} class="palette" aria-label="Go to" onClose={close}>
      <input
        class="input palette-input"
        type="text"
        list={undefined}
        // biome-ignore lint/a11y/noRedundantRoles: without a list attribute, an input is a text box
        role="combobox"
        aria-expanded={true}
        aria-controls="palette-choices"
        aria-activedescendant={choices.length > 0 ? `choice-${at}` : undefined}
        aria-label="Go to a session, a message, a note, a revision or an action"
        placeholder="Session, message, note, revision or action"
        value={query}
        maxLength={500}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <div id="palette-choices" class="palette-choices" role="listbox" aria-label="Choices">
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
    </dialog>
  );
}

function useSessions(): readonly Session[] {
  const [sessions, setSessions] = useState<readonly Session[]>([]);
  useEffect(() => {
    callApi("listSessions", { query: { status: "all", limit: maxSessions } }).then(
      (page) => setSessions(page.sessions),
      () => undefined,
    );
  }, []);
  return sessions;
}

function useFound(query: string): readonly Choice[] {
  const [found, setFound] = useState<readonly Choice[]>([]);
  const wanted = query.trim();
  useEffect(() => {
    setFound([]);
    if (wanted.length < 2) return undefined;
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      callApi("search", { query: { q: wanted, status: "all", limit: 20 } }, aborter.signal).then(
        ({ hits }) =>
          setFound(
            hits
              .filter(({ kind }) => kind !== "title")
              .map((hit, index) => ({
                key: `hit ${index} ${hit.sessionId}`,
                kind: placeOf(hit),
                text: `${wordsBefore(hit)}${hit.excerpt.slice(hit.at, hit.at + 60)}`,
                hint: hit.title || hit.sessionId,
                href: hrefOf(hit),
              })),
          ),
        () => undefined,
      );
    }, typingDelay);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [wanted]);
  return found;
}

function choicesFor(query: string, sessions: readonly Session[], found: readonly Choice[]): Choice[] {
  const words = query.toLowerCase().trim().split(/\s+/);
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const { sessionId } = currentRoute();
  const numbered = /^(?:(revision|message|call|compaction)\s+)?(\d{1,9})$/.exec(query.toLowerCase().trim());
  return [
    ...(sessionId !== undefined && numbered
      ? numberChoices(sessionId, numbered[1], Number(numbered[2]))
      : []),
    ...actionsFor(sessionId).filter(({ text }) => matches(text)),
    ...sessions
      .filter(({ name, id, host, project }) => matches(`${name} ${id} ${host ?? ""} ${project ?? ""}`))
      .map((session) => ({
        key: `session ${session.id}`,
        kind: "session",
        text: session.name,
        hint: session.host ?? (session.name === session.id ? "" : session.id),
        href: hrefTo(session.id),
      })),
    ...found,
  ];
}

const numberTabs = {
  revision: "timeline",
  message: "conversation",
  call: "context",
  compaction: "compaction",
} as const;

function numberChoices(sessionId: string, kind: string | undefined, number: number): Choice[] {
  return Object.entries(numberTabs)
    .filter(([name]) => kind === undefined || kind === name)
    .map(([name, tab]) => ({
      key: `${name} ${number}`,
      kind: name,
      text: String(number),
      hint: tabNames[tab],
      href: hrefTo(sessionId, tab, number),
    }));
}
