import { useEffect, useRef, useState } from "preact/hooks";
import { type ApiError, ask, type Reply } from "../api.ts";
import { asApiError } from "../load.ts";

export type Entry = Reply<"journal">["entries"][number];

export interface Journal {
  /** Asks again for what could not be read. */
  retry(): void;
  total: number;
  /** The newest has index 0. */
  entry(index: number): Entry | undefined;
  indexOf(revision: number): number;
  error: ApiError | undefined;
  /** Whether an answer has come. */
  isReady: boolean;
  want(first: number, last: number): void;
}

const blockSize = 100;

/** Every entry, read where one looks: revisions are numbered without gaps, so any stretch can be asked for. */
export function useAllEntries(sessionId: string, newest: number): Journal {
  const [, draw] = useState(0);
  const kept = useRef({ blocks: new Map<number, Entry[]>(), asked: new Map<number, number>() }).current;
  const error = useRef<ApiError>(undefined);
  const want = (first: number, last: number) => {
    const [from, to] = [blockOf(newest - last), blockOf(newest - first)];
    for (let block = Math.max(0, from); block <= to; block++) {
      const end = Math.min((block + 1) * blockSize, newest);
      // The last block grows, so it is asked for again.
      if ((kept.asked.get(block) ?? 0) >= end) continue;
      kept.asked.set(block, end);
      ask("journal", {
        params: { id: sessionId },
        query: { before: end + 1, limit: end - block * blockSize },
      })
        .then(
          ({ entries }) => {
            error.current = undefined;
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
    total: newest,
    entry: (index) => {
      const revision = newest - index;
      return kept.blocks.get(blockOf(revision))?.find((each) => each.revision === revision);
    },
    indexOf: (revision) => newest - revision,
    error: error.current,
    isReady: kept.blocks.size > 0,
    want,
    retry: () => {
      kept.asked.clear();
      want(0, blockSize);
    },
  };
}

function blockOf(revision: number): number {
  return Math.floor((revision - 1) / blockSize);
}

/** Only what changed memory, read on from the newest. */
export function useMemoryEntries(sessionId: string, newest: number): Journal {
  const [entries, setEntries] = useState<readonly Entry[]>();
  const [error, setError] = useState<ApiError>();
  /** Where to go on; null at the beginning of the journal. */
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
  const readOn = () =>
    run(async () => {
      const found: Entry[] = [];
      // A page may hold no edit at all and the next one many.
      for (let pages = 0; pages < 5 && found.length < 20 && cursor.current !== null; pages++) {
        const page = await read(sessionId, cursor.current);
        found.push(...page.entries);
        cursor.current = page.before;
      }
      setError(undefined);
      setEntries((before) => [...(before ?? []), ...found]);
    });
  const readNews = () =>
    run(async () => {
      const { entries: page } = await read(sessionId, undefined);
      setEntries((before = []) => {
        const known = new Set(before.map(({ revision }) => revision));
        const news = page.filter(({ revision }) => !known.has(revision));
        return news.length === 0 ? before : [...news, ...before].sort((a, b) => b.revision - a.revision);
      });
    });

  useEffect(() => {
    if (entries === undefined) readOn();
    else readNews();
  }, [newest]);

  const all = entries ?? [];
  return {
    total: all.length,
    entry: (index) => all[index],
    indexOf: (revision) => {
      const place = all.findIndex((each) => each.revision <= revision);
      return place === -1 ? all.length - 1 : place;
    },
    error,
    isReady: entries !== undefined,
    retry: readOn,
    want: (_first, last) => {
      if (entries !== undefined && last >= all.length - 10 && cursor.current !== null) readOn();
    },
  };
}

function read(id: string, before: number | null | undefined): Promise<Reply<"journal">> {
  const query = { only: "memory" as const, limit: blockSize, ...(before == null ? {} : { before }) };
  return ask("journal", { params: { id }, query });
}
