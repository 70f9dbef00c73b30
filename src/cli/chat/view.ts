import type { AgentEvent } from "../../agent/events.ts";
import type { TurnResult } from "../../agent/turn.ts";
import { painterFor, printable } from "../terminal/paint.ts";
import { callLine, eventLine, resultLine } from "./lines.ts";

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
  answer(command: string, text: string): void;
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
    answer: (command, text) => write({ type: "command", command, text }),
    notice: (text) => void process.stderr.write(`${text}\n`),
  };
}

const stopped = "Stopped.";

/** Whether the user should notice this event. */
function isUrgent(event: AgentEvent): boolean {
  return event.type === "warning" || (event.type === "shortened" && event.part === "prompt");
}

/** With `streaming`, text goes to stdout as it arrives; without, only the final answer does. */
export function textView({ streaming }: { streaming: boolean }): View {
  const paint = painterFor(process.stderr);
  const visible = process.stdout.isTTY ? printable : (text: string) => text;
  /** The stream with an unfinished line. */
  let open: NodeJS.WriteStream | undefined;
  /** Text that may turn out to be the final answer. */
  let pendingText = "";
  /** Held back: if it ends the turn, `end` replaces it with a message that says what to do. */
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
  const aside = (text: string, style: "dim" | "red" | "yellow" = "dim") => {
    freshLine();
    put(process.stderr, `${paint(style, printable(text))}\n`);
  };
  const flush = () => {
    if (pendingText.trim() !== "") aside(pendingText.trimEnd());
    pendingText = "";
    if (error !== "") aside(error, error === stopped ? "yellow" : "red");
    error = "";
  };

  return {
    event(event) {
      if (event.type === "text" && streaming) return put(process.stdout, visible(event.text));
      if (event.type === "text") pendingText += event.text;
      // How an answer was cut off is part of the outcome.
      if (event.type === "text" || event.type === "usage" || event.type === "incomplete") return;
      if (event.type === "tool-result") {
        return put(
          process.stderr,
          `${paint("dim", printable(` → ${resultLine(event.text, event.isError)}`))}\n`,
        );
      }
      flush();
      freshLine();
      if (event.type === "tool-call")
        put(process.stderr, paint("dim", printable(`· ${callLine(event.tool, event.input)}`)));
      else if (event.type === "error") error = event.message;
      else aside(eventLine(event) ?? "", isUrgent(event) ? "yellow" : "dim");
    },
    end(_sessionId, outcome) {
      const { result } = outcome;
      if (result) pendingText = "";
      else if (!outcome.ok) error = outcome.aborted ? stopped : outcome.error;
      flush();
      freshLine();
      if (!streaming && result && result.text !== "")
        put(process.stdout, `${visible(result.text).replace(/\n$/, "")}\n`);
      if (result && !outcome.ok) aside(outcome.error, "yellow");
    },
    answer: (_command, text) => put(process.stdout, text === "" ? "" : `${visible(text)}\n`),
    notice: (text) => aside(text),
  };
}
