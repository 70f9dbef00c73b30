import { connection } from "./live.ts";
import { useStore } from "./store.ts";

/** Reports a lost connection and what it means for the person's work. */
export function ConnectionBanner() {
  const state = useStore(connection);
  return (
    <div class="banner-area" role="status" aria-live="polite">
      {state === "lost" && (
        <p class="banner">
          <strong>Disconnected from the server.</strong> The page shows the last known state and keeps what
          you typed. It reconnects when <code>holdfast serve</code> runs again.
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
