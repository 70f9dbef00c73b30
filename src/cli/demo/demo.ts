import type { AgentEvent } from "../../agent/events.ts";
import { oneLine } from "../../engine/text.ts";
import type { Memory } from "../../sessions/memory.ts";
import { eventLine } from "../chat/view.ts";
import { bar, count, percent } from "../terminal/quantities.ts";
import { printLines, printProblem, screenOf } from "../terminal/screen.ts";
import { type AuditOptions, ask, contextWindow, runAudit, sheets } from "./audit.ts";

const { paint } = screenOf();

/** Slow enough to follow on the page. */
const atReadersPace = (answer: number) => (answer <= 2 ? 600 : 3_000);

/** Runs an agent in an empty store, and tells in the terminal how its notes survive. Everything but the model is real. */
export async function playDemo(
  memory: Memory,
  { signal, thinking = atReadersPace }: Pick<AuditOptions, "signal" | "thinking">,
  tell: (lines: readonly string[]) => void = printLines,
): Promise<void> {
  const [any] = await memory.listSessions({ status: "all", limit: 1 });
  if (any) {
    tell(["The store already has sessions, so the demo agent was not started."]);
    return;
  }
  try {
    tell([
      paint(
        "bold",
        `An agent audits a workbook of ${sheets.length} sheets in a context of ${count(contextWindow)} tokens.`,
      ),
      paint("dim", "The model is scripted; the agent loop, the store and the HTTP calls are real."),
      "",
      `${paint("cyan", "you ›")} ${ask}`,
      "",
    ]);
    const show = narrator();
    const notepad = await runAudit(memory, {
      session: { id: "audit", agent: "demo", title: "Workbook audit" },
      thinking,
      ...(signal && { signal }),
      onEvent: (event) => (signal?.aborted ? undefined : tell(show(event))),
    });
    tell([
      "",
      paint("bold", "The notepad, which the model sees in every call:"),
      "",
      ...notepad.split("\n").map((line) => `    ${line}`),
    ]);
  } catch (error) {
    if (!signal?.aborted) printProblem(`The demo agent stopped: ${(error as Error).message}`);
  }
}

/** Tells each event in a line or two. */
function narrator(): (event: AgentEvent) => string[] {
  let share = 0;
  let text = "";
  let read = 0;
  let noted = 0;
  let size = 0;
  let isWarned = false;
  const tellNote = (note: string) => {
    size += note.length + (size === 0 ? 0 : 1);
    if (note.startsWith("- ")) noted++;
    const lines = note.split("\n").map((line) => line.replace(/^(?:#+|-(?: \[ \])?) /, ""));
    return `      ${paint("green", `✎ ${oneLine(lines.filter((line) => line !== "").join(" · "), 72)}`)}`;
  };
  const tellSheet = (name: string) => {
    const isForgetful = noted < read;
    read++;
    const notepad = paint("dim", `notepad ${count(size)} characters`);
    return [
      ...(isForgetful ? [paint("dim", "      … absorbed in the sheets, the agent takes no notes")] : []),
      `  ${String(read).padStart(2)}  reads ${name.padEnd(10)} ${gauge(share)}   ${notepad}`,
    ];
  };
  return (event) => {
    if (event.type === "text") {
      text += event.text;
      return [];
    }
    // The answer to a warning is in the notes.
    const said = text === "" || isWarned ? [] : ["", `${paint("cyan", "agent ›")} ${text}`];
    text = "";
    if (event.type === "warning" || event.type === "receipt") isWarned = event.type === "warning";
    if (event.type === "usage") share = event.usage.total / contextWindow;
    if (event.type === "tool-call") {
      const { name, content } = event.input as { name?: string; content?: string };
      return [
        ...said,
        ...(content === undefined ? [] : [tellNote(content)]),
        ...(name === undefined ? [] : tellSheet(name)),
      ];
    }
    if (event.type === "tool-result") return said;
    const line = event.type === "error" ? event.message : eventLine(event);
    if (line === "") return said;
    if (event.type === "warning") return [...said, "", `  ${paint("yellow", `⚠   ${line}`)}`];
    return [...said, `      ${paint("dim", line)}`, ...(event.type === "receipt" ? [""] : [])];
  };
}

function gauge(share: number): string {
  const text = `${bar(share, 20)} ${percent(share).padStart(5)}`;
  return share > 0.7 ? paint("yellow", text) : text;
}
