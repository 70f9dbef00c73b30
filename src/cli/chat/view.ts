import type { AgentEvent } from "../../agent/events.ts";
import type { TurnResult } from "../../agent/turn.ts";
import { painterFor, printable } from "../terminal/paint.ts";
import { callLine, eventLine, resultLine } from "./lines.ts";

/** How a turn ended. */
export type Outcome = { ok: true; result: TurnResult } | { ok: false; error: string; aborted: boolean };

/** What shows a conversation. Answers go to stdout, and everything else to stderr. */
export interface View {
  event(event: AgentEvent): void;
  /** A turn is over. */
  end(sessionId: string, outcome: Outcome): void;
  /** What a slash command has to say. */
  answer(command: string, text: string): void;
  /** About the chat itself: its session, what is resumed. */
  notice(text: string): void;
}

/** Every event as one line of JSON, and a result at the end of each turn. */
export function jsonView(): View {
  const write = (value: object) => void process.stdout.write(`${JSON.stringify(value)}\n`);
  return {
    event: write,
    end: (session, outcome) => {
      const { ok } = outcome;
      if (ok) write({ type: "result", session, ok, ...outcome.result });
      else write({ type: "result", session, ok, error: outcome.error, aborted: outcome.aborted });
    },
    answer: (command, text) => write({ type: "command", command, text }),
    notice: (text) => void process.stderr.write(`${text}\n`),
  };
}

const stopped = "Stopped.";

/** For people: text as it comes. For pipes: only the answer that a turn ended with goes to stdout. */
export function textView({ streaming }: { streaming: boolean }): View {
  const paint = painterFor(process.stderr);
  const visible = process.stdout.isTTY ? printable : (text: string) => text;
  /** The stream whose line is not finished yet. */
  let open: NodeJS.WriteStream | undefined;
  /** Text that may turn out to be the answer. */
  let said = "";
  /** An error may be the one that ends the turn, and is told then, with what to do about it. */
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
    if (said.trim() !== "") aside(said.trimEnd());
    said = "";
    if (error !== "") aside(error, error === stopped ? "yellow" : "red");
    error = "";
  };

  return {
    event(event) {
      if (event.type === "text" && streaming) return put(process.stdout, visible(event.text));
      if (event.type === "text") said += event.text;
      if (event.type === "text" || event.type === "usage") return;
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
      else aside(eventLine(event) ?? "", event.type === "warning" ? "yellow" : "dim");
    },
    end(_sessionId, outcome) {
      if (outcome.ok) said = "";
      else error = outcome.aborted ? stopped : outcome.error;
      flush();
      freshLine();
      if (!outcome.ok) return;
      const { text, end, steps } = outcome.result;
      if (!streaming && text !== "") put(process.stdout, `${visible(text).replace(/\n$/, "")}\n`);
      if (end === "steps") aside(`Stopped after ${steps} model calls. Say "go on" to continue.`, "yellow");
    },
    answer: (_command, text) => put(process.stdout, text === "" ? "" : `${visible(text)}\n`),
    notice: (text) => aside(text),
  };
}
