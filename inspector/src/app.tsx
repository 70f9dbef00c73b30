import { useEffect, useState } from "preact/hooks";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Home } from "./home.tsx";
import { connection } from "./live.ts";
import { useLoad } from "./load.ts";
import { Palette } from "./palette/palette.tsx";
import { useRoute, weekHref } from "./route.ts";
import { SessionView } from "./session/session-view.tsx";
import { Sidebar } from "./sessions/sidebar.tsx";
import { Help, useShortcuts } from "./shortcuts.tsx";
import { useStore } from "./store.ts";
import { nextTheme, theme } from "./theme.ts";
import { Toasts } from "./toast.tsx";
import { Week } from "./week.tsx";

const wide = matchMedia("(min-width: 800px)");

export function App() {
  const { sessionId, isWeek } = useRoute();
  const isWide = useIsWide();
  const state = useStore(connection);
  const { data: health } = useLoad("health", {}, state);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  useShortcuts({
    toggleHelp: () => setHelpOpen((isOpen) => !isOpen),
    openPalette: () => setPaletteOpen(true),
  });
  const isListShown = isWide || (sessionId === undefined && !isWeek);
  return (
    <div class={`shell${isListShown ? "" : " is-inside"}`}>
      <button type="button" class="button skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the session
      </button>
      <header class="topbar">
        {!isListShown && (
          <a class="button button-quiet back" href="#/" aria-label="Back to all sessions">
            ‹ Sessions
          </a>
        )}
        <span class="brand">
          <img class="brand-mark" src="favicon.svg" alt="" width="22" height="22" />
          Holdfast
        </span>
        <span class="topbar-store" title={health?.store}>
          <bdi>{health?.store ?? ""}</bdi>
        </span>
        <span class="topbar-space" />
        <span class={`link-state link-${state}`}>
          <span class="link-dot" aria-hidden="true" />
          <span class="link-word">{state}</span>
        </span>
        <a class="button button-quiet week-link" href={weekHref} aria-current={isWeek ? "page" : undefined}>
          Last 7 days
        </a>
        <button
          type="button"
          class="button button-quiet palette-button"
          onClick={() => setPaletteOpen(true)}
          aria-keyshortcuts="Control+K"
        >
          Go to… <kbd>Ctrl K</kbd>
        </button>
        <ThemeButton />
        <button
          type="button"
          class="icon-button"
          aria-label="Keyboard shortcuts"
          onClick={() => setHelpOpen(true)}
        >
          ?
        </button>
      </header>
      <ConnectionBanner />
      {isListShown && <Sidebar isWide={isWide} />}
      <main class="main" id="main" tabIndex={-1}>
        {isWeek && <Week />}
        {!isWeek && sessionId === undefined && <Home isWide={isWide} />}
        {sessionId !== undefined && <SessionView key={sessionId} sessionId={sessionId} />}
      </main>
      <Toasts />
      {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
      {isPaletteOpen && <Palette close={() => setPaletteOpen(false)} />}
    </div>
  );
}

function ThemeButton() {
  const chosen = useStore(theme);
  const signs = { system: "◐", light: "☀", dark: "☾" };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Theme: ${chosen}. Change it`}
      title={`Theme: ${chosen}`}
      onClick={nextTheme}
    >
      {signs[chosen]}
    </button>
  );
}

function useIsWide(): boolean {
  const [isWide, setWide] = useState(wide.matches);
  useEffect(() => {
    const update = () => setWide(wide.matches);
    wide.addEventListener("change", update);
    return () => wide.removeEventListener("change", update);
  }, []);
  return isWide;
}
