import { connection } from "./live.ts";
import { useStore } from "./store.ts";

/** Says when the server is gone, and what becomes of what is on the page. */
export function ConnectionBanner() {
  const state = useStore(connection);
  return (
    <div class="banner-place" role="status" aria-live="polite">
      {state === "lost" && (
        <p class="banner">
          <strong>The server is gone.</strong> What you see is how it was; what you typed is kept. The page
          comes back by itself when <code>holdfast serve</code> runs again.
        </p>
      )}
      {state === "locked" && (
        <p class="banner">
          <strong>The server was started anew with another token.</strong> Open the address that it printed.
          With <code>--token</code> the token stays the same.
        </p>
      )}
    </div>
  );
}
