import { useEffect, useRef, useState } from "preact/hooks";
import { callApi, type Reply } from "./api.ts";
import { type Call, type Calls, callAt } from "./calls.ts";
import { isCut, show } from "./clock.tsx";
import { brief, count, percent, plural, time } from "./format.ts";
import { useFreshness } from "./live.ts";
import { useLoad } from "./load.ts";
import { MessageItem } from "./messages.tsx";
import { readablePiece } from "./readable-piece.ts";
import { useRoute } from "./route.ts";
import type { SessionMemory } from "./session.tsx";
import { Empty, Waiting } from "./states.tsx";
import { attempt } from "./toast.tsx";
import type { WindowFact } from "./window-bar.tsx";

type Session = SessionMemory["session"];
type Detail = Reply<"call">;
type Piece = Detail["pieces"][number];

/** The parts of a context window, in prompt order; with the same names and colors everywhere. */
const parts = ["tools", "system", "memory", "summaries", "history", "results"] as const;
const partNames: Record<(typeof parts)[number], string> = {
  tools: "Tools",
  system: "System",
  memory: "Memory",
  summaries: "Summaries",
  history: "History",
  results: "Results",
};

/** The window by call, the chosen call in full, and the conversation. */
export function WindowView({ session, calls }: { session: Session; calls: Calls }) {
  const { at, call, item } = useRoute();
  const [part, setPart] = useState<"prompt" | "conversation">(item === undefined ? "prompt" : "conversation");
  useEffect(() => {
    if (item !== undefined) setPart("conversation");
  }, [item]);
  const turns = calls.calls.filter(({ purpose }) => purpose !== "summary");
  const current = callAt(calls.calls, { at, call });
  const chosen = call ?? current?.number;
  return (
    <div class="stack">
      {calls.isReady && turns.length === 0 && <NoCalls isWorking={session.state === "working"} />}
      {turns.length > 0 && (
        <section class="panel panel-flush" aria-labelledby="title-calls">
          <div class="panel-head">
            <h2 id="title-calls">
              Window by call{" "}
              {calls.total > calls.calls.length && (
                <span class="faint number">
                  newest {calls.calls.length} of {count(calls.total)}
                </span>
              )}
            </h2>
            <Legend calls={calls.calls} window={session.window} />
          </div>
          <Bars sessionId={session.id} calls={calls} chosen={chosen} window={session.window} />
        </section>
      )}
      <fieldset class="segments" aria-label="What of the call">
        <button
          type="button"
          class="segment"
          aria-pressed={part === "prompt"}
          onClick={() => setPart("prompt")}
        >
          Prompt by piece
        </button>
        <button
          type="button"
          class="segment"
          aria-pressed={part === "conversation"}
          onClick={() => setPart("conversation")}
        >
          Conversation
        </button>
      </fieldset>
      {part === "conversation" ? (
        <Conversation
          sessionId={session.id}
          call={at === undefined && call === undefined ? undefined : chosen}
        />
      ) : (
        chosen !== undefined && (
          <CallDetail
            key={chosen}
            sessionId={session.id}
            number={chosen}
            source={current?.source ?? "ledger"}
          />
        )
      )}
    </div>
  );
}

function NoCalls({ isWorking }: { isWorking: boolean }) {
  if (isWorking) return <Empty title="No model call yet" />;
  return (
    <Empty title="No model calls recorded">
      <p>
        An agent that runs on <code>holdfast/agent</code> or <code>holdfast chat</code> records its prompts. A
        coding agent builds its own. They appear here when its transcript is on this machine and contains
        token counts.
      </p>
    </Empty>
  );
}

/** The parts, the signs and the lines of the chart. The same in every call, so that a compaction moves nothing. */
function Legend({ calls, window }: { calls: readonly Call[]; window: WindowFact | null }) {
  // A transcript has neither the tools nor the calls that write summaries.
  const isHosted = calls[0]?.source === "transcript";
  return (
    <ul class="legend" aria-label="Parts of the window">
      {parts
        .filter((part) => !isHosted || part !== "tools")
        .map((part) => (
          <li key={part}>
            <span class={`swatch part-${part}`} aria-hidden="true" />
            {partNames[part]}
          </li>
        ))}
      {!isHosted && (
        <li>
          <span class="summary-sign" aria-hidden="true">
            Σ
          </span>
          summary
        </li>
      )}
      {window && window.warnAt !== null && (
        <li class="line-name">
          <span class="line-sample line-warn" aria-hidden="true" />
          warning
        </li>
      )}
      {window && (
        <li class="line-name">
          <span class="line-sample line-compact" aria-hidden="true" />
          compaction
        </li>
      )}
    </ul>
  );
}

