import type { ComponentChildren } from "preact";
import type { ApiError } from "./api.ts";

/** An empty state, with what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  );
}

function Failure({ error, retry }: { error: ApiError; retry: () => void }) {
  return (
    <div class="empty" role="alert">
      <p class="empty-title">Loading failed</p>
      <p class="empty-text">{error.message}</p>
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

/** A placeholder while loading, so that nothing jumps when the content arrives. */
function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} class="skeleton-line" />
      ))}
    </div>
  );
}

/** Shown until a response arrives: the error or a skeleton. */
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
