import type { AgentEvent } from "../../agent/events.ts";
import { oneLine } from "../../engine/text.ts";
import type { Memory } from "../../sessions/memory.ts";
import { bar, count, counted, percent } from "../terminal/quantities.ts";
import { screenOf } from "../terminal/screen.ts";
import { wrapSpans } from "../terminal/wrap-text.ts";
import { type Audit, type AuditOptions, ask, contextWindow, runAudit, sheets } from "./audit.ts";

const { paint } = screenOf();

/** Slow enough to follow on the page. */
const atReadersPace = (answer: number) => (answer <= 2 ? 600 : 2_200);

/** Runs an agent in an empty store, and tells in the terminal how its notes survive. Everything but the model is real. */
export async function playDemo(
  memory: Memory,
  { signal, thinking = atReadersPace }: Pick<AuditOptions, "signal" | "thinking">,
): Promise<void> {
  const [any] = await memory.listSessions({ status: "all", limit: 1 });
  if (any) {
    say("The store already has sessions, so the demo agent was not started.");
    return;
  }
  try {
    introduceAudit();
    const show = narrator();
    const audit = await runAudit(memory, {
      session: { id: "audit", agent: "demo", title: "Workbook audit" },
      thinking,
      ...(signal && { signal }),
      onEvent: (event) => void show(event),
    });
    conclude(audit);
  } catch (error) {
    if (!signal?.aborted) console.error(`The demo agent stopped: ${(error as Error).message}`);
  }
}

function introduceAudit(): void {
  say(
    paint(
      "bold",
      `An agent audits a workbook of ${sheets.length} sheets in a context of ${count(contextWindow)} tokens.`,
    ),
  );
  say(paint("dim", "The model is scripted; the agent loop, the store and the HTTP calls are real.\n"));
  say(`${paint("cyan", "you ›")} ${ask}\n`);
}

function wrapped(text: string): string {
  return wrapSpans([{ text }], "", "", { ...screenOf(), width: 72 }).join("\n        ");
}

/** Prints each event in a line or two. */
function narrator(): (event: AgentEvent) => void {
  let share = 0;
  let text = "";
  let read = 0;
  let noted = 0;
  let size = 0;
  let isWarned = false;
  const printDetail = (label: string, detail: string) =>
    say(`      ${paint("dim", label.padEnd(11))} ${detail}`);
  const printNote = (note: string) => {
    size += note.length + (size === 0 ? 0 : 1);
    if (note.startsWith("- ")) noted++;
    const lines = note.split("\n").map((line) => line.replace(/^(?:#+|-(?: \[ \])?) /, ""));
    say(`      ${paint("green", `✎ ${oneLine(lines.filter((line) => line !== "").join(" · "), 72)}`)}`);
  };
  return (event) => {
    if (event.type === "text") {
      text += event.text;
      return;
    }
    if (text !== "")
      say(isWarned ? paint("dim", `      “${text}”`) : `\n${paint("cyan", "agent ›")} ${wrapped(text)}`);
    text = "";
    switch (event.type) {
      case "usage":
        share = event.usage.total / contextWindow;
        return;
      case "tool-call": {
        const { name, content } = event.input as { name?: string; content?: string };
        if (content !== undefined) printNote(content);
        if (name === undefined) return;
        if (noted < read) say(paint("dim", "      … absorbed in the sheets, the agent takes no notes"));
        read++;
        say(
          `  ${String(read).padStart(2)}  reads ${name.padEnd(10)} ${gauge(share)}   ${paint("dim", `notepad ${count(size)} characters`)}`,
        );
        return;
      }
      case "warning":
        isWarned = true;
        say(
          `\n  ${paint("yellow", "⚠   The context is nearly full: the agent gets one turn to save what it needs.")}`,
        );
        return;
      case "handoff": {
        isWarned = false;
        const { shown, done } = event.handoff;
        printDetail(
          "handoff",
          `the user's ${counted(shown.whole + shown.cut, "message")}, ${counted(done.at(-1)?.length ?? 0, "step")}`,
        );
        return;
      }
      case "compaction":
        printDetail(
          "compaction",
          `the conversation so far is now a summary of ${event.summary.split(/\s+/).length} words`,
        );
        return;
      case "receipt": {
        const { messages, rest, tokensBefore, tokensAfter } = event.receipt;
        printDetail("receipt", `${messages} messages removed, ${rest}`);
        printDetail(
          "context",
          `${gauge(tokensBefore / contextWindow)}  →  ${gauge(tokensAfter / contextWindow)}\n`,
        );
        return;
      }
      case "error":
        say(paint("red", event.message));
        return;
    }
  };
}

/** Prints how many findings survived, and where. */
function conclude({ notepad, conversation, compactions }: Audit): void {
  say(`\n${paint("bold", "The notepad, which the model sees in every call:")}\n`);
  say(notepad.replaceAll(/^/gm, "    "));
  const inNotepad = sheets.filter(({ finding }) => notepad.includes(finding)).length;
  const inConversation = sheets.filter(({ finding }) => conversation.includes(finding)).length;
  say(`\n${paint("bold", `Findings left after ${compactions} compactions, out of ${sheets.length}`)}`);
  say(`    in the notepad       ${bar(inNotepad / sheets.length, 10)} ${paint("green", String(inNotepad))}`);
  say(`    in the conversation  ${bar(inConversation / sheets.length, 10)} ${inConversation}`);
}

function gauge(share: number): string {
  const text = `${bar(share, 20)} ${percent(share).padStart(5)}`;
  return share > 0.7 ? paint("yellow", text) : text;
}

function say(text: string): void {
  console.log(text);
}