interface BarsProps {
  sessionId: string;
  calls: Calls;
  chosen: number | undefined;
  window: WindowFact | null;
}

/** A bar per call with its limit and ticks, a cut per compaction with the calls that made its summary. */
function Bars({ sessionId, calls: { calls, cuts }, chosen, window }: BarsProps) {
  const row = useRef<HTMLFieldSetElement>(null);
  const highest = Math.max(...calls.map(({ contextWindow, tokens }) => Math.max(contextWindow, tokens)));
  const newest = calls.at(-1);
  useEffect(() => {
    const element = row.current;
    const pressed = element?.querySelector<HTMLElement>('[aria-pressed="true"]');
    if (!element || !pressed) return;
    // Only the row moves, never the page.
    element.scrollLeft = pressed.offsetLeft - element.clientWidth / 2;
  }, [chosen, newest?.number]);
  const choose = ({ revision, number }: Call) =>
    number === newest?.number ? show(sessionId) : show(sessionId, revision, number);
  const walk = (event: KeyboardEvent) => {
    const index = calls.findIndex(({ number }) => number === chosen);
    const steps: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: calls.length - 1,
    };
    const next = calls[steps[event.key] ?? -1];
    if (!next) return;
    event.preventDefault();
    choose(next);
    requestAnimationFrame(() => row.current?.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus());
  };
  const lines = window
    ? ([
        ["warn", window.warnAt],
        ["compact", window.compactAt],
        ["limit", window.limit],
      ] as const)
    : [];
  return (
    <div class="bars-frame">
      <div class="bars-scale number" aria-hidden="true">
        <span>{brief(highest)}</span>
        <span>{brief(highest / 2)}</span>
        <span>0</span>
      </div>
      <div class="bars-area">
        {lines.map(
          ([kind, tokens]) =>
            tokens !== null && (
              <span
                key={kind}
                class={`bars-line line-${kind}`}
                style={{ bottom: `${(100 * tokens) / highest}%` }}
              />
            ),
        )}
        <fieldset
          class="bars"
          ref={row}
          aria-label="Model calls; use the left and right keys"
          onKeyDown={walk}
        >
          {calls.map((call, index) => (
            <>
              {isCut(calls[index - 1], call, cuts) && (
                <span
                  key={`cut ${call.number}`}
                  class="cut"
                  role="img"
                  aria-label="Compaction"
                  title="Compaction"
                >
                  ✂
                </span>
              )}
              <Bar
                key={call.number}
                call={call}
                highest={highest}
                isCurrent={call.number === chosen}
                choose={choose}
              />
            </>
          ))}
        </fieldset>
      </div>
    </div>
  );
}

interface BarProps {
  call: Call;
  highest: number;
  isCurrent: boolean;
  choose: (call: Call) => void;
}

function Bar({ call, highest, isCurrent, choose }: BarProps) {
  const { number, purpose, contextWindow, tokens } = call;
  const text = `Call ${number}, ${purpose}: ${sizeOf(call)}, ${percent(tokens, contextWindow)}`;
  return (
    <button
      type="button"
      class={`bar bar-${purpose}`}
      aria-pressed={isCurrent}
      aria-label={text}
      title={text}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => choose(call)}
    >
      {purpose === "summary" ? (
        <span class="summary-sign">Σ</span>
      ) : (
        <span class="bar-stack" style={{ height: `${(100 * tokens) / highest}%` }}>
          {parts
            .toReversed()
            .map((part) =>
              call.parts[part] > 0 ? (
                <span key={part} class={`bar-part part-${part}`} style={{ flexGrow: call.parts[part] }} />
              ) : null,
            )}
        </span>
      )}
      {purpose === "warning" && <span class="bar-sign">!</span>}
    </button>
  );
}

/** A transcript does not name the window. */
function sizeOf({ tokens, contextWindow, basis, source }: Call): string {
  const [about, limitAbout] = [basis === "estimate", source === "transcript"].map((is) =>
    is ? "about " : "",
  );
  return `${about}${count(tokens)} of ${limitAbout}${count(contextWindow)} tokens`;
}

