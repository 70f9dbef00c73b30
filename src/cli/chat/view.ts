import type { AgentEvent } from "../../agent/events.ts";
import type { TurnResult } from "../../agent/turn.ts";
import type { Receipt } from "../../engine/records.ts";
import { oneLine } from "../../engine/text.ts";
import { count, counted } from "../terminal/quantities.ts";
import { screenOf } from "../terminal/screen.ts";
import { visibleText } from "../terminal/visible-text.ts";
import { textWidth } from "../terminal/wrap-text.ts";

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
  answer(command: string, text: string): void;
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
    answer: (command, text) => write({ type: "command", command, text }),
    notice: (text) => void process.stderr.write(`${text}\n`),
  };
}

/**
 * With `streaming`, text goes to stdout as it arrives, wrapped between words; without, only the final answer does. On a
 * terminal a spinner counts the seconds that the model takes.
 */
export function textView({ streaming }: { streaming: boolean }): View {
  const { paint } = screenOf(process.stderr);
  const visible = process.stdout.isTTY ? visibleText : (text: string) => text;
  const wrapper = wordWrapper(
    (text) => put(process.stdout, text),
    () => screenOf().width,
  );
  let stopSpinner = () => {};
  /** The stream with an unfinished line. */
  let open: NodeJS.WriteStream | undefined;
  /** Text that may turn out to be the final answer. */
  let pendingText = "";
  /** Held back: if it ends the turn, `end` replaces it with a message that has the next step. */
  let error = "";

  const put = (stream: NodeJS.WriteStream, text: string) => {
    if (text === "") return;
    if (open && open !== stream) freshLine();
    stream.write(text);
    open = text.endsWith("\n") ? undefined : stream;
  };
  const freshLine = () => {
    open?.write("\n");
    open = undefined;
  };
  const note = (text: string, style: "dim" | "red" | "yellow" = "dim") => {
    if (text === "") return;
    freshLine();
    put(process.stderr, `${paint(style, visibleText(text))}\n`);
  };
  const flush = () => {
    wrapper.end();
    note(pendingText.trim());
    pendingText = "";
    note(error, "red");
    error = "";
  };
  const wait = () => {
    stopSpinner();
    stopSpinner = startSpinner("thinking");
  };

  return {
    begin: wait,
    event(event) {
      // How an answer was cut off is part of the outcome.
      if (event.type === "usage" || event.type === "incomplete") return;
      stopSpinner();
      if (event.type === "text") {
        if (streaming) wrapper.write(visible(event.text));
        else pendingText += event.text;
        return;
      }
      if (event.type === "tool-result") {
        const line = ` → ${resultLine(event.text, event.isError)}`;
        put(process.stderr, `${paint("dim", visibleText(line))}\n`);
        return wait();
      }
      flush();
      freshLine();
      if (event.type === "tool-call")
        return put(process.stderr, paint("dim", visibleText(`· ${callLine(event.tool, event.input)}`)));
      if (event.type === "error") error = event.message;
      else note(eventLine(event), event.type === "warning" ? "yellow" : "dim");
      wait();
    },
    end(_sessionId, outcome) {
      stopSpinner();
      const { result } = outcome;
      if (result) pendingText = "";
      else if (!outcome.ok) error = outcome.aborted ? "" : outcome.error;
      flush();
      freshLine();
      if (!streaming && result && result.text !== "")
        put(process.stdout, `${visible(result.text).replace(/\n$/, "")}\n`);
      if (!outcome.ok && outcome.aborted) note("Stopped.", "yellow");
      else if (result && !outcome.ok) note(outcome.error, "yellow");
    },
    answer: (_command, text) => put(process.stdout, text === "" ? "" : `${text}\n`),
    notice: (text) => note(text),
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
  return lines === 1 ? oneLine(text, 60) : `${count(lines)} lines`;
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
      return `Compacted: messages ${event.from} to ${event.to} are now a summary${summaryBy[event.summaryBy]}.`;
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

/** Writes text that arrives in pieces, and breaks its lines between words. A word is written when it is whole. */
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
      [column, gap] = [0, ""];
    },
  };
}
