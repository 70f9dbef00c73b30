import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface Pages {
  /** Of the request for the current page. */
  query: { limit: number; before?: number };
  isNewest: boolean;
  goBefore: (before: number | undefined) => void;
}

/** A list that is read a page at a time, the newest first. */
export function usePages(limit: number): Pages {
  const [before, goBefore] = useState<number>();
  const query = { limit, ...(before === undefined ? {} : { before }) };
  return { query, isNewest: before === undefined, goBefore };
}

interface PagerProps extends Pages {
  /** Where the next older page ends; null on the oldest one. */
  older: number | null;
  /** What the list contains, in the plural. */
  name: string;
  children?: ComponentChildren;
}

/** Buttons to older and to the newest items; nothing if there is one page. */
export function Pager({ older, isNewest, goBefore, name, children }: PagerProps) {
  if (older === null && isNewest) return null;
  return (
    <div class="pager">
      <button
        type="button"
        class="button"
        disabled={older === null}
        onClick={() => goBefore(older ?? undefined)}
      >
        Older {name}
      </button>
      {children}
      <button type="button" class="button" disabled={isNewest} onClick={() => goBefore(undefined)}>
        Newest {name}
      </button>
    </div>
  );
}
