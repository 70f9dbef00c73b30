import { useState } from "preact/hooks";
import { count, dateTime, plural } from "./format.ts";
import { useLoad } from "./load.ts";
import { Markdown } from "./markdown-view.tsx";
import { Notes } from "./notes.tsx";
import { useRoute } from "./route.ts";
import type { SessionMemory } from "./session.tsx";
import { useNow } from "./store.ts";
import { TextPanel } from "./text-panel.tsx";
import { edit } from "./toast.tsx";

interface MemoryViewProps {
  memory: SessionMemory;
  openPalette: (query?: string) => void;
}

/** The agent's memory, now or at the time of the clock: pins first, then the notepad, notes and the project. */
export function MemoryView({ memory, openPalette }: MemoryViewProps) {
  const { session, revision, newest, at, notepad, notes, plan, limits, tasks, offered } = memory;
  const isPast = useRoute().at !== undefined && revision !== newest;
  const common = { sessionId: session.id, revision, isPast, openPalette };
  return (
    <div class="memory">
      {isPast && (
        <p class="past" role="status">
          Memory at revision {count(revision)} of {count(newest)}, {dateTime(at)}
        </p>
      )}
      <Pins memory={memory} isPast={isPast} />
      <div class="memory-main">
        <TextPanel
          {...common}
          name="notepad"
          title="Notepad"
          text={notepad}
          hidden={notepad.hidden}
          limit={limits.notepad}
          empty="The agent has written nothing yet. It sees this text in every turn, and you can edit it too."
        />
        {(offered.notes || memory.noteCount > 0) && <Notes memory={memory} isPast={isPast} />}
        {!isPast && <ProjectNotes />}
      </div>
      <div class="memory-side">
        {plan.text !== "" && (
          <TextPanel {...common} name="plan" title="Plan" text={plan} limit={limits.plan} empty="" />
        )}
        {notes.text !== "" && (
          <TextPanel
            {...common}
            name="notes"
            title="Scratchpad notes"
            text={notes}
            limit={limits.notes}
            empty=""
          />
        )}
        {(offered.scratchpad || memory.refs.length > 0) && <Refs memory={memory} isPast={isPast} />}
        {tasks.length > 0 && (
          <section class="panel" aria-labelledby="title-tasks">
            <h2 id="title-tasks">Open tasks</h2>
            <ol class="plain">
              {tasks.map(({ id, description, depth }) => (
                <li key={id} style={{ marginInlineStart: `${(depth - 1) * 16}px` }} dir="auto">
                  {description}
                </li>
              ))}
            </ol>
          </section>
        )}
      </div>
    </div>
  );
}

interface PartProps {
  memory: SessionMemory;
  isPast: boolean;
}

/** Rules of the user, word for word in every prompt. */
function Pins({ memory: { session, pins }, isPast }: PartProps) {
  const { id } = session;
  return (
    <section class="panel pins-panel" aria-labelledby="title-pins">
      <h2 id="title-pins">Pins</h2>
      <ul class="pins">
        {pins.map((pin) => (
          <li key={pin.id} class="pin">
            <span class="pin-text" dir="auto">
              {pin.text}
            </span>
            {!isPast && (
              <button
                type="button"
                class="icon-button"
                aria-label={`Unpin: ${pin.text}`}
                title="Unpin"
                onClick={() => edit(id, { type: "unpin", pin: pin.id }, "Unpinned.")}
              >
                ×
              </button>
            )}
          </li>
        ))}
        {pins.length === 0 && (
          <li class="panel-empty">None. A pinned rule stays in every prompt, word for word.</li>
        )}
      </ul>
      {!isPast && (
        <AddForm
          label="Add a rule"
          button="Pin"
          add={(rule, done) => edit(id, { type: "pin", text: rule }, "Pinned.", done)}
        />
      )}
    </section>
  );
}

/** The agent's references. Marks files that no longer exist. */
function Refs({ memory: { session, refs }, isPast }: PartProps) {
  const { id } = session;
  return (
    <section class="panel" aria-labelledby="title-refs">
      <h2 id="title-refs">References</h2>
      {refs.length === 0 && (
        <p class="panel-empty">None. The agent keeps files and links here that it wants to find again.</p>
      )}
      <ul class="plain">
        {refs.map(({ ref, state }) => (
          <li key={ref} class={`ref ref-${state}`}>
            <bdi class="ref-text">{ref}</bdi>
            {state === "stale" && <span class="badge badge-warn">no longer exists</span>}
            {!isPast && (
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove the reference ${ref}`}
                title="Remove"
                onClick={() => edit(id, { type: "ref.remove", ref }, `Removed ${ref}.`)}
              >
                ×
              </button>
            )}
          </li>
        ))}
      </ul>
      {!isPast && (
        <AddForm
          label="Add a path or link"
          button="Add"
          add={(ref, done) => edit(id, { type: "ref.add", ref }, `Added ${ref}.`, done)}
        />
      )}
    </section>
  );
}

interface AddFormProps {
  label: string;
  button: string;
  /** `done` empties the field. */
  add: (text: string, done: () => void) => void;
}

function AddForm({ label, button, add }: AddFormProps) {
  const [text, setText] = useState("");
  const wanted = text.trim();
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== "") add(wanted, () => setText(""));
      }}
    >
      <input
        class="input"
        dir="auto"
        value={text}
        placeholder={label}
        aria-label={label}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="button" disabled={wanted === ""}>
        {button}
      </button>
    </form>
  );
}

/** The server does not watch the file, so poll it (milliseconds). */
const pollInterval = 30_000;

/** NOTES.md of the project that the server runs in, with the linter's findings. */
function ProjectNotes() {
  const freshness = Math.floor(useNow() / pollInterval);
  const { data: health } = useLoad("health", {}, 0);
  const { data } = useLoad("project", health?.project ? {} : undefined, freshness);
  if (!data) return null;
  const { path, text, findings } = data;
  return (
    <section class="panel" aria-labelledby="title-project">
      <div class="panel-head">
        <h2 id="title-project">
          Project <span class="faint">{path}</span>
        </h2>
        <span class={`badge${findings.length > 0 ? " badge-warn" : ""}`}>
          {findings.length === 0 ? "no lint findings" : plural(findings.length, "lint finding")}
        </span>
      </div>
      <ul class="plain">
        {findings.map(({ rule, line, message }) => (
          <li key={`${rule} ${line} ${message}`} class="finding">
            <span class="number faint">line {line}</span> {message} <span class="faint">{rule}</span>
          </li>
        ))}
      </ul>
      <details class="quiet">
        <summary>Show the text</summary>
        <Markdown text={text} />
      </details>
    </section>
  );
}
