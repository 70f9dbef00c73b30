import { parseArgs } from "node:util";
import type { AgentEvent } from "../../agent/events.ts";
import { oneLine } from "../../engine/text.ts";
import { openMemory } from "../../index.ts";
import { bar, count, painterFor, percent, wrap } from "../terminal/paint.ts";
import { type Audit, contextWindow, runAudit } from "./audit.ts";
import { ask, sheets } from "./workbook.ts";

const paint = painterFor(process.stdout);

/** A scripted agent audits a workbook in a context that is compacted on the way. All but the model is real. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { fast: { type: "boolean", default: false } },
    strict: true,
  });
  const pause = values.fast || !process.stdout.isTTY ? 0 : 400;
  const memory = await openMemory({ store: "memory:" });
  try {
    introduceAudit();
    const show = narrator();
    const audit = await runAudit(memory, {
      session: { id: "audit", title: "Workbook audit" },
      onEvent: async (event) => {
        if (show(event)) await new Promise((proceed) => setTimeout(proceed, pause));
      },
    });
    return conclude(audit);
  } finally {
    await memory.close();
  }
}

export function introduceAudit(): void {
  say(
    paint(
      "bold",
      `An agent audits a workbook of ${sheets.length} sheets in a context of ${count(contextWindow)} tokens.`,
    ),
  );
  say(paint("dim", "The model is scripted; the controller, the store and the calls over HTTP are real.\n"));
  say(`${paint("cyan", "you ›")} ${ask}\n`);
}

/** Tells each event in a line or two; true when it is worth a moment's pause. */
export function narrator(): (event: AgentEvent) => boolean {
  let share = 0;
  let said = "";
  let read = 0;
  let noted = 0;
  let size = 0;
  let isWarned = false;
  const tell = (label: string, text: string) => say(`      ${paint("dim", label.padEnd(11))} ${text}`);
  const tellNote = (note: string) => {
    size += note.length + (size === 0 ? 0 : 1);
    if (note.startsWith("- ")) noted++;
    const lines = note.split("\n").map((line) => line.replace(/^(?:#+|-(?: \[ \])?) /, ""));
    say(`      ${paint("green", `✎ ${oneLine(lines.filter((line) => line !== "").join(" · "), 72)}`)}`);
  };
  return (event) => {
    if (event.type === "text") {
      said += event.text;
      return false;
    }
    if (said !== "")
      say(
        isWarned
          ? paint("dim", `      “${said}”`)
          : `\n${paint("cyan", "agent ›")} ${wrap(said, 72, "        ")}`,
      );
    said = "";
    switch (event.type) {
      case "usage":
        share = event.usage.total / contextWindow;
        return false;
      case "tool-call": {
        const { name, content } = event.input as { name?: string; content?: string };
        if (content !== undefined) tellNote(content);
        if (name === undefined) return true;
        if (noted < read) say(paint("dim", "      … absorbed in the sheets, it takes no note"));
        read++;
        say(
          `  ${String(read).padStart(2)}  reads ${name.padEnd(10)} ${gauge(share)}   ${paint("dim", `notepad ${count(size)} characters`)}`,
        );
        return true;
      }
      case "warning":
        isWarned = true;
        say(
          `\n  ${paint("yellow", "⚠   The context is nearly full: one turn for the agent to save what it needs.")}`,
        );
        return true;
      case "checkpoint": {
        isWarned = false;
        const { openAsks, planOpen, identifiers } = event.checkpoint;
        tell(
          "checkpoint",
          `open asks: ${openAsks.length}, plan items: ${planOpen.length}, identifiers: ${identifiers.length}`,
        );
        return false;
      }
      case "compaction":
        tell(
          "compaction",
          `messages ${event.from} to ${event.to} are a summary of ${event.summary.split(/\s+/).length} words now`,
        );
        return false;
      case "receipt": {
        const { counts, tokensBefore, tokensAfter } = event.receipt;
        tell("receipt", `${counts.kept} kept, ${counts.recallable} recallable, ${counts.missing} missing`);
        tell("context", `${gauge(tokensBefore / contextWindow)}  →  ${gauge(tokensAfter / contextWindow)}\n`);
        return true;
      }
      case "error":
        say(paint("red", event.message));
        return false;
      default:
        return false;
    }
  };
}

/** What is left of the work, and where. */
export function conclude({ notepad, conversation, compactions }: Audit): number {
  say(`\n${paint("bold", "The notepad, which stands before the model in every call:")}\n`);
  say(notepad.replaceAll(/^/gm, "    "));
  const inNotepad = sheets.filter(({ finding }) => notepad.includes(finding)).length;
  const inConversation = sheets.filter(({ finding }) => conversation.includes(finding)).length;
  say(`\n${paint("bold", `After ${compactions} compactions, of ${sheets.length} findings`)}`);
  say(`    in the notepad       ${bar(inNotepad / sheets.length, 10)} ${paint("green", String(inNotepad))}`);
  say(`    in the conversation  ${bar(inConversation / sheets.length, 10)} ${inConversation}`);
  return inNotepad === sheets.length ? 0 : 1;
}

function gauge(share: number): string {
  const text = `${bar(share, 20)} ${percent(share).padStart(5)}`;
  return share > 0.7 ? paint("yellow", text) : text;
}

function say(text: string): void {
  console.log(text);
}
