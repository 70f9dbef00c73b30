import type { AgentEvent } from "../../agent/events.ts";
import type { TurnResult } from "../../agent/turn.ts";
import type { Receipt } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { count, counted } from "../terminal/quantities.ts";
import { printLines, screenOf } from "../terminal/screen.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { textWidth, wrapLine } from "../terminal/wrap-text.ts";

/** How a turn ended. A turn that was cut off has a result too. */
export type Outcome =
  | { ok: true; result: TurnResult }
  | { ok: false; error: string; aborted: boolean; result?: TurnResult };

/** Shows a conversation. Answers go to stdout, everything else to stderr. */
export interface View {
  /** Called when a turn begins. */
  begin(): void;
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
    begin: () => {},
    event: write,
    end: (session, outcome) => {
      const { result, ...rest } = outcome;
      write({ type: "result", session, ...rest, ...result });
    },
    answer: (command, lines) => write({ type: "command", command, text: lines.join("\n") }),
    notice: (text) => void process.stderr.write(`${text}\n`),
  };
}

/**
 * With `streaming`, text goes to stdout as it arrives, wrapped between words; without, only the final answer does. On a
 * terminal a spinner counts the seconds that the model or a tool takes.
 */
export function textView({ streaming }: { streaming: boolean }): View {
  const visible = process.stdout.isTTY ? visibleText : (text: string) => text;
  const stream = wordWrapper(
    (text) => void process.stdout.write(text),
    () => screenOf().width,
  );
  let stopSpinner = () => {};
  /** The calls whose results are not there yet. */
  let calls: { id: string; line: string }[] = [];
  let isStreamed = false;
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
    stopSpinner();
    stream.end();
    note(pendingText.trim());
    note(error, "red");
    [pendingText, error] = ["", ""];
  };
  const show = (event: AgentEvent) => {
    if (event.type === "error") error = event.message;
    else if (event.type === "tool-call")
      calls.push({ id: event.id, line: callLine(event.tool, event.input) });
    else if (event.type === "tool-result") {
      // Some servers give every call the same id.
      const [call] = calls.splice(
        Math.max(
          0,
          calls.findIndex(({ id }) => id === event.id),
        ),
        1,
      );
      note(`· ${call?.line ?? event.tool} → ${resultLine(event.text, event.isError)}`);
    } else note(eventLine(event), event.type === "warning" ? "yellow" : "dim");
  };

  return {
    begin() {
      [calls, isStreamed] = [[], false];
      stopSpinner = startSpinner("thinking");
    },
    event(event) {
      // How an answer was cut off is part of the outcome.
      if (event.type === "usage" || event.type === "incomplete") return;
      if (event.type === "text" && streaming) {
        stopSpinner();
        isStreamed = true;
        stream.write(visible(event.text));
      } else if (event.type === "text") pendingText += event.text;
      else {
        flush();
        show(event);
        stopSpinner = startSpinner(event.type === "tool-call" ? event.tool : "thinking");
      }
    },
    end(_sessionId, outcome) {
      const { result } = outcome;
      if (result) pendingText = "";
      else if (!outcome.ok) error = outcome.aborted ? "" : outcome.error;
      flush();
      if (!isStreamed && result && result.text !== "")
        process.stdout.write(`${visible(result.text).replace(/\n$/, "")}\n`);
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
  return oneLine(`${tool} ${words.join(" ")}`, 140);
}

function resultLine(text: string, isError: boolean): string {
  if (isError) return `failed: ${oneLine(text, 160)}`;
  const lines = text.split("\n").length;
  if (text === '{"ok":true}') return "ok";
  return lines === 1 ? oneLine(text, 60) : counted(lines, "line");
}

/** The line for an event other than text and tool calls; "" if it has none. */
export function eventLine(event: AgentEvent): string {
  switch (event.type) {
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

/** A screen redraws often enough at this pace, in milliseconds. */
const pace = 100;
/** A wait that is shorter than this shows nothing. */
const delay = 300;
const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];

/** Shows on a terminal that something is under way, and for how many seconds. Returns the function that stops it. */
export function startSpinner(
  label: string,
  stream: NodeJS.WriteStream = process.stderr,
  clock: () => number = Date.now,
): () => void {
  if (!stream.isTTY) return () => {};
  const started = clock();
  let frame = 0;
  let isShown = false;
  const timer = setInterval(() => {
    const waited = clock() - started;
    if (waited < delay) return;
    isShown = true;
    stream.write(`\r\x1b[2K${frames[frame++ % frames.length]} ${label}, ${Math.floor(waited / 1_000)} s`);
  }, pace);
  timer.unref();
  return () => {
    clearInterval(timer);
    if (isShown) stream.write("\r\x1b[2K");
    isShown = false;
  };
}

/**
 * Writes text that arrives in pieces, and breaks its lines between words. A word is written when it is whole, and the last
 * line is ended.
 */
export function wordWrapper(
  put: (text: string) => void,
  width: () => number,
): { write(text: string): void; end(): void } {
  let column = 0;
  let gap = "";
  let word = "";
  const putWord = () => {
    if (word === "") return;
    const wide = textWidth(word);
    if (column > 0 && column + gap.length + wide > width()) {
      put("\n");
      [column, gap] = [0, ""];
    }
    put(gap + word);
    column += gap.length + wide;
    [gap, word] = ["", ""];
  };
  return {
    write(text) {
      for (const part of text.split(/(\n|[ \t]+)/)) {
        if (part === "") continue;
        if (part !== "\n" && part.trim() !== "") {
          word += part;
          continue;
        }
        putWord();
        if (part === "\n") {
          put("\n");
          [column, gap] = [0, ""];
        } else gap += part;
      }
    },
    end() {
      putWord();
      if (column > 0) put("\n");
      [column, gap] = [0, ""];
    },
  };
}
