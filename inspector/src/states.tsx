import type { ComponentChildren } from "preact";
import type { ApiError } from "./api.ts";
import { plural } from "./format.ts";

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

interface PagerProps {
  offset: number;
  shown: number;
  total: number;
  noun: string;
  pageSize: number;
  go: (offset: number) => void;
}

/** Which of a long list are shown, and the way to the others. */
export function Pager({ offset, shown, total, noun, pageSize, go }: PagerProps) {
  const end = offset + shown;
  return (
    <div class="pager">
      <button
        type="button"
        class="button"
        disabled={offset === 0}
        onClick={() => go(Math.max(0, offset - pageSize))}
      >
        Newer
      </button>
      <span class="faint number" role="status">
        {offset + 1}–{end} of {plural(total, noun)}
      </span>
      <button type="button" class="button" disabled={end >= total} onClick={() => go(end)}>
        Older
      </button>
    </div>
  );
}

/** A text as it is stored, in a frame that scrolls. */
export function Source({ name, text }: { name: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard
    <section class="source" tabIndex={0} aria-label={name}>
      <pre dir="auto">{text}</pre>
    </section>
  );
}
