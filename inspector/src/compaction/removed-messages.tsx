import { useState } from "preact/hooks";
import { useLoad } from "../load.ts";
import { Waiting } from "../states.tsx";
import { type Message, MessageBody, messageLine } from "./messages.tsx";

/** The messages that a compaction removed. Only the newest if there are very many. */
export function RemovedMessages({ sessionId, epoch }: { sessionId: string; epoch: number }) {
  const { data, error, reload } = useLoad("removedMessages", { params: { id: sessionId, epoch } }, 0);
  if (!data) return <Waiting error={error} retry={reload} />;
  const { messages, total, isPreview } = data;
  if (messages.length === 0) return <p>They cannot be shown here.</p>;
  return (
    <>
      {isPreview && <p class="faint">The host's transcript is gone. This is one line of each message.</p>}
      {total > messages.length && <p class="faint">The newest {messages.length} are listed.</p>}
      <ol class="talk">
        {messages.map((message) => (
          <RemovedMessage key={message.number} message={message} />
        ))}
      </ol>
    </>
  );
}

function RemovedMessage({ message }: { message: Message }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li class="talk-item">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="talk-head">
          <span class="number faint talk-number">{message.number}</span>
          <span class={`role role-${message.role}`}>{message.role}</span>
          <span class="talk-line" dir="auto">
            {messageLine(message)}
          </span>
        </summary>
        {isOpen && <MessageBody message={message} />}
      </details>
    </li>
  );
}