const purposes: Record<Call["purpose"], string> = {
  turn: "agent's turn",
  warning: "the agent is warned",
  summary: "summary for a compaction",
};

interface CallDetailProps {
  sessionId: string;
  number: number;
  source: Call["source"];
}

/** One call: its exact prompt, and what changed since the agent's last turn. */
function CallDetail({ sessionId, number, source }: CallDetailProps) {
  const { data, error, reload } = useLoad("call", { params: { id: sessionId, number } }, 0);
  const [onlyChanged, setOnlyChanged] = useState(false);
  if (error?.status === 404 || error?.status === 410)
    return (
      <Empty title={`Call ${number} is not recorded`}>
        <p>{error.message}</p>
      </Empty>
    );
  if (!data) return <Waiting error={error} retry={reload} />;
  const { call, pieces, gone, isBare } = data;
  const shown = onlyChanged ? pieces.filter(({ change }) => change !== "same") : pieces;
  return (
    <section class="panel" aria-labelledby="title-call">
      <div class="panel-head">
        <h2 id="title-call">
          Call {call.number} <span class="faint">{purposes[call.purpose]}</span>
        </h2>
        <div class="panel-actions">
          <button
            type="button"
            class="button"
            aria-pressed={onlyChanged}
            onClick={() => setOnlyChanged(!onlyChanged)}
          >
            Only changes
          </button>
        </div>
      </div>
      <Facts detail={data} />
      <PartTable call={call} />
      {source === "transcript" && (
        <p class="faint">
          The size is the provider's count. How it divides is an estimate. System is what the transcript does
          not contain: the coding agent's own prompt and tools.
        </p>
      )}
      {isBare && <p class="faint">Retention removed the text of this prompt. Its numbers are kept.</p>}
      {gone.length > 0 && (
        <details class="gone">
          <summary>
            {plural(gone.length, "piece")} of call {data.against} {gone.length === 1 ? "is" : "are"} gone
          </summary>
          {gone.map((piece) => (
            <PieceView key={piece.hash} sessionId={sessionId} number={data.against ?? number} piece={piece} />
          ))}
        </details>
      )}
      {shown.length === 0 && !isBare && <p class="panel-empty">No changes since call {data.against}.</p>}
      <ol class="pieces">
        {shown.map((piece) => (
          <li key={`${piece.index} ${piece.hash}`}>
            <PieceView sessionId={sessionId} number={number} piece={piece} />
            {piece.index === data.prefix.pieces - 1 && !onlyChanged && <CacheLine detail={data} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function CacheLine({ detail: { against, prefix } }: { detail: Detail }) {
  return (
    <p class="cache-line">
      <span>
        Same as call {against} up to here
        {prefix.basis === "estimate" && `: about ${count(prefix.tokens)} tokens that a cache can serve`}
      </span>
    </p>
  );
}

function Facts({ detail: { call, prefix } }: { detail: Detail }) {
  const { usage, contextWindow, tokens } = call;
  const facts: [string, string][] = [
    ["Model", call.model],
    ["At", time(call.at)],
    ["Size", `${sizeOf(call)} (${percent(tokens, contextWindow)})`],
    [
      "Unchanged prefix",
      prefix.basis === "provider"
        ? `${count(prefix.tokens)} tokens from the provider's cache (${percent(prefix.tokens, tokens)})`
        : `about ${count(prefix.tokens)} tokens (${percent(prefix.tokens, tokens)})`,
    ],
    ["Answer", usage.output === null ? "not reported" : `${count(usage.output)} tokens`],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function PartTable({ call }: { call: Call }) {
  const shown = parts.filter((part) => call.parts[part] > 0);
  return (
    <div class="part-table">
      <div class="part-strip" aria-hidden="true">
        {shown.map((part) => (
          <span
            key={part}
            class={`part-cell part-${part}`}
            style={{ flexGrow: call.parts[part] }}
            title={`${partNames[part]}: ${count(call.parts[part])}`}
          />
        ))}
      </div>
      <ul class="part-list" aria-label="Parts of the window">
        {shown.map((part) => (
          <li key={part}>
            <span class={`swatch part-${part}`} aria-hidden="true" />
            <span>{partNames[part]}</span>
            <span class="number">{count(call.parts[part])}</span>
            <span class="number faint">{percent(call.parts[part], call.tokens)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const changeLabels: Record<Piece["change"], string> = {
  same: "",
  added: "new",
  moved: "moved",
  gone: "gone",
};

function PieceView({ sessionId, number, piece }: { sessionId: string; number: number; piece: Piece }) {
  const [whole, setWhole] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const text = whole ?? piece.text;
  const { title, body } = readablePiece(text, piece.part === "memory" ? "memory" : piece.role);
  const [isExact, setExact] = useState(false);
  const readWhole = () =>
    attempt(async () => {
      const query = { whole: piece.index };
      const { pieces } = await callApi("call", { params: { id: sessionId, number }, query });
      setWhole(pieces[0]?.text);
    });
  return (
    <details
      class={`piece${piece.change === "same" ? " is-cached" : ""}${piece.change === "gone" ? " is-gone" : ""}`}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class={`swatch part-${piece.part}`} aria-hidden="true" />
        <span class="piece-part">{partNames[piece.part]}</span>
        <span class="piece-title" dir="auto">
          {title}
        </span>
        {piece.change !== "same" && (
          <span class={`badge badge-${changeLabels[piece.change]}`}>{changeLabels[piece.change]}</span>
        )}
        <span class="number faint">{count(piece.tokens)}</span>
      </summary>
      {isOpen && (
        <>
          <pre class="source" dir="auto">
            {isExact ? text : body}
          </pre>
          <p class="piece-buttons">
            {body !== text && (
              <button type="button" class="button button-small" onClick={() => setExact(!isExact)}>
                {isExact ? "Readable" : "Exact"}
              </button>
            )}
            {piece.cut && whole === undefined && (
              <button type="button" class="button button-small" onClick={readWhole}>
                Show the whole piece
              </button>
            )}
          </p>
        </>
      )}
    </details>
  );
}

const pageSize = 100;

/** The messages as of a call or now, oldest first, a page at a time, with a line where the window begins. */
function Conversation({ sessionId, call }: { sessionId: string; call: number | undefined }) {
  const { item, find } = useRoute();
  const freshness = useFreshness(sessionId);
  const chosen = item === undefined ? undefined : Number(item);
  const [before, setBefore] = useState<number>();
  useEffect(() => setBefore(undefined), [sessionId, chosen, call]);
  const around = chosen === undefined ? undefined : Math.max(0, chosen - pageSize / 2);
  const query = {
    limit: pageSize,
    ...(call === undefined ? {} : { call }),
    ...(before !== undefined ? { before } : around === undefined ? {} : { after: around }),
  };
  const { data, error, reload } = useLoad("messages", { params: { id: sessionId }, query }, freshness);
  if (!data) return <Waiting error={error} retry={reload} />;
  const { messages, last } = data;
  if (messages.length === 0)
    return (
      <Empty title="No messages here">
        <p>
          The messages of an agent that runs on Holdfast are stored with its memory. Those of a coding agent
          are read from its transcript, when there is one on this machine.
        </p>
      </Empty>
    );
  return (
    <section class="panel" aria-labelledby="title-messages">
      <div class="panel-head">
        <h2 id="title-messages">
          Messages{" "}
          <span class="faint number">
            {messages[0]?.number}–{messages.at(-1)?.number} of {count(last)}
            {call !== undefined && ` as of call ${call}`}
          </span>
        </h2>
        <div class="panel-actions">
          <button
            type="button"
            class="button"
            disabled={data.before === null}
            onClick={() => setBefore(data.before ?? undefined)}
          >
            Older
          </button>
          <button
            type="button"
            class="button"
            disabled={data.after === null}
            onClick={() => setBefore((data.after ?? last) + pageSize + 1)}
          >
            Newer
          </button>
        </div>
      </div>
      <ol class="talk">
        {messages.map((message, index) => (
          <>
            {index > 0 && messages[index - 1]?.state !== "in context" && message.state === "in context" && (
              <li key="begin" class="cache-line">
                <span>The window begins here. A summary stands for the messages above.</span>
              </li>
            )}
            <MessageItem
              key={message.number === chosen ? `chosen ${chosen}` : message.number}
              sessionId={sessionId}
              message={message}
              find={message.number === chosen ? find : ""}
              isChosen={message.number === chosen}
              showsState
            />
          </>
        ))}
      </ol>
    </section>
  );
}
