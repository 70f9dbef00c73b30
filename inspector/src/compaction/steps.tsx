import type { ComponentChildren } from "preact";
import type { Reply } from "../api.ts";
import { plural, time } from "../format.ts";
import { MessageBody } from "./messages.tsx";
import { warningFact } from "./receipt-facts.ts";
import { RemovedMessages } from "./removed-messages.tsx";
import { summaryText } from "./summary-text.ts";

type Compaction = Reply<"compaction">;

const summaryWriters: Record<Compaction["summaryBy"], string> = {
  model: "by the model",
  deterministic: "generated without a model",
  unknown: "by the host",
};

/** The steps in order: warning, handoff, summary, removal. */
export function CompactionSteps({ sessionId, compaction }: { sessionId: string; compaction: Compaction }) {
  const { epoch, handoff, summary, summaryBy, removed } = compaction;
  return (
    <section class="panel" aria-labelledby="title-steps">
      <div class="panel-head">
        <h2 id="title-steps">Steps</h2>
      </div>
      <ol class="steps">
        <Step title="Warning turn" fact={warningTime(compaction)}>
          <WarningTurn compaction={compaction} />
        </Step>
        <Step title="Handoff" fact={handoffFact(handoff)} isOpen>
          {handoff?.text ? (
            <Source name="Text of the handoff" text={handoff.text} />
          ) : (
            <p>None was written.</p>
          )}
        </Step>
        <Step title="Summary" fact={summaryWriters[summaryBy]} isOpen>
          {summary === "" ? (
            <p>The host wrote its own summary and keeps it in its transcript.</p>
          ) : (
            <>
              <Source name="Text of the summary" text={summaryText(summary)} />
              <details class="quiet">
                <summary>The full text that replaced the messages</summary>
                <Source name="Text that replaced the messages" text={summary} />
              </details>
            </>
          )}
        </Step>
        <Step title="Removed messages" fact={plural(removed, "message")} isOpen>
          <RemovedMessages sessionId={sessionId} epoch={epoch} />
        </Step>
      </ol>
    </section>
  );
}

function warningTime({ warning, warningTurn }: Compaction): string {
  if (warning !== "given") return "not given";
  return warningTurn ? `given at ${time(warningTurn.at)}` : "given";
}

function handoffFact(handoff: Compaction["handoff"]): string {
  if (!handoff?.text) return "none";
  return handoff.revision === null ? "" : `revision ${handoff.revision}`;
}

function WarningTurn({ compaction }: { compaction: Compaction }) {
  const { warning, warningTurn } = compaction;
  if (warning !== "given") return <p dir="auto">{warningFact(compaction)}</p>;
  if (!warningTurn) return <p>Retention removed it.</p>;
  return (
    <>
      <Source name="Text of the warning" text={warningTurn.text} />
      {warningTurn.messages.map((message) => (
        <MessageBody key={message.number} message={message} />
      ))}
    </>
  );
}

function Source({ name, text }: { name: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard
    <section class="source" tabIndex={0} aria-label={name}>
      <pre dir="auto">{text}</pre>
    </section>
  );
}

interface StepProps {
  title: string;
  fact: string;
  isOpen?: boolean;
  children: ComponentChildren;
}

function Step({ title, fact, isOpen = false, children }: StepProps) {
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
