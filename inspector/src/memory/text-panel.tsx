import { useState } from "preact/hooks";
import { ApiError, callApi } from "../api.ts";
import { takeFocus } from "../focus.ts";
import { count } from "../format.ts";
import { type Block, parseMarkdown } from "../markdown.ts";
import { Markdown } from "../markdown-view.tsx";
import { hrefTo, useRoute } from "../route.ts";
import { attempt, showToast } from "../toast.tsx";
import { ConflictView } from "./conflict-view.tsx";
import { noteSaved, setDraft, useDraft, useNewest } from "./drafts.ts";
import { useFreshLines } from "./fresh-lines.ts";
import { LongText } from "./long-text.tsx";
import { taskLines, toggleTaskLine } from "./task-lines.ts";

interface TextPanelProps {
  sessionId: string;
  name: "notepad" | "notes" | "plan";
  title: string;
  text: string;
  revision: number;
  limit: number;
  /** Which lines the agent did not write itself; "" if it wrote all. */
  origin: string;
  /** Shown while the text is empty. */
  empty: string;
}

/** One of the agent's texts: rendered, as source, or in an editor, while the agent keeps working. */
export function TextPanel({ sessionId, name, title, limit, origin, empty, ...read }: TextPanelProps) {
  const [isSource, setSource] = useState(false);
  const key = `${sessionId}/${name}`;
  const draft = useDraft(key);
  const { revision, text } = useNewest(key, { revision: read.revision, text: read.text });
  const edit = () => setDraft(key, { base: { revision, text }, text });
  const fresh = useFreshLines(text);
  const { find } = useRoute();
  const tasks = taskLines(text);
  const toggleTask = (index: number) => {
    const task = tasks[index];
    if (task) save(sessionId, name, { base: { revision, text }, text: toggleTaskLine(text, task) });
  };
  return (
    <section class="panel" aria-labelledby={`title-${name}`}>
      <div class="panel-head">
        <h2 id={`title-${name}`}>{title}</h2>
        {!draft && (
          <div class="panel-actions">
            <fieldset class="segments" aria-label={`Show the ${name}`}>
              <button type="button" class="segment" aria-pressed={!isSource} onClick={() => setSource(false)}>
                Rendered
              </button>
              <button type="button" class="segment" aria-pressed={isSource} onClick={() => setSource(true)}>
                Text
              </button>
            </fieldset>
            <button
              type="button"
              class="button"
              aria-label={`Edit the ${name}`}
              {...(name === "notepad" ? { "data-edit-notepad": true } : {})}
              onClick={edit}
            >
              Edit
            </button>
          </div>
        )}
      </div>
      {origin !== "" && !draft && <p class="panel-empty">{origin.slice(1, -1)}</p>}
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
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard
        <section class="source" tabIndex={0} aria-label={`${title} as text`}>
          <pre dir="auto">{text}</pre>
        </section>
      ) : (
        <LongText text={text}>
          <Markdown
            text={text}
            fresh={fresh}
            find={find}
            toggleTask={tasks.length === boxesIn(text) ? toggleTask : undefined}
            hrefOfLine={(line) => hrefTo(sessionId, "compaction", undefined, { find: line })}
          />
        </LongText>
      )}
    </section>
  );
}

/** Checkboxes anywhere, also in quotes; where the two counts differ, a box cannot be told from its line. */
function boxesIn(text: string): number {
  const count = (blocks: readonly Block[]): number =>
    blocks.reduce((sum, block) => {
      if (block.type === "quote") return sum + count(block.blocks);
      if (block.type !== "list") return sum;
      const inside = block.items.reduce((all, item) => all + count(item.blocks), 0);
      return sum + inside + block.items.filter(({ done }) => done !== undefined).length;
    }, 0);
  return count(parseMarkdown(text));
}

function TextEditor({
  sessionId,
  name,
  now,
  limit,
}: Pick<TextPanelProps, "sessionId" | "name" | "limit"> & { now: string }) {
  const key = `${sessionId}/${name}`;
  const draft = useDraft(key);
  if (!draft) return null;
  const characters = [...draft.text].length;
  const isChangedMeanwhile = now !== draft.base.text;
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
          {isChangedMeanwhile
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

function save(id: string, name: TextPanelProps["name"], { base, text }: Edit): void {
  const key = `${id}/${name}`;
  attempt(async () => {
    try {
      const done = await callApi("editText", { params: { id, text: name }, body: { base, text } });
      noteSaved(key, { revision: done.revision, text: done.text });
      setDraft(key, undefined);
      showToast(done.merged ? "Saved and merged with concurrent changes." : "Saved.");
    } catch (error) {
      if (!(error instanceof ApiError && error.conflict)) throw error;
      setDraft(key, { base, text, conflict: error.conflict });
    }
  });
}
