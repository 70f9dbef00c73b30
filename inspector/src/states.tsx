import type { ComponentChildren } from "preact";
import type { ApiError } from "./api.ts";

/** Nothing to show, and what would change that. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  );
}

export function Failure({ error, retry }: { error: ApiError; retry: () => void }) {
  return (
    <div class="empty" role="alert">
      <p class="empty-title">This could not be loaded</p>
      <p class="empty-text">{error.message}</p>
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

/** Holds the place of what is still being loaded, so that nothing jumps when it comes. */
export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="skeleton-line" />
      ))}
    </div>
  );
}

/** What stands in the place of an answer that is not there. */
export function Waiting({
  error,
  retry,
  lines,
}: {
  error: ApiError | undefined;
  retry: () => void;
  lines?: number;
}) {
  return error ? <Failure error={error} retry={retry} /> : <Skeleton lines={lines ?? 6} />;
}
