import type { Reply } from "../api.ts";
import { count, dateTime, percent } from "../format.ts";
import { receiptFacts } from "./receipt-facts.ts";

interface ReceiptPanelProps {
  compaction: Reply<"compaction">;
  why: string;
}

/** The receipt: its facts, the window before and after, and the line that the agent got. */
export function ReceiptPanel({ compaction, why }: ReceiptPanelProps) {
  const { tokensBefore, tokensAfter, at, trigger, tokensBy, line } = compaction;
  const about = tokensBy === "estimate" && trigger === "host" ? "about " : "";
  return (
    <section class="panel" aria-labelledby="title-receipt">
      <div class="panel-head">
        <h2 id="title-receipt">Receipt</h2>
      </div>
      <div class="receipt">
        <div class="receipt-text">
          <ul class="receipt-facts">
            {receiptFacts(compaction).map(({ text, isBad }) => (
              <li key={text} class={isBad ? "bad" : undefined} dir="auto">
                {text}
              </li>
            ))}
          </ul>
          <p class="faint">
            Why: {why}.{at === null ? "" : ` ${dateTime(at)}.`}
          </p>
        </div>
        <div class="receipt-window">
          <WindowBar label="Before" tokens={tokensBefore} max={tokensBefore} about={about} />
          <WindowBar label="After" tokens={tokensAfter} max={tokensBefore} about={about} />
          <p class="faint receipt-freed">{percent(tokensBefore - tokensAfter, tokensBefore)} freed</p>
        </div>
      </div>
      <p class="faint receipt-label">As the agent gets it:</p>
      <pre class="source" dir="auto">
        {line}
      </pre>
    </section>
  );
}

function WindowBar({
  label,
  tokens,
  max,
  about,
}: {
  label: string;
  tokens: number;
  max: number;
  about: string;
}) {
  return (
    <div class="window-bar">
      <span class="window-bar-label">{label}</span>
      <span class="window-bar-track">
        <span
          class={`window-bar-fill window-${label.toLowerCase()}`}
          style={{ width: `${Math.min(100, (100 * tokens) / Math.max(1, max))}%` }}
        />
      </span>
      <span class="number">
        {about}
        {count(tokens)} tokens
      </span>
    </div>
  );
}
