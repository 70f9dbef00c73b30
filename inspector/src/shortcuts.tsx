import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { currentRoute, goTo, tabs } from "./route.ts";
import { nextTheme } from "./theme.ts";

const shortcuts: readonly [keys: string, action: string][] = [
  ["Ctrl K", "Where is …? Go to a session, a place or an action"],
  ["/", "The same"],
  ["1 2 3", "Memory, Window, History"],
  ["h", "All sessions"],
  ["↑ ↓ or j k", "Move through the current list"],
  ["← →", "Move through calls and tabs"],
  ["e", "Edit the notepad"],
  ["Ctrl Enter", "Save your edit"],
  ["Esc", "Close or cancel"],
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
      const { sessionId, at, call } = currentRoute();
      if (tab && sessionId !== undefined) goTo(sessionId, tab, undefined, { at, call });
      else if (event.key === "/") openPalette();
      else if (event.key === "h") location.hash = "#/";
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

/** Moves the focus through the links of a list with the arrow keys, j, k, Home and End; returns the focused link. */
export function walkLinks(event: KeyboardEvent, links: string): HTMLElement | undefined {
  const list = event.currentTarget as HTMLElement;
  const all = [...list.querySelectorAll<HTMLElement>(links)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    Home: 0,
    End: all.length - 1,
  };
  const link = all[targets[event.key] ?? -1];
  if (!link) return undefined;
  event.preventDefault();
  link.focus();
  return link;
}

interface DialogProps {
  class: string;
  label: string;
  close: () => void;
  children: ComponentChildren;
}

/** A modal dialog. Escape and a click outside it close it at once, so the next key belongs to the page again. */
export function Dialog({ class: name, label, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key arrives, which belongs to the dialog.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    dialog.current?.close();
    close();
  };
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      // The browser reports this late: by then another dialog may be open, and this one is gone.
      onClose={() => dialog.current && close()}
      onKeyDown={onKey}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {children}
    </dialog>
  );
}

export function Help({ close }: { close: () => void }) {
  return (
    <Dialog class="help" label="Keyboard shortcuts" close={close}>
      <h2>Keyboard shortcuts</h2>
      <dl class="keys">
        {shortcuts.map(([keys, action]) => (
          <div key={keys} class="keys-row">
            <dt>{keys.split(" ").map((key) => (key === "or" ? " or " : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <button type="button" class="button" onClick={close}>
        Close
      </button>
    </Dialog>
  );
}
