import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, callApi, type Reply } from "./api.ts";
import { ConflictView } from "./conflict-view.tsx";
import { noteSaved, setDraft, useDraft, useNewest } from "./drafts.ts";
import { actors, count, plural } from "./format.ts";
import { toggleTask } from "./markdown.ts";
import { Markdown } from "./markdown-view.tsx";
import { useRoute } from "./route.ts";
import { Source } from "./states.tsx";
import { attempt, offerUndo } from "./toast.tsx";

type Text = Reply<"session">["plan"];
type Name = "notepad" | "notes" | "plan";

interface TextPanelProps {
  sessionId: string;
  name: Name;
  title: string;
  text: Text;
  /** The lines that the model does not see. */
  hidden?: Reply<"session">["notepad"]["hidden"];
  revision: number;
  limit: number;
  /** Shown while the text is empty. */
  empty: string;
  /** Whether this is the text of another time, which cannot be edited. */
  isPast: boolean;
  openPalette: (query?: string) => void;
}

/** A ref that focuses a field the person just opened. A stable function, so that Preact calls it only once. */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

/** One of the agent's texts: rendered, as source, or in an editor, while the agent keeps working. */
export function TextPanel({
  sessionId,
  name,
  title,
  limit,
  empty,
  isPast,
  openPalette,
  ...read
}: TextPanelProps) {
  const [isSource, setSource] = useState(false);
  const key = `${sessionId}/${name}`;
  const saved = useDraft(key);
  const draft = isPast ? undefined : saved;
  const loaded = { revision: read.revision, text: read.text.text };
  const newest = useNewest(key, loaded);
  const { revision, text } = isPast ? loaded : newest;
  const fresh = useFreshLines(text, isPast);
  const { find } = useRoute();
  const toggle = (line: number) => {
    const toggled = toggleTask(text, line);
    const next = { base: { revision, text }, text: toggled.text };
    save(sessionId, name, next, toggled.done ? "Ticked." : "Unticked.");
  };
  const authors = authorsOf(text, read.text.authors);
  const lines = text.split("\n");
  // A person's edit may have moved the lines that were hidden.
  const hidden = read.hidden && read.hidden.to <= lines.length ? read.hidden : null;
  const markdown = {
    fresh,
    find,
    authors,
    askForLine: openPalette,
    toggleTask: isPast ? undefined : toggle,
  };
  return (
    <section class="panel" aria-labelledby={`title-${name}`}>
      <div class="panel-head">
        <h2 id={`title-${name}`}>
          {title} {text !== "" && <span class="faint number">{plural(text.split("\n").length, "line")}</span>}
        </h2>
        {authors.size > 0 && (
          <span class="faint author-key">
            <span class="author-mark" aria-hidden="true" /> by {[...new Set(authors.values())].join(", ")}
          </span>
        )}
        {!draft && (
          <div class="panel-actions">
            {text !== "" && (
              <button
                type="button"
                class="button"
                aria-pressed={isSource}
                onClick={() => setSource(!isSource)}
              >
                {isSource ? "Rendered" : "As text"}
              </button>
            )}
            {!isPast && (
              <button
                type="button"
                class="button"
                aria-label={`Edit the ${name}`}
                {...(name === "notepad" ? { "data-edit-notepad": true } : {})}
                onClick={() => setDraft(key, { base: { revision, text }, text })}
              >
                Edit
              </button>
            )}
          </div>
        )}
      </div>
      {draft?.conflict ? (
        <ConflictView
          key={draft.conflict.revision}
          conflict={draft.conflict}
          save={(resolved, { revision: seen, theirs }) =>
            save(sessionId, name, { base: { revision: seen, text: theirs }, text: resolved })
          }
          cancel={() => setDraft(key, { base: draft.base, text: draft.text })}
        />
      ) : draft ? (
        <TextEditor sessionId={sessionId} name={name} now={text} limit={limit} />
      ) : text === "" ? (
        <p class="panel-empty">{empty}</p>
      ) : isSource ? (
        <Source name={`${title} as text`} text={text} />
      ) : (
        <LongText text={text}>
          <Markdown text={lines.slice(0, hidden ? hidden.from - 1 : undefined).join("\n")} {...markdown} />
          {hidden && (
            <>
              <p class="fold">
                <span>
                  The model does not see the next {plural(hidden.to - hidden.from + 1, "line")}. The agent
                  reads them with read_notepad.
                </span>
              </p>
              <Markdown
                text={lines.slice(hidden.from - 1, hidden.to).join("\n")}
                {...markdown}
                from={hidden.from - 1}
              />
              {hidden.to < lines.length && (
                <>
                  <p class="fold">
                    <span>The model sees the rest.</span>
                  </p>
                  <Markdown text={lines.slice(hidden.to).join("\n")} {...markdown} from={hidden.to} />
                </>
              )}
            </>
          )}
        </LongText>
      )}
    </section>
  );
}

