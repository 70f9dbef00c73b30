import { useState } from "preact/hooks";
import { ask } from "../api.ts";
import { currentRoute } from "../route.ts";
import { attempt } from "../toast.tsx";
import type { Message } from "./trace-items.ts";

type Part = Message["parts"][number];

/** A message in one line: the part of it that says most. */
export function messageLine({ parts }: Message): string {
  const [best] = parts
    .map((part) => ({ part, text: wordsOf(part) }))
    .sort((one, other) => other.text.length - one.text.length);
  if (!best) return "";
  const line = best.text.slice(0, 200).replaceAll(/\s+/g, " ");
  if (best.part.type === "tool-call") return `→ ${best.part.tool}: ${line}`;
  return best.part.type === "tool-result" ? `← ${line}` : line;
}

/** Of what a tool was given, the longest text; the rest are names and switches. */
function wordsOf({ type, text }: Part): string {
  if (type !== "tool-call") return text;
  try {
    const given: unknown = JSON.parse(text);
    const texts = Object.values(given ?? {}).filter((value) => typeof value === "string");
    return texts.sort((one, other) => other.length - one.length)[0] ?? text;
  } catch {
    return text;
  }
}

/** What was said and done, to read. */
export function MessageBody({ message }: { message: Message }) {
  const [whole, setWhole] = useState<Message>();
  const { parts } = whole ?? message;
  const readWhole = () =>
    attempt(async () => {
      const { sessionId = "" } = currentRoute();
      setWhole(await ask("message", { params: { id: sessionId, number: message.number } }));
    });
  return (
    <div class="message">
      {parts.map((part, index) => (
        <div key={index} class={`message-part message-${part.type}${part.isError ? " is-error" : ""}`}>
          {labelOf(part) !== "" && <span class="message-label">{labelOf(part)}</span>}
          <pre dir="auto">{part.text}</pre>
        </div>
      ))}
      {!whole && parts.some(({ cut }) => cut) && (
        <button type="button" class="button button-small" onClick={readWhole}>
          Show all of it
        </button>
      )}
    </div>
  );
}

function labelOf({ type, tool, isError }: Part): string {
  if (type === "tool-call") return `calls ${tool}`;
  if (type === "tool-result") return `${tool} ${isError ? "failed" : "answers"}`;
  return type === "reasoning" ? "thinks" : "";
}
