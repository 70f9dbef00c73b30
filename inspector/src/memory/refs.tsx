import { useState } from "preact/hooks";
import { callApi, type Reply } from "../api.ts";
import { attempt, showToast } from "../toast.tsx";

type Ref = Reply<"memory">["refs"][number];

const stateLabels: Record<Ref["state"], string> = { present: "", stale: "no longer exists", unchecked: "" };

/** The agent's references. Marks files that no longer exist. */
export function Refs({
  sessionId,
  refs,
  origin,
  maxCharacters,
}: {
  sessionId: string;
  refs: readonly Ref[];
  /** Which of them the agent did not add itself; empty if it added all. */
  origin: string;
  maxCharacters: number;
}) {
  const [text, setText] = useState("");
  const change = (action: "add" | "remove", ref: string) =>
    attempt(async () => {
      await callApi("editRefs", { params: { id: sessionId }, body: { action, ref } });
      if (action === "add") setText("");
      else showToast(`Removed ${ref}.`, { label: "Undo", run: () => change("add", ref) });
    });
  return (
    <section class="panel" aria-labelledby="title-refs">
      <div class="panel-head">
        <h2 id="title-refs">References</h2>
      </div>
      {refs.length === 0 && (
        <p class="panel-empty">
          No references yet. The agent keeps files and links here that it wants to find again.
        </p>
      )}
      {origin !== "" && <p class="panel-empty">{origin.slice(1, -1)}</p>}
      <ul class="refs">
        {refs.map(({ ref, state }) => (
          <li key={ref} class={`ref ref-${state}`}>
            <bdi class="ref-text">{ref}</bdi>
            {stateLabels[state] !== "" && <span class="badge badge-warn">{stateLabels[state]}</span>}
            <button
              type="button"
              class="icon-button"
              aria-label={`Remove the reference ${ref}`}
              onClick={() => change("remove", ref)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") change("add", text.trim());
        }}
      >
        <input
          class="input"
          dir="auto"
          value={text}
          maxLength={maxCharacters}
          placeholder="Add a path or link"
          aria-label="Add a reference"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={text.trim() === ""}>
          Add
        </button>
      </form>
    </section>
  );
}
