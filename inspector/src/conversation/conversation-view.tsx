import { useEffect, useState } from "preact/hooks";
import type { Reply } from "../api.ts";
import { MessageBody, messageLine } from "../compaction/messages.tsx";
import { count, time } from "../format.ts";
import { useLoad } from "../load.ts";
import { useRoute } from "../route.ts";
import { Empty, Waiting } from "../states.tsx";

type Message = Reply<"messages">["messages"][number];

const pageSize = 100;

const states: Record<Message["inContext"], string> = {
  whole: "",
  cleared: "cleared",
  collapsed: "collapsed",
  summarised: "",
};

interface ConversationViewProps {
  sessionId: string;
  /** The message to show. */
  chosen: number | undefined;
  freshness: string;
}

/** The messages, oldest first, a page at a time, with a cut where the window begins. */
export function ConversationView({ sessionId, chosen, freshness }: ConversationViewProps) {
  const { find } = useRoute();
  const [before, setBefore] = useState<number>();
  useEffect(() => setBefore(undefined), [sessionId, chosen]);
  const around = chosen === undefined ? undefined : Math.max(0, chosen - pageSize / 2);
  const query = {
    limit: pageSize,
    ...(before !== undefined ? { before } : around === undefined ? {} : { after: around }),
  };
  const { data, error, reload } = useLoad("messages", { params: { id: sessionId }, query }, freshness);
  if (!data) return <Waiting error={error} retry={reload} />;
  const { messages, last } = data;
  if (messages.length === 0) return <NoMessages />;
  return (
    <section class="panel" aria-labelledby="title-messages">
      <div class="panel-head">
        <h2 id="title-messages">
          Messages{" "}
          <span class="faint number">
            {messages[0]?.number}–{messages.at(-1)?.number} of {count(last)}
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
          <MessageItem
            key={message.number === chosen ? `chosen ${chosen}` : message.number}
            message={message}
            find={message.number === chosen ? find : ""}
            isChosen={message.number === chosen}
            isCut={index > 0 && isOut(messages[index - 1]) && !isOut(message)}
          />
        ))}
      </ol>
    </section>
  );
}

function isOut(message: Message | undefined): boolean {
  return message?.inContext === "summarised";
}

interface MessageItemProps {
  message: Message;
  find: string;
  isChosen: boolean;
  isCut: boolean;
}

function MessageItem({ message, find, isChosen, isCut }: MessageItemProps) {
  const [isOpen, setOpen] = useState(isChosen);
  return (
    <li
      class={`talk-item${isOut(message) ? " is-out" : ""}${isChosen ? " is-chosen" : ""}`}
      ref={(element) => {
        if (isChosen && element && !element.dataset.shown) {
          element.dataset.shown = "true";
          element.scrollIntoView({ block: "center" });
        }
      }}
    >
      {isCut && (
        <p class="cache-line">
          <span>The window begins here; a summary replaces the messages above</span>
        </p>
      )}
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="talk-head">
          <span class="number faint talk-number">{message.number}</span>
          <span class={`role role-${message.role}`}>{message.role}</span>
          <span class="talk-line" dir="auto">
            {messageLine(message)}
          </span>
          {states[message.inContext] !== "" && <span class="badge">{states[message.inContext]}</span>}
          {message.at !== null && <span class="number faint talk-time">{time(message.at)}</span>}
        </summary>
        {isOpen && <MessageBody message={message} find={find} />}
      </details>
    </li>
  );
}

function NoMessages() {
  return (
    <Empty title="No messages here">
      <p>
        The messages of an agent that runs on Holdfast are stored with its memory. Those of a coding agent are
        read from its transcript, when there is one on this machine.
      </p>
    </Empty>
  );
}
