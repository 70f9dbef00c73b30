import { useEffect, useRef, useState } from "preact/hooks";
import { callApi, type Reply } from "../api.ts";
import { currentRoute } from "../route.ts";
import { attempt } from "../toast.tsx";

export type Message = Reply<"messages">["messages"][number];
type Part = Message["parts"][number];

/** A message in one line: its longest part. */
export function messageLine({ parts }: Message): string {
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
export function MessageBody({ message, find = "" }: { message: Message; find?: string }) {
  const [whole, setWhole] = useState<Message>();
  const { parts } = whole ?? message;
  const foundIn = find === "" ? -1 : parts.findIndex(({ text }) => text.includes(find));
  const isBeyond = find !== "" && foundIn === -1 && !whole && parts.some(({ cut }) => cut);
  const readWhole = () =>
    attempt(async () => {
      const { sessionId = "" } = currentRoute();
      setWhole(await callApi("message", { params: { id: sessionId, number: message.number } }));
    });
  useEffect(() => {
    if (isBeyond) void readWhole();
  }, [isBeyond]);
  return (
    <div class="message">
      {parts.map((part, index) => (
        <div key={index} class={`message-part message-${part.type}${part.isError ? " is-error" : ""}`}>
          {labelOf(part) !== "" && <span class="message-label">{labelOf(part)}</span>}
          <pre dir="auto">{index === foundIn ? <Found text={part.text} find={find} /> : part.text}</pre>
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
