import type { AgentEvent } from "../../agent/events.ts";
import type { TurnResult } from "../../agent/turn.ts";
import type { Receipt } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { count, counted } from "../terminal/quantities.ts";
import { printLines, screenOf } from "../terminal/screen.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { wrapLine } from "../terminal/wrap-text.ts";

/** How a turn ended. A turn that was cut off has a result too. */
export type Outcome =
  | { ok: true; result: TurnResult }
  | { ok: false; error: string; aborted: boolean; result?: TurnResult };

/** Shows a conversation. Answers go to stdout, everything else to stderr. */
export interface View {
  event(event: AgentEvent): void;
  /** Called when a turn ends. */
  end(sessionId: string, outcome: Outcome): void;
  /** Shows the output of a slash command. */
  answer(command: string, lines: readonly string[]): void;
  /** Shows a message about the chat itself, e.g. which session it is. */
  notice(text: string): void;
}

/** Prints every event as a JSON line, and a result at the end of each turn. */
export function jsonView(): View {
  const write = (value: object) => void process.stdout.write(`${JSON.stringify(value)}\n`);
  return {
    event: write,
    end: (session, outcome) => {
      const { result, ...rest } = outcome;
      write({ type: "result", session, ...rest, ...result });
    },
    answer: (command, lines) => write({ type: "command", command, text: lines.join("\n") }),
    notice: (text) => void process.stderr.write(`${text}\n`),
  };
}

/** With `streaming`, text goes to stdout as it arrives; without, only the final answer does. */
export function textView({ streaming }: { streaming: boolean }): View {
  const visible = process.stdout.isTTY ? visibleText : (text: string) => text;
  /** Whether this turn wrote text as it arrived, and whether its last line is open. */
  let [isStreamed, isLineOpen] = [false, false];
  /** Text that may turn out to be the final answer. */
  let pendingText = "";
  /** Held back: if it ends the turn, `end` replaces it with a message that has the next step. */
  let error = "";

  const note = (text: string, style: "dim" | "red" | "yellow" = "dim") => {
    if (text === "") return;
    const screen = screenOf(process.stderr);
    const lines = visibleText(text).split("\n");
    const wrapped = lines.flatMap((line) => wrapLine(screen.paint(style, line), screen, ""));
    process.stderr.write(`${wrapped.join("\n")}\n`);
  };
  const flush = () => {
    if (isLineOpen) process.stdout.write("\n");
    note(pendingText.trim());
    note(error, "red");
    [isLineOpen, pendingText, error] = [false, "", ""];
  };

  return {
    event(event) {
      // How an answer was cut off is part of the outcome.
      if (event.type === "usage" || event.type === "incomplete") return;
      if (event.type !== "text") {
        flush();
        if (event.type === "error") error = event.message;
        else note(eventLine(event), event.type === "warning" ? "yellow" : "dim");
      } else if (streaming) {
        [isStreamed, isLineOpen] = [true, !event.text.endsWith("\n")];
        process.stdout.write(visible(event.text));
      } else pendingText += event.text;
    },
    end(_sessionId, outcome) {
      const { result } = outcome;
      const answer = result && !isStreamed ? result.text : "";
      isStreamed = false;
      if (result) pendingText = "";
      else if (!outcome.ok) error = outcome.aborted ? "" : outcome.error;
      flush();
      if (answer !== "") process.stdout.write(`${visible(answer).replace(/\n$/, "")}\n`);
      if (!outcome.ok && outcome.aborted) note("Stopped.", "yellow");
      else if (result && !outcome.ok) note(outcome.error, "yellow");
    },
    answer: (_command, lines) => printLines(lines),
    notice: note,
  };
}

/** A tool call on one line. */
function callLine(tool: string, input: unknown): string {
  const fields = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const words = fields.map(
    ([name, value]) =>
      `${name}=${oneLine(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), 60)}`,
  );
  return oneLine(`· ${tool} ${words.join(" ")}`, 140);
}

function resultLine(text: string, isError: boolean): string {
  if (isError) return `failed: ${oneLine(text, 160)}`;
  const lines = text.split("\n").length;
  if (text === '{"ok":true}') return "ok";
  return lines === 1 ? oneLine(text, 60) : counted(lines, "line");
}

/** The line for an event other than text; "" if it has none. */
export function eventLine(event: AgentEvent): string {
  switch (event.type) {
    case "tool-call":
      return callLine(event.tool, event.input);
    case "tool-result":
      return `  → ${resultLine(event.text, event.isError)}`;
    case "nudge":
      return event.text;
    case "warning": {
      const why = event.trigger === "manual" ? "Before the compaction" : "The context is nearly full:";
      if (event.skipped === undefined) return `${why} the agent gets a turn to save what it needs.`;
      return `The agent was not warned before the compaction: ${event.skipped}.`;
    }
    case "compaction":
      return `Compacted: the older messages are now a summary${summaryBy[event.summaryBy]}.`;
    case "receipt": {
      const { messages, rest, tokensBefore, tokensAfter } = event.receipt;
      return `${counted(messages, "message")} ${rest}, ${count(tokensBefore)} → ${count(tokensAfter)} tokens.`;
    }
    case "shortened": {
      const { part, tool, characters, shown } = event;
      const what =
        part === "prompt" ? "Your message" : part === "answer" ? "An answer" : `A ${part} of ${tool}`;
      return `${what} is too long for the context window: ${count(shown)} of its ${count(characters)} characters are in context, the rest is retrievable.`;
    }
    case "clearing":
      return `Cleared ${counted(event.results, "old result")} (${count(event.tokens)} tokens). They are retrievable.`;
    default:
      return "";
  }
}

/** Who wrote a summary, unless it is the model. */
const summaryBy: Record<Receipt["summaryBy"], string> = {
  model: "",
  deterministic: ", written by Holdfast without a model",
  unknown: ", written by the coding agent",
};
