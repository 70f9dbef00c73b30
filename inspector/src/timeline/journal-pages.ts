import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, callApi, type Reply } from "../api.ts";
import { asApiError } from "../load.ts";

export type Entry = Reply<"journal">["entries"][number];

export interface Journal {
  /** Requests again what failed to load. */
  retry(): void;
  total: number;
  /** The oldest entry, if retention removed older ones. */
  begins: Reply<"journal">["begins"];
  /** The newest has index 0. */
  entry(index: number): Entry | undefined;
  /** Known before the entry is loaded, if revisions have no gaps. */
  revisionAt(index: number): number | undefined;
  indexOf(revision: number): number;
  error: ApiError | undefined;
  /** Whether a response has arrived. */
  isReady: boolean;
  request(first: number, last: number): void;
}

const blockSize = 100;

/** All entries, loaded on demand: revisions have no gaps, so any range can be requested. */
export function useAllEntries(sessionId: string, newest: number): Journal {
  const [, draw] = useState(0);
  const kept = useRef({ blocks: new Map<number, Entry[]>(), requested: new Map<number, number>() }).current;
  const error = useRef<ApiError>(undefined);
  const begins = useRef<Reply<"journal">["begins"]>(null);
  const request = (first: number, last: number) => {
    const [from, to] = [blockOf(newest - last), blockOf(newest - first)];
    for (let block = Math.max(0, from); block <= to; block++) {
      const end = Math.min((block + 1) * blockSize, newest);
      // The last block grows, so request it again.
      if ((kept.requested.get(block) ?? 0) >= end) continue;
      kept.requested.set(block, end);
      callApi("journal", {
        params: { id: sessionId },
        query: { before: end + 1, limit: end - block * blockSize },
      })
        .then(
          ({ entries, begins: first }) => {
            error.current = undefined;
            begins.current = first;
            kept.blocks.set(block, entries);
          },
          (problem) => {
            error.current = asApiError(problem);
          },
        )
        .then(() => draw((count) => count + 1));
    }
  };
  return {
    total: newest - (begins.current?.revision ?? 1) + 1,
    begins: begins.current,
    entry: (index) => {
      const revision = newest - index;
      return kept.blocks.get(blockOf(revision))?.find((each) => each.revision === revision);
    },
    revisionAt: (index) => newest - index,
    indexOf: (revision) => newest - revision,
    error: error.current,
    isReady: kept.blocks.size > 0,
    request,
    retry: () => {
      kept.requested.clear();
      request(0, blockSize);
    },
  };
}

function blockOf(revision: number): number {
  return Math.floor((revision - 1) / blockSize);
}

/** Only the entries that changed memory, loaded from the newest back. */
export function useMemoryEntries(sessionId: string, newest: number): Journal {
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [error, setError] = useState<ApiError>();
  const [begins, setBegins] = useState<Reply<"journal">["begins"]>(null);
  /** Where to continue; null at the beginning of the journal. */
  const cursor = useRef<number | null | undefined>(undefined);
  const isBusy = useRef(false);

  const run = (work: () => Promise<void>) => {
    if (isBusy.current) return;
    isBusy.current = true;
    work()
      .catch((problem) => setError(asApiError(problem)))
      .finally(() => {
        isBusy.current = false;
      });
  };
  const loadMore = () =>
    run(async () => {
      const found: Entry[] = [];
      // One page may contain no edits and the next one many.
      for (let pages = 0; pages < 5 && found.length < 20 && cursor.current !== null; pages++) {
        const page = await read(sessionId, cursor.current);
        found.push(...page.entries);
        cursor.current = page.before;
        setBegins(page.begins);
      }
      setError(undefined);
      setEntries((before) => [...(before ?? []), ...found]);
    });
  const loadNewest = () =>
    run(async () => {
      const { entries: page } = await read(sessionId, undefined);
      setEntries((before = []) => {
        const known = new Set(before.map(({ revision }) => revision));
        const added = page.filter(({ revision }) => !known.has(revision));
        return added.length === 0 ? before : [...added, ...before].sort((a, b) => b.revision - a.revision);
      });
    });

  useEffect(() => {
    if (entries === undefined) loadMore();
    else loadNewest();
  }, [newest]);

  const all = entries ?? [];
  return {
    total: all.length,
    begins,
    entry: (index) => all[index],
    revisionAt: (index) => all[index]?.revision,
    indexOf: (revision) => {
      const index = all.findIndex((each) => each.revision <= revision);
      return index === -1 ? all.length - 1 : index;
    },
    error,
    isReady: entries !== undefined,
    retry: loadMore,
    request: (_first, last) => {
      if (entries !== undefined && last >= all.length - 10 && cursor.current !== null) loadMore();
    },
  };
}

function read(id: string, before: number | null | undefined): Promise<Reply<"journal">> {
  const query = { only: "memory" as const, limit: blockSize, ...(before == null ? {} : { before }) };
  return callApi("journal", { params: { id }, query });
}
