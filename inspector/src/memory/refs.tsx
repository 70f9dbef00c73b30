import { useState } from "preact/hooks";
import { ask, type Reply } from "../api.ts";
import { attempt, tell } from "../toast.tsx";

type Ref = Reply<"memory">["refs"][number];

const words: Record<Ref["state"], string> = { present: "", stale: "not there any more", unchecked: "" };

/** What the agent points to. A file that is gone is marked, so that nobody follows it. */
export function Refs({ sessionId, refs, most }: { sessionId: string; refs: readonly Ref[]; most: number }) {
  const [text, setText] = useState("");
  const change = (action: "add" | "remove", ref: string) =>
    attempt(async () => {
      await ask("editRefs", { params: { id: sessionId }, body: { action, ref } });
      if (action === "add") setText("");
      else tell(`Removed ${ref}.`, { label: "Undo", run: () => change("add", ref) });
    });
  return (
    <section class="panel" aria-labelledby="title-refs">
      <div class="panel-head">
        <h2 id="title-refs">References</h2>
      </div>
      {refs.length === 0 && (
        <p class="panel-empty">Files and links the agent wants to find again stand here.</p>
      )}
      <ul class="refs">
        {refs.map(({ ref, state }) => (
          <li key={ref} class={`ref ref-${state}`}>
            <bdi class="ref-text">{ref}</bdi>
            {words[state] !== "" && <span class="badge badge-warn">{words[state]}</span>}
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
          maxLength={most}
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
