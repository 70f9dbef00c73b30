import { readCleared, readEpoch, readShownChanges, readSpans } from "../engine/conversation.ts";
import { isObject, type Json } from "../engine/json.ts";
import { messageKey } from "../engine/messages.ts";
import type { State } from "../engine/state.ts";
import type { Session } from "../sessions/session.ts";
import type { MessageView } from "./api.ts";
import type { HostMessage } from "./hosts.ts";

type Part = MessageView["parts"][number];
export type Availability = MessageView["state"];

/** Characters of one part to show in a list. */
export const maxListedCharacters = 4_000;

/** The messages `from` to `to`, inclusive, whether or not they are in context then (default: now). */
export async function readMessages(
  session: Session,
  from: number,
  to: number,
  maxCharacters = maxListedCharacters,
  then?: State,
): Promise<MessageView[]> {
  const state = then ?? (await session.state());
  const keys = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => messageKey(from + index));
  const stateOf = messageStates(state, await whereIsTheRest(session));
  const records = await session.records("message", keys);
  return records.map(({ key, value }) => {
    const view = viewMessage(Number(key), value, "in context", maxCharacters);
    return { ...view, state: stateOf(view) };
  });
}

/** Where the messages are that compactions removed, from the newest receipt. */
export async function whereIsTheRest(session: Session): Promise<Availability> {
  const [newest] = (await session.receipts()).slice(-1);
  return newest?.rest ?? "retrievable";
}

export function viewHostMessage(
  { number, stored, isMemory }: HostMessage,
  state: Availability,
  maxCharacters = maxListedCharacters,
): MessageView {
  const view = viewMessage(number, stored, state, maxCharacters);
  return isMemory ? { ...view, role: "memory" } : view;
}

/** A message's text without JSON escapes, to look for something in it. */
export function textOfMessage({ parts }: Pick<MessageView, "parts">): string {
  return parts.map(({ text }) => unescaped(text)).join("\n");
}

export function unescaped(text: string): string {
  return text.replaceAll("\\n", "\n").replaceAll('\\"', '"');
}

/** The same, for a message as it is stored. */
export function textOfStored(stored: Json): string {
  return textOfMessage(viewMessage(0, stored, "in context", Number.MAX_SAFE_INTEGER));
}

/** The summary alone; the handoff and the receipt follow it in the same text. */
export function summaryAlone(whole: string): string {
  const marker = /\[Summary[^\]\n]{0,200}\]\n/.exec(whole);
  const start = marker ? marker.index + marker[0].length : -1;
  const end = marker ? whole.indexOf("\n[End of summary]", start) : -1;
  return end === -1 ? whole : whole.slice(start, end);
}

/** A stored message as lines of text, for the journal. */
export function linesOfMessage(value: Json): string {
  const { role, parts } = viewMessage(0, value, "in context", Number.MAX_SAFE_INTEGER);
  return parts
    .map(({ type, text, tool }) => {
      const who = type === "tool-call" ? `${role} calls ${tool}` : tool === null ? role : `${tool} answers`;
      return `${who}: ${text}`;
    })
    .join("\n");
}

export function viewMessage(
  number: number,
  value: Json,
  state: Availability,
  maxCharacters: number,
): MessageView {
  // Imported sessions can contain anything, so validate every field.
  const { message, at, inWarning } = fieldsOf(value);
  const { role, content } = fieldsOf(message ?? value);
  const parts = Array.isArray(content)
    ? content.map((part) => viewPart(part, maxCharacters))
    : [textPart(content, maxCharacters)];
  return {
    number,
    at: typeof at === "number" && at > 0 ? at : null,
    role: roles.find((each) => each === role) ?? "user",
    inWarning: inWarning === true,
    state,
    parts,
  };
}

const roles = ["system", "user", "assistant", "tool"] as const;

function viewPart(part: Json, maxCharacters: number): Part {
  const { type, text, toolName, input, output } = fieldsOf(part);
  const tool = typeof toolName === "string" ? toolName : null;
  if (type === "text" || type === "reasoning") return { ...textPart(text, maxCharacters), type };
  if (type === "tool-call") return { ...textPart(input, maxCharacters), type, tool };
  if (type === "tool-result") {
    const { type: kind, value } = fieldsOf(output);
    const isError = typeof kind === "string" && kind.startsWith("error");
    return { ...textPart(value ?? output, maxCharacters), type, tool, isError };
  }
  return { ...textPart(part, maxCharacters), type: "other" };
}

function textPart(value: Json | undefined, maxCharacters: number): Part {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "", null, 2);
  const cut = text.length > maxCharacters;
  return {
    type: "text",
    text: cut ? text.slice(0, maxCharacters).toWellFormed() : text,
    tool: null,
    isError: false,
    cut,
  };
}

function fieldsOf(value: Json | undefined): Record<string, Json | undefined> {
  return isObject(value) ? value : {};
}

/** Where each message is now. A cleared result or a closed task is one line, and the whole can be read back. */
function messageStates(
  state: State,
  rest: Availability,
): (message: Pick<MessageView, "number" | "inWarning">) => Availability {
  const spans = readSpans(state).map(([, span]) => span);
  const cleared = new Set(readCleared(state).map(([, { message }]) => message));
  // A warning turn leaves the prompt with its compaction, whatever else is kept. Notices belong to no surface.
  const isWarned = readEpoch(state).warning === "given";
  const notice = readShownChanges(state).findLast(({ surface }) => surface === "");
  const warned = (isWarned ? notice?.before : undefined) ?? Number.MAX_SAFE_INTEGER;
  return ({ number, inWarning }) => {
    const around = spans.filter(({ from, to }) => from <= number && number <= to);
    if (around.some(({ kind }) => kind === "summary") || (inWarning && number < warned)) return rest;
    return around.length > 0 || cleared.has(number) ? "retrievable" : "in context";
  };
}
