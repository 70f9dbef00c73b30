import type { AgentEvent } from "../../agent/events.ts";
import type { Usage } from "../../compaction/usage.ts";
import type { Receipt } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { count, percent } from "../terminal/paint.ts";
import { receiptFacts } from "../terminal/render-receipt.ts";

/** The session's status, shown before each prompt. */
export function statusLine(status: {
  usage: Usage;
  contextWindow: number;
  epoch: number;
  notepad: string;
}): string {
  const { usage, contextWindow, epoch, notepad } = status;
  const share = usage.total / contextWindow;
  const characters = [...notepad].length;
  const written = characters === 0 ? "notepad empty" : `notepad ${plural(characters, "character")}`;
  return `${percent(share)} full · ${plural(Math.max(0, epoch - 1), "compaction")} · ${written}`;
}

/** A tool call on one line. */
export function callLine(tool: string, input: unknown): string {
  const fields = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const words = fields.map(
    ([name, value]) =>
      `${name}=${oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), 60)}`,
  );
  return oneLine(`${tool} ${words.join(" ")}`, 140);
}

export function resultLine(text: string, isError: boolean): string {
  if (isError) return `failed: ${oneLine(text, 160)}`;
  const lines = text.split("\n").length;
  if (text === '{"ok":true}') return "ok";
  return lines === 1 ? oneLine(text, 60) : `${count(lines)} lines`;
}

/** The line for an event other than text and tool calls; undefined if it has none. */
export function eventLine(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "nudge":
      return event.text;
    case "warning": {
      const why = event.trigger === "manual" ? "Before the compaction" : "The context is nearly full:";
      if (event.skipped === undefined) return `${why} the agent gets a turn to save what it needs.`;
      return `The agent was not warned before the compaction: ${event.skipped}.`;
    }
    case "handoff": {
      const { text, shown, done } = event.handoff;
      if (text === "") return undefined;
      const steps = done.at(-1)?.length ?? 0;
      return `Handoff: ${plural(shown.whole + shown.cut, "message")} of yours, ${plural(steps, "step")} carried on.`;
    }
    case "compaction":
      return `Compacted: messages ${event.from} to ${event.to} are now a summary${summaryWriters[event.summaryBy].note}.`;
    case "receipt":
      return receiptLine(event.receipt);
    case "shortened": {
      const { part, tool, characters, shown } = event;
      const what =
        part === "prompt" ? "Your message" : part === "answer" ? "An answer" : `A ${part} of ${tool}`;
      return `${what} is too long for the context window: the model sees ${count(shown)} of its ${count(characters)} characters, the beginning and the end. It can read the rest in pieces.`;
    }
    case "clearing":
      return `Cleared ${plural(event.results, "old result")} (${count(event.tokens)} tokens). They are retrievable.`;
    default:
      return undefined;
  }
}

/** Who wrote a summary: noted when it happens, unless it is the model, and named in the receipt. */
const summaryWriters: Record<Receipt["summaryBy"], { note: string; by: string }> = {
  model: { note: "", by: "the model" },
  deterministic: { note: ", written without the model", by: "Holdfast, without a model" },
  unknown: { note: ", written by the host", by: "the host" },
};

function receiptLine({ messages, rest, tokensBefore, tokensAfter }: Receipt): string {
  return `Receipt: ${plural(messages, "message")} removed and ${rest}, ${count(tokensBefore)} → ${count(tokensAfter)} tokens.`;
}

/** A full receipt, for display. */
export function receiptText(receipt: Receipt): string {
  const { epoch, trigger, from, to, summaryBy } = receipt;
  const tokens = `${count(receipt.tokensBefore)} → ${count(receipt.tokensAfter)} tokens`;
  const { by } = summaryWriters[summaryBy];
  return [
    `Compaction ${epoch} (${trigger}): messages ${from} to ${to}, ${tokens}, summary by ${by}.`,
    ...receiptFacts(receipt).map(([name, fact]) => `  ${name.padEnd(14)}${fact}`),
  ].join("\n");
}

function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}
