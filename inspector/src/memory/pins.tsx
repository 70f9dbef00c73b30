import { useState } from "preact/hooks";
import { callApi, type Reply } from "../api.ts";
import { useFreshness } from "../live.ts";
import { useLoad } from "../load.ts";
import { attempt, showToast } from "../toast.tsx";

type Pin = Reply<"pins">["pins"][number];

/** What the user demands or forbids. */
export function Pins({ sessionId }: { sessionId: string }) {
  const { data } = useLoad("pins", { params: { id: sessionId } }, useFreshness(sessionId));
  const [text, setText] = useState("");
  const pins = data?.pins ?? [];
  const add = () =>
    attempt(async () => {
      await callApi("pin", { params: { id: sessionId }, body: { text: text.trim() } });
      setText("");
    });
  return (
    <section class="panel" aria-labelledby="title-pins">
      <div class="panel-head">
        <h2 id="title-pins">Pins</h2>
      </div>
      {pins.length === 0 && (
        <p class="panel-empty">No pins yet. A pinned rule stays in every prompt, word for word.</p>
      )}
      <ul class="pins">
        {pins.map((pin) => (
          <PinItem key={pin.id} sessionId={sessionId} pin={pin} />
        ))}
      </ul>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") add();
        }}
      >
        <input
          class="input"
          dir="auto"
          value={text}
          placeholder="Add a rule"
          aria-label="Add a rule"
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={text.trim() === ""}>
          Pin
        </button>
      </form>
    </section>
  );
}

function PinItem({ sessionId, pin: { id, text } }: { sessionId: string; pin: Pin }) {
  const params = { id: sessionId, pin: id };
  const drop = () =>
    attempt(async () => {
      await callApi("unpin", { params });
      showToast("Unpinned.");
    });
  return (
    <li class="pin">
      <span class="pin-text" dir="auto">
        {text}
      </span>
      <button type="button" class="icon-button" aria-label={`Unpin: ${text}`} onClick={drop}>
        ×
      </button>
    </li>
  );
}
