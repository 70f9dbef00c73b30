import { plural } from "../format.ts";
import { hrefTo } from "../route.ts";
import type { SessionMemory } from "../session/session-view.tsx";
import { Budgets } from "./budgets.tsx";
import { Notes } from "./notes.tsx";
import { Pins } from "./pins.tsx";
import { ProjectNotes } from "./project-notes.tsx";
import { Refs } from "./refs.tsx";
import { taskLines } from "./task-lines.ts";
import { TextPanel } from "./text-panel.tsx";

/** The agent's current memory. */
export function MemoryView({ memory }: { memory: SessionMemory }) {
  const { session, revision, notepad, scratchpad, refs, tasks, tags, budgets, limits, origins } = memory;
  const limitOf = (name: string) => budgets.find((budget) => budget.name === name)?.limit ?? 0;
  const common = { sessionId: session.id, revision };
  return (
    <div class="memory">
      <div class="memory-main">
        <TextPanel
          {...common}
          name="notepad"
          title="Notepad"
          text={notepad}
          origin={origins.notepad}
          limit={limitOf("notepad")}
          empty="The agent has written nothing yet. It sees this text in every turn, and you can edit it too."
        />
        <Notes sessionId={session.id} tags={tags} total={session.notes} limits={limits} />
        <ProjectNotes />
      </div>
      <div class="memory-side">
        <Pins sessionId={session.id} />
        {scratchpad.plan === "" && taskLines(notepad).length > 0 ? (
          <PlanInNotepad notepad={notepad} />
        ) : (
          <TextPanel
            {...common}
            name="plan"
            title="Plan"
            text={scratchpad.plan}
            origin={origins.plan}
            limit={limitOf("plan")}
            empty="No plan yet. Steps with checkboxes appear here, from the scratchpad or the notepad."
          />
        )}
        {scratchpad.notes !== "" && (
          <TextPanel
            {...common}
            name="notes"
            title="Scratchpad notes"
            text={scratchpad.notes}
            origin={origins.notes}
            limit={limitOf("notes")}
            empty=""
          />
        )}
        <Refs sessionId={session.id} refs={refs} origin={origins.refs} maxCharacters={limits.refCharacters} />
        {tasks.length > 0 && <Tasks tasks={tasks} />}
        {memory.clearedResults.length > 0 && <Cleared memory={memory} />}
        <Budgets budgets={budgets} />
      </div>
    </div>
  );
}

/** The steps of a plan that the agent keeps in its notepad. */
function PlanInNotepad({ notepad }: { notepad: string }) {
  const tasks = taskLines(notepad);
  const done = tasks.filter((task) => task.done).length;
  return (
    <section class="panel" aria-labelledby="title-plan">
      <div class="panel-head">
        <h2 id="title-plan">
          Plan{" "}
          <span class="faint number">
            {done} of {tasks.length} done
          </span>
        </h2>
      </div>
      <ul class="plan">
        {tasks.map(({ line, text, done: isDone }) => (
          <li key={line} class={isDone ? "is-done" : undefined}>
            <span class="task-sign" role="img" aria-label={isDone ? "done" : "open"}>
              {isDone ? "✓" : "○"}
            </span>
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ul>
      <p class="panel-empty">From the notepad.</p>
    </section>
  );
}

function Tasks({ tasks }: Pick<SessionMemory, "tasks">) {
  return (
    <section class="panel" aria-labelledby="title-tasks">
      <div class="panel-head">
        <h2 id="title-tasks">Open tasks</h2>
      </div>
      <ol class="task-stack">
        {tasks.map(({ id, description, depth }) => (
          <li key={id} style={{ marginInlineStart: `${(depth - 1) * 16}px` }} dir="auto">
            {description}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Cleared({ memory: { clearedResults, session } }: { memory: SessionMemory }) {
  return (
    <section class="panel" aria-labelledby="title-cleared">
      <div class="panel-head">
        <h2 id="title-cleared">Cleared results</h2>
      </div>
      <p class="panel-empty">
        One line each replaces {plural(clearedResults.length, "long result")}. The agent can recall them;{" "}
        <a href={hrefTo(session.id, "timeline")}>the timeline</a> has them too.
      </p>
      <ul class="refs">
        {clearedResults.slice(0, 20).map(({ id, tool, summary }) => (
          <li key={id} class="ref">
            <span class="badge">{tool}</span>
            <bdi class="ref-text">{summary}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}
