import { useEffect, useRef, useState } from "preact/hooks";
import { callApi } from "../api.ts";
import { type Receipt, removedFact } from "../compaction/receipt-facts.ts";
import { count } from "../format.ts";
import { goTo, hrefTo } from "../route.ts";
import { showNews } from "../toast.tsx";

/** Announces a compaction that happens while the page is open, until it is dismissed or looked at. */
export function CompactionCard({ sessionId, epoch }: { sessionId: string; epoch: number }) {
  const [news, setNews] = useState<Receipt>();
  const seen = useRef(epoch);
  useEffect(() => {
    const isNew = epoch > seen.current && seen.current > 0;
    seen.current = epoch;
    if (!isNew) return undefined;
    const aborter = new AbortController();
    callApi("compactions", { params: { id: sessionId }, query: { limit: 1 } }, aborter.signal).then(
      // An epoch may also end without a compaction.
      ({ compactions: [newest] }) => newest?.epoch === epoch - 1 && setNews(newest),
      () => undefined,
    );
    return () => aborter.abort();
  }, [sessionId, epoch]);
  return (
    <div class="news-area" role="status" aria-live="polite">
      {news && (
        <p class="news" key={news.epoch}>
          <span class="news-sign" aria-hidden="true">
            ✂
          </span>
          <span class="news-text">
            <strong>
              Compacted: {count(news.tokensBefore)} → {count(news.tokensAfter)} tokens.
            </strong>{" "}
            {removedFact(news)}{" "}
            <a
              href={hrefTo(sessionId, "compaction", news.epoch)}
              onClick={() => setNews(undefined)}
              aria-label={`Look at compaction ${news.epoch}`}
            >
              Look
            </a>
          </span>
          <button type="button" class="icon-button" aria-label="Dismiss" onClick={() => setNews(undefined)}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}

/** Announces a compaction of a session that is not shown, with a way to it. */
export function announceCompaction(sessionId: string): void {
  const params = { id: sessionId };
  Promise.all([callApi("compactions", { params, query: { limit: 1 } }), callApi("memory", { params })]).then(
    ([{ compactions }, { session }]) => {
      const [newest] = compactions;
      if (!newest) return;
      const { tokensBefore, tokensAfter, epoch } = newest;
      const text = `${session.name} was compacted: ${count(tokensBefore)} → ${count(tokensAfter)} tokens. ${removedFact(newest)}`;
      showNews(sessionId, text, { label: "Look", run: () => goTo(sessionId, "compaction", epoch) });
    },
    () => undefined,
  );
}
