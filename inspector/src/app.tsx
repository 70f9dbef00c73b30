import { useState } from "preact/hooks";
import { Home } from "./home.tsx";
import { connection } from "./live.ts";
import { Palette } from "./palette.tsx";
import { useRoute } from "./route.ts";
import { SessionView } from "./session.tsx";
import { Help, useShortcuts } from "./shortcuts.tsx";
import { useStore } from "./store.ts";
import { nextTheme, theme } from "./theme.ts";
import { Toasts } from "./toast.tsx";

export function App() {
  const { sessionId } = useRoute();
  const [isHelpOpen, setHelpOpen] = useState(false);
  /** The text in the palette. Undefined while it is closed. */
  const [wanted, setWanted] = useState<string>();
  const openPalette = (query = "") => setWanted(query);
  useShortcuts({ toggleHelp: () => setHelpOpen((isOpen) => !isOpen), openPalette });
  return (
    <div class="shell">
      <button type="button" class="button skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      {sessionId === undefined && (
        <header class="topbar">
          <span class="brand">
            <img class="brand-mark" src="favicon.svg" alt="" width="22" height="22" />
            Holdfast
          </span>
          <span class="spread" />
          <Connection />
          <PageButtons openHelp={() => setHelpOpen(true)} />
        </header>
      )}
      {sessionId === undefined ? (
        <main class="main" id="main" tabIndex={-1}>
          <Home openPalette={() => openPalette()} />
        </main>
      ) : (
        <SessionView
          key={sessionId}
          sessionId={sessionId}
          openPalette={openPalette}
          openHelp={() => setHelpOpen(true)}
        />
      )}
      <Banner />
      <Toasts />
      {isHelpOpen && <Help close={() => setHelpOpen(false)} />}
      {wanted !== undefined && <Palette start={wanted} close={() => setWanted(undefined)} />}
    </div>
  );
}

export function Connection() {
  const state = useStore(connection);
  return (
    <span class={`link-state link-${state}`}>
      <span class="link-dot" aria-hidden="true" />
      <span class="link-word">{state}</span>
    </span>
  );
}

export function PageButtons({ openHelp }: { openHelp: () => void }) {
  const chosen = useStore(theme);
  const signs = { system: "◐", light: "☀", dark: "☾" };
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={`Theme: ${chosen}. Change it`}
        title={`Theme: ${chosen}`}
        onClick={nextTheme}
      >
        {signs[chosen]}
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts"
        onClick={openHelp}
      >
        ?
      </button>
    </>
  );
}

/** At the bottom, so that nothing moves when the server stops. */
function Banner() {
  const state = useStore(connection);
  return (
    <div class="banner-area" role="status" aria-live="polite">
      {state === "offline" && (
        <p class="banner">
          <strong>The server is offline.</strong> The page shows the last known state and keeps your text. It
          reconnects when <code>npx holdfast serve</code> runs again.
        </p>
      )}
      {state === "locked" && (
        <p class="banner">
          <strong>The server restarted with another token.</strong> Open the address that it printed.
        </p>
      )}
    </div>
  );
}
