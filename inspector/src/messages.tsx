import { useEffect, useRef, useState } from "preact/hooks";
import { callApi, type Reply } from "./api.ts";
import { time } from "./format.ts";
import { attempt } from "./toast.tsx";

export type Message = Reply<"messages">["messages"][number];
type Part = Message["parts"][number];

interface MessageItemProps {
  sessionId: string;
  message: Message;
  /** A text to find and highlight in it. */
  find?: string;
  isChosen?: boolean;
  /** Whether its state is worth a word: in a conversation, not in a list of removed messages. */
  showsState?: boolean;
}

/** A message in one line, and in full when it is opened. */
export function MessageItem({
  sessionId,
  message,
  find = "",
  isChosen = false,
  showsState,
}: MessageItemProps) {
  const [isOpen, setOpen] = useState(isChosen);
  const { number, role, state, at } = message;
  return (
    <li
      class={`talk-item${state === "in context" ? "" : " is-out"}${isChosen ? " is-chosen" : ""}`}
      ref={(element) => {
        if (isChosen && element && !element.dataset.shown) {
          element.dataset.shown = "true";
          element.scrollIntoView({ block: "center" });
        }
      }}
    >
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="talk-head">
          <span class="number faint talk-number">{number}</span>
          <span class={`role role-${role}`}>{role}</span>
          <span class="talk-line" dir="auto">
            {messageLine(message)}
          </span>
          {showsState && state !== "in context" && (
            <span class={`badge${state === "lost" ? " badge-lost" : ""}`}>{state}</span>
          )}
          {at !== null && <span class="number faint talk-time">{time(at)}</span>}
        </summary>
        {isOpen && <MessageBody sessionId={sessionId} message={message} find={find} />}
      </details>
    </li>
  );
}

/** A message in one line: its longest part. */
function messageLine({ parts }: Message): string {
  const [best] = parts
    .map((part) => ({ part, text: mainText(part) }))
    .sort((one, other) => other.text.length - one.text.length);
  if (!best) return "";
  const line = best.text.slice(0, 200).replaceAll(/\s+/g, " ");
  if (best.part.type === "tool-call") return `→ ${best.part.tool}: ${line}`;
  return best.part.type === "tool-result" ? `← ${line}` : line;
}

/** The longest text of a tool call's input; the rest are names and flags. */
function mainText({ type, text }: Part): string {
  if (type !== "tool-call") return text;
  try {
    const input: unknown = JSON.parse(text);
    const texts = Object.values(input ?? {}).filter((value) => typeof value === "string");
    return texts.sort((one, other) => other.length - one.length)[0] ?? text;
  } catch {
    return text;
  }
}

/** A message's parts in full, at the text to find. */
export function MessageBody({ sessionId, message, find = "" }: Omit<MessageItemProps, "isChosen">) {
  const [whole, setWhole] = useState<Message>();
  const { parts } = whole ?? message;
  const foundIn = find === "" ? -1 : parts.findIndex(({ text }) => text.includes(find));
  const isBeyond = find !== "" && foundIn === -1 && !whole && parts.some(({ cut }) => cut);
  const readWhole = () =>
    attempt(async () => {
      const query = { after: message.number - 1, limit: 1, whole: "yes" as const };
      const { messages } = await callApi("messages", { params: { id: sessionId }, query });
      setWhole(messages[0]);
    });
  useEffect(() => {
    if (isBeyond) readWhole();
  }, [isBeyond]);
  return (
    <div class="message">
      {parts.map((part, index) => (
        <div key={index} class={part.isError ? "is-error" : undefined}>
          {labelOf(part) !== "" && <span class="faint">{labelOf(part)}</span>}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable text must be reachable by keyboard */}
          <pre dir="auto" tabIndex={0}>
            {index === foundIn ? <Found text={part.text} find={find} /> : part.text}
          </pre>
        </div>
      ))}
      {!whole && parts.some(({ cut }) => cut) && (
        <button type="button" class="button button-small" onClick={readWhole}>
          Show all
        </button>
      )}
    </div>
  );
}

/** A text that is scrolled to the first place of `find`. */
function Found({ text, find }: { text: string; find: string }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "center" }), [find]);
  const at = text.indexOf(find);
  return (
    <>
      {text.slice(0, at)}
      <mark ref={place}>{find}</mark>
      {text.slice(at + find.length)}
    </>
  );
}

function labelOf({ type, tool, isError }: Part): string {
  if (type === "tool-call") return `calls ${tool}`;
  if (type === "tool-result") return `${tool} ${isError ? "failed" : "answers"}`;
  return type === "reasoning" ? "thinks" : "";
}