/** The lines that someone else than the agent wrote, without their bullets, and who wrote them. */
function authorsOf(text: string, authors: Text["authors"]): Map<string, string> {
  const lines = text.split("\n");
  const found = new Map<string, string>();
  for (const { from, to, by } of authors)
    for (const line of lines.slice(from - 1, to)) {
      const bare = withoutBullet(line.replace(/^ {0,3}#{1,6}\s/, ""));
      if (bare !== "") found.set(bare, actors[by]);
    }
  return found;
}

function withoutBullet(line: string): string {
  return line.replace(/^\s*(?:[-*+>]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, "").trim();
}

/** How long a new line is lit (milliseconds). */
const litFor = 1_400;

/** The lines that the last write added, for a moment. A move of the clock writes nothing. */
function useFreshLines(text: string, isPast: boolean): ReadonlySet<string> {
  const known = useRef({ text, isPast });
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const last = known.current;
    known.current = { text, isPast };
    if (last.text === text || last.isPast || isPast) return undefined;
    const before = new Set(last.text.split("\n").map(withoutBullet));
    setFresh(
      new Set(
        text
          .split("\n")
          .map(withoutBullet)
          .filter((line) => line !== "" && !before.has(line)),
      ),
    );
    const timer = setTimeout(() => setFresh(new Set()), litFor);
    return () => clearTimeout(timer);
  }, [text, isPast]);
  return fresh;
}

/** A text with more lines is shown in a frame of its own. */
const maxLines = 60;

function LongText({ text, children }: { text: string; children: ComponentChildren }) {
  if (text.split("\n").length <= maxLines) return <>{children}</>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard
    <section class="long-text" tabIndex={0} aria-label="The whole text">
      {children}
    </section>
  );
}

interface TextEditorProps extends Pick<TextPanelProps, "sessionId" | "name" | "limit"> {
  /** The text as it is now. */
  now: string;
}

function TextEditor({ sessionId, name, now, limit }: TextEditorProps) {
  const key = `${sessionId}/${name}`;
  const draft = useDraft(key);
  if (!draft) return null;
  const characters = [...draft.text].length;
  const cancel = () => setDraft(key, undefined);
  const submit = () => save(sessionId, name, draft);
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        class="input editor-text"
        dir="auto"
        spellcheck={false}
        aria-label={`Text of the ${name}`}
        ref={takeFocus}
        value={draft.text}
        onInput={(event) => setDraft(key, { ...draft, text: event.currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key === "Escape" && draft.text === draft.base.text) cancel();
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
        }}
      />
      <div class="editor-foot">
        <p class={`editor-state${characters > limit ? " is-over" : ""}`} role="status">
          {now !== draft.base.text
            ? "The text changed while you were editing. Saving merges both edits and shows any conflicts."
            : `${count(characters)} of ${count(limit)} characters`}
        </p>
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
        <button type="submit" class="button button-primary" disabled={characters > limit}>
          Save
        </button>
      </div>
    </form>
  );
}

interface Edit {
  base: { revision: number; text: string };
  text: string;
}

export function save(id: string, name: Name, { base, text }: Edit, said?: string): void {
  const key = `${id}/${name}`;
  attempt(async () => {
    try {
      const body = { type: "text" as const, name, base: base.text, text };
      const done = await callApi("edit", { params: { id }, body });
      noteSaved(key, { revision: done.revision, text: done.text ?? text });
      setDraft(key, undefined);
      offerUndo(
        id,
        done.revision,
        done.merged ? "Saved and merged with concurrent changes." : (said ?? "Saved."),
      );
    } catch (error) {
      if (!(error instanceof ApiError && error.conflict)) throw error;
      setDraft(key, { base, text, conflict: error.conflict });
    }
  });
}
