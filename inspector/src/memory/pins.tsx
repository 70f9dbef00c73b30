import { useState } from "preact/hooks";
import { callApi, type Reply } from "../api.ts";
import { useFreshness } from "../live.ts";
import { useLoad } from "../load.ts";
import { attempt, showToast } from "../toast.tsx";

type Pin = Reply<"pins">["pins"][number];

/** What the user demands or forbids: pins, and rules found in what the user said, for a person to decide. */
export function Pins({ sessionId }: { sessionId: string }) {
  const { data } = useLoad("pins", { params: { id: sessionId } }, useFreshness(sessionId));
  const [text, setText] = useState("");
  const pins = (data?.pins ?? []).filter(({ status }) => status !== "dropped");
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

function PinItem({ sessionId, pin: { id, text, status } }: { sessionId: string; pin: Pin }) {
  const params = { id: sessionId, pin: id };
  const drop = () =>
    attempt(async () => {
      await callApi("unpin", { params });
      showToast(status === "found" ? "Rule dropped." : "Unpinned.");
    });
  return (
    <li class={`pin pin-${status}`}>
      <span class="pin-text" dir="auto">
        {text}
      </span>
      {status === "found" ? (
        <span class="pin-actions">
          <span class="badge badge-warn">proposed</span>
          <button
            type="button"
            class="button button-small"
            onClick={() => attempt(async () => void (await callApi("confirmPin", { params })))}
          >
            Pin it
          </button>
          <button type="button" class="button button-small" onClick={drop}>
            Drop it
          </button>
        </span>
      ) : (
        <button type="button" class="icon-button" aria-label={`Unpin: ${text}`} onClick={drop}>
          ×
        </button>
      )}
    </li>
  );
}
