import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { currentRoute, goTo, tabs } from "./route.ts";
import { nextTheme } from "./theme.ts";

const shortcuts: readonly [keys: string, action: string][] = [
  ["Ctrl K", "Go to a session, a place or an action"],
  ["/", "Search everything"],
  ["1 2 3 4 5", "Memory, Context, Compaction, Conversation, Timeline"],
  ["↑ ↓ or j k", "Move through the current list"],
  ["← →", "Collapse and expand sessions; move through calls"],
  ["Home End", "First and last list item"],
  ["s", "Go to the session list"],
  ["e", "Edit the notepad"],
  ["Ctrl Enter", "Save your edit"],
  ["Esc", "Close, cancel or clear the search"],
  ["t", "Change the theme"],
  ["?", "This list"],
];

/** Keys that work everywhere except while typing. */
export function useShortcuts({
  toggleHelp,
  openPalette,
}: {
  toggleHelp: () => void;
  openPalette: () => void;
}): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && !event.shiftKey) {
        event.preventDefault();
        openPalette();
        return;
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      const tab = tabs[Number(event.key) - 1];
      const { sessionId } = currentRoute();
      if (tab && sessionId !== undefined) goTo(sessionId, tab);
      else if (event.key === "/") document.getElementById("search")?.focus();
      else if (event.key === "s") document.querySelector<HTMLElement>('.tree [tabindex="0"]')?.focus();
      else if (event.key === "e") document.querySelector<HTMLElement>("[data-edit-notepad]")?.click();
      else if (event.key === "t") nextTheme();
      else if (event.key === "?") toggleHelp();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest("input:not([type=range]), textarea, select, dialog") !== null
  );
}

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key arrives, which belongs to the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl class="keys">
        {shortcuts.map(([keys, action]) => (
          <div key={keys} class="keys-row">
            <dt>{keys.split(" ").map((key) => (key === "or" ? " or " : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit" class="button">
          Close
        </button>
      </form>
    </dialog>
  );
}
