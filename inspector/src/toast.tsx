import { asApiError, type Body, callApi } from "./api.ts";
import { createStore, useStore } from "./store.ts";

interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
  /** News stays until it is dismissed or replaced by newer news of the same subject. */
  newsOf?: string | undefined;
  action?: { label: string; run: () => void } | undefined;
}

const toasts = createStore<readonly Toast[]>([]);
let last = 0;

/** Long enough to read the text and reach the button (milliseconds). */
const shownFor = 8_000;

export function showToast(text: string, action?: Toast["action"], tone: Toast["tone"] = "plain"): void {
  const id = ++last;
  toasts.set([...toasts.get().slice(-2), { id, text, tone, action }]);
  setTimeout(() => dismiss(id), tone === "bad" ? 2 * shownFor : shownFor);
}

/** Shows what happened elsewhere, which someone may read much later. */
export function showNews(subject: string, text: string, action: Toast["action"]): void {
  const others = toasts.get().filter(({ newsOf }) => newsOf !== subject);
  toasts.set([...others.slice(-2), { id: ++last, text, tone: "plain", newsOf: subject, action }]);
}

/** Runs an action and shows its failure as a toast. */
export function attempt(work: () => Promise<void>): void {
  work().catch((error) => showToast(asApiError(error).message, undefined, "bad"));
}

/** Makes an edit and offers to take it back. */
export function edit(id: string, body: Body<"edit">, text: string, done?: () => void): void {
  attempt(async () => {
    const { session, revision } = await callApi("edit", { params: { id }, body });
    done?.();
    offerUndo(session, revision, text);
  });
}

export function offerUndo(id: string, revision: number, text: string): void {
  const undo = () => edit(id, { type: "undo", revision }, `Undid revision ${revision}.`);
  showToast(text, { label: "Undo", run: undo });
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((each) => each.id !== id));
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text, tone, action }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <span class="toast-text">{text}</span>
          {action && (
            <button
              type="button"
              class="button button-small"
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
