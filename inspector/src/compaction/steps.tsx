import type { ComponentChildren } from "preact";
import { count, plural, time } from "../format.ts";
import { MessageBody } from "./messages.tsx";
import { type Compaction, type Message, summaryText } from "./trace-items.ts";

const summaryWriters: Record<Compaction["summaryBy"], string> = {
  model: "by the model",
  deterministic: "generated without a model",
  unknown: "by the host",
};

const warningFacts: Record<Compaction["warning"], string> = {
  given: "given",
  skipped: "skipped",
  none: "none",
};

/** The steps in order: why, warning, checkpoint, removal, summary, receipt. */
export function CompactionSteps({
  compaction,
  messages,
  why,
}: {
  compaction: Compaction;
  messages: readonly Message[];
  why: string;
}) {
  const { warning, warningTurn, checkpoint, summary, summaryBy, line, receipt, counts } = compaction;
  return (
    <section class="panel" aria-labelledby="title-steps">
      <div class="panel-head">
        <h2 id="title-steps">Steps</h2>
      </div>
      <ol class="steps">
        <Step title="Why" fact={why} />
        <Step
          title="Warning turn"
          fact={warning === "given" ? `given at ${time(warningTurn?.at ?? 0)}` : warningFacts[warning]}
        >
          {warningTurn ? (
            <>
              <pre class="source" dir="auto">
                {warningTurn.text}
              </pre>
              {warningTurn.messages.map((message) => (
                <MessageBody key={message.number} message={message} />
              ))}
            </>
          ) : (
            <p>The agent was not asked to save what it needs.</p>
          )}
        </Step>
        <Step title="Checkpoint" fact={checkpoint ? `revision ${checkpoint.revision}` : "none"}>
          {checkpoint ? (
            <pre class="source" dir="auto">
              {checkpoint.text}
            </pre>
          ) : (
            <p>None was written.</p>
          )}
        </Step>
        <Step title="Removed" fact={plural(compaction.removed, "message")}>
          {messages.map((message) => (
            <div key={message.number} class="step-message">
              <span class="number faint">{message.number}</span>{" "}
              <span class={`role role-${message.role}`}>{message.role}</span>
              <MessageBody message={message} />
            </div>
          ))}
        </Step>
        <Step title="Summary" fact={summaryWriters[summaryBy]} isOpen>
          {summary === "" ? (
            <p>The host wrote its own summary and keeps it in its transcript.</p>
          ) : (
            <>
              <pre class="source" dir="auto">
                {summaryText(summary)}
              </pre>
              <details class="quiet">
                <summary>The full text that replaced the messages</summary>
                <pre class="source" dir="auto">
                  {summary}
                </pre>
              </details>
            </>
          )}
        </Step>
        <Step
          title="Receipt"
          fact={`${count(counts.kept)} in sight, ${count(counts.recallable)} can be fetched, ${count(counts.missing)} lost`}
          isOpen
        >
          <pre class="source" dir="auto">
            {line}
          </pre>
          <ReceiptList name="In sight" items={receipt.kept} />
          <ReceiptList name="Put back" items={receipt.putBack} />
          <ReceiptList name="Out of sight, can be fetched" items={receipt.recallable} />
          <ReceiptList name="Lost" items={receipt.missing} />
        </Step>
      </ol>
    </section>
  );
}

function Step({
  title,
  fact,
  isOpen = false,
  children,
}: {
  title: string;
  fact: string;
  isOpen?: boolean;
  children?: ComponentChildren;
}) {
  if (!children)
    return (
      <li class="step">
        <p class="step-line">
          <span class="step-title">{title}</span> <span class="faint">{fact}</span>
        </p>
      </li>
    );
  return (
    <li class="step">
      <details open={isOpen}>
        <summary>
          <span class="step-title">{title}</span> <span class="faint">{fact}</span>
        </summary>
        <div class="step-body">{children}</div>
      </details>
    </li>
  );
}

function ReceiptList({ name, items }: { name: string; items: Compaction["receipt"]["kept"] }) {
  if (items.length === 0) return null;
  return (
    <details class="quiet">
      <summary>
        {name} <span class="number faint">{items.length}</span>
      </summary>
      <ul class="receipt-list">
        {items.map(({ kind, text }) => (
          <li key={`${kind} ${text}`}>
            <span class="badge">{kind}</span> <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}
