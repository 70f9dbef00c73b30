import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Reply } from "./api.ts";
import { availabilityOf, warningFact } from "./facts.ts";
import { count, dateTime, percent, plural } from "./format.ts";
import { useFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { MessageBody, MessageItem } from "./messages.tsx";
import { Empty, Source, Waiting } from "./states.tsx";

type Compaction = Reply<"compaction">;

const triggers: Record<Compaction["trigger"], string> = {
  threshold: "The window was nearly full",
  projected: "The next step might not have fit into the window",
  overflow: "The provider rejected the prompt as too long",
  manual: "Someone asked for a compaction",
  tasks: "Enough tasks were closed",
  "sub-session": "A child session reported",
  host: "The coding agent compacted its conversation",
};

/** A compaction: its facts first, then what the model got, then how it went. */
export function CompactionDetail({ sessionId, epoch }: { sessionId: string; epoch: number }) {
  // The newest receipt is verified after the compaction, against the next request.
  const freshness = useFreshness(sessionId);
  const { data, error, reload } = useLoad("compaction", { params: { id: sessionId, epoch } }, freshness);
  if (error?.status === 404) return <Empty title={`There is no compaction ${epoch}`} />;
  if (!data) return <Waiting error={error} retry={reload} lines={10} />;
  const { handoff, summary, removed } = data;
  return (
    <div class="stack">
      <FactsPanel compaction={data} />
      <TextSection
        title="Handoff as the model got it"
        text={handoff.text}
        note={sources[handoff.source]}
        empty="None was written."
      />
      <TextSection
        title="Summary"
        text={summary}
        note={summaryWriters[data.summaryBy]}
        empty="The coding agent wrote its own, and its transcript is not here."
      />
      <section class="panel" aria-labelledby="title-removed">
        <h2 id="title-removed">
          Removed messages <span class="faint number">{count(removed)}</span>
        </h2>
        <Removed sessionId={sessionId} epoch={epoch} total={removed} />
      </section>
      <details class="panel steps">
        <summary>How it went</summary>
        <Steps sessionId={sessionId} compaction={data} />
      </details>
    </div>
  );
}

const sources: Record<Compaction["handoff"]["source"], string> = {
  prompt: "from the agent's prompt, with summary and receipt",
  transcript: "from the coding agent's transcript, byte for byte",
  record: "from the record of it",
};

const summaryWriters: Record<Compaction["summaryBy"], string> = {
  model: "by the model",
  deterministic: "made without a model",
  unknown: "by the coding agent",
};

/** Where everything is now, in three states. */
function FactsPanel({ compaction }: { compaction: Compaction }) {
  const { epoch, at, trigger, tokensBefore, tokensAfter, tokensBy, verified, mismatch } = compaction;
  const facts = availabilityOf(compaction);
  const about = tokensBy === "estimate" ? "about " : "";
  return (
    <section class="panel" aria-labelledby="title-compaction">
      <div class="panel-head">
        <h2 id="title-compaction">
          Compaction {epoch} <span class="faint">{at === null ? "" : dateTime(at)}</span>
        </h2>
      </div>
      <dl class="states">
        {(["in context", "retrievable", "lost"] as const).map((state) => (
          <div
            key={state}
            class={`where-${state.replace(" ", "-")}${facts[state].length > 0 ? " has-facts" : ""}`}
          >
            <dt>{state}</dt>
            <dd>
              {facts[state].length === 0 ? (
                <span class="faint">nothing</span>
              ) : (
                <ul class="plain">
                  {facts[state].map((fact) => (
                    <li key={fact}>{fact}</li>
                  ))}
                </ul>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <p class="compaction-line">
        {triggers[trigger]}. {warningFact(compaction)}. The window went from {about}
        <span class="number">{count(tokensBefore)}</span> to <span class="number">{count(tokensAfter)}</span>{" "}
        tokens, {percent(Math.max(0, tokensBefore - tokensAfter), tokensBefore)} less.{" "}
        {verified
          ? `The request of call ${verified.call} contained all of it.`
          : mismatch || trigger === "host"
            ? ""
            : "No request proves it yet."}
        {mismatch && (
          <strong class="warned">
            The request of call {mismatch.call} lacked {mismatch.lacks.join("; ")}.
          </strong>
        )}
      </p>
    </section>
  );
}

interface TextSectionProps {
  title: string;
  text: string;
  note: string;
  empty: string;
}

function TextSection({ title, text, note, empty }: TextSectionProps) {
  return (
    <section class="panel" aria-label={title}>
      <h2>
        {title} <span class="faint">{text === "" ? "" : note}</span>
      </h2>
      {text === "" ? <p class="panel-empty">{empty}</p> : <Source name={`Text: ${title}`} text={text} />}
    </section>
  );
}

/** The messages that it removed, with a search. Only the newest if there are very many. */
function Removed({ sessionId, epoch, total }: { sessionId: string; epoch: number; total: number }) {
  const [wanted, setWanted] = useState("");
  const query = { epoch, q: wanted.trim(), limit: 300 };
  const { data, error, reload } = useLoad("messages", { params: { id: sessionId }, query }, 0);
  return (
    <>
      <input
        class="input"
        type="search"
        placeholder="Search the removed messages"
        aria-label="Search the removed messages"
        value={wanted}
        maxLength={1000}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      {!data ? (
        <Waiting error={error} retry={reload} lines={3} />
      ) : (
        <>
          {data.isPreview && (
            <p class="faint">The coding agent's transcript is gone. This is one line of each message.</p>
          )}
          {data.messages.length === 0 && (
            <p class="panel-empty">
              {wanted.trim() === "" ? "They cannot be shown here." : "No removed message has this."}
            </p>
          )}
          {data.messages.length > 0 && data.messages.length < total && (
            <p class="faint">
              {wanted.trim() === "" ? "The newest " : ""}
              {plural(data.messages.length, "message")}
              {wanted.trim() === "" ? "" : " with it"}
            </p>
          )}
          <ol class="talk">
            {data.messages.map((message) => (
              <MessageItem
                key={message.number}
                sessionId={sessionId}
                message={message}
                find={wanted.trim()}
              />
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function Steps({ sessionId, compaction }: { sessionId: string; compaction: Compaction }) {
  const { warningTurn, line } = compaction;
  return (
    <ol class="step-list">
      <Step title={warningFact(compaction)}>
        {warningTurn && (
          <>
            <Source name="Text of the warning" text={warningTurn.text} />
            {warningTurn.messages.map((message) => (
              <MessageBody key={message.number} sessionId={sessionId} message={message} />
            ))}
          </>
        )}
      </Step>
      <Step title="Holdfast wrote the handoff" />
      <Step title={`The summary was written ${summaryWriters[compaction.summaryBy]}`} />
      <Step title={`${plural(compaction.removed, "message")} left the context`} />
      <Step title="The agent got the receipt">
        {line !== "" && <Source name="Text of the receipt" text={line} />}
      </Step>
    </ol>
  );
}

function Step({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <li class="step">
      <p>{title}</p>
      {children}
    </li>
  );
}
