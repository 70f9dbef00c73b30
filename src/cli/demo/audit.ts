import { setTimeout as pass } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { tool } from "ai";
import { z } from "zod";
import { createAgent } from "../../agent/agent.ts";
import type { AgentEvent } from "../../agent/events.ts";
import { estimateTokens } from "../../context/estimate-tokens.ts";
import type { Memory, NewSessionOptions } from "../../sessions/memory.ts";
import {
  type ScriptedAnswer,
  type ScriptedRequest,
  startScriptedServer,
} from "../../testing/scripted-server.ts";

/** Too small for ten sheets. */
export const contextWindow = 4_100;

export interface AuditOptions {
  session: NewSessionOptions;
  /** Milliseconds before an answer of the scripted model, by its number, from 1. */
  thinking?: (answer: number) => number | Promise<number>;
  signal?: AbortSignal;
  /** Called for each event, one after the other; the agent does not wait. */
  onEvent?: (event: AgentEvent) => void | Promise<void>;
}

/** Runs a real agent with a scripted model that audits the workbook. Returns its notepad at the end. */
export async function runAudit(memory: Memory, options: AuditOptions): Promise<string> {
  const { thinking, signal, onEvent } = options;
  const script = auditScript();
  let answers = 0;
  const server = await startScriptedServer(async (request) => {
    answers++;
    if (thinking) await pass(await thinking(answers), undefined, signal ? { signal } : {});
    return script(request);
  });
  try {
    const session = await memory.createSession(options.session);
    const agent = createAgent({
      memory,
      model: createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true })(
        "scripted",
      ),
      tools: {
        read_sheet: tool({
          description: "Read one sheet of the workbook.",
          inputSchema: z.strictObject({ name: z.string() }),
          execute: ({ name }) => sheetText(name),
        }),
      },
      surfaces: ["notepad", "results", "recall"],
      system: "You audit workbooks.",
      contextWindow,
      keep: 0.1,
      outputReserve: 150,
    });
    for await (const event of agent.send(session.id, ask, signal ? { signal } : {})) await onEvent?.(event);
    signal?.throwIfAborted();
    return await session.notepad.read();
  } finally {
    await server.close();
  }
}

interface Sheet {
  name: string;
  rows: number;
  finding: string;
}

export const ask = "Audit the workbook. Find out why Q3 does not add up.";

export const sheets: readonly Sheet[] = [
  { name: "Revenue", rows: 500, finding: "dates YYYY-MM-DD, revenue by region by month" },
  { name: "Expenses", rows: 180, finding: "12 categories × 15 months" },
  { name: "Summary", rows: 40, finding: "Q3 shows $1.2M, detail rows sum to $1.155M" },
  { name: "EMEA", rows: 310, finding: "July double-counted in rows 251-267" },
  { name: "APAC", rows: 290, finding: "clean, 4 currencies" },
  { name: "Americas", rows: 402, finding: "row 88 has a text date" },
  { name: "Headcount", rows: 64, finding: "3 leavers still on payroll: E-1041, E-1187, E-1203" },
  { name: "Forecast", rows: 120, finding: "growth hard-coded to 4 % in C7" },
  { name: "Tax", rows: 75, finding: "rate of 2024 used for 2025" },
  { name: "Notes", rows: 12, finding: "user wants green >5% YoY growth, red <0%" },
];

/** The result of read_sheet: a screenful of rows and the one finding that matters. */
function sheetText(name: string): string {
  const index = sheets.findIndex((sheet) => sheet.name === name);
  const sheet = sheets[index];
  if (!sheet)
    return `There is no sheet ${name}. The sheets are: ${sheets.map((each) => each.name).join(", ")}.`;
  const rows = Array.from({ length: 24 }, (_, row) => {
    const month = String((row % 12) + 1).padStart(2, "0");
    return `${row + 1};2024-${month}-01;${(index + 3) * (row + 7) * 991}.50`;
  });
  return `${sheet.name}, ${sheet.rows} rows\n${rows.join("\n")}\n… ${sheet.finding}`;
}

function noteOf({ name, rows, finding }: Sheet): string {
  return `- ${name}: ${rows} rows; ${finding}`;
}

type Call = { name: string; input: unknown };

const plan = `## Plan
- [ ] Read all ${sheets.length} sheets
- [ ] Explain the Q3 gap

## Findings`;

const takeNote = (sheet: Sheet): Call => ({
  name: "update_notepad",
  input: { operation: "append", content: noteOf(sheet) },
});

const tickOff = {
  name: "update_notepad",
  input: { operation: "find_replace", find: "[ ]", replace: "[x]", replace_all: true },
};

/**
 * The scripted model. It reads one sheet after another and notes each, but between the first and the second compaction
 * it takes no notes, as models sometimes do.
 */
function auditScript(): (request: ScriptedRequest) => ScriptedAnswer {
  let next = 0;
  let compactions = 0;
  let isPlanned = false;
  let isDone = false;
  const unsaved: Sheet[] = [];

  const answer = (request: ScriptedRequest): ScriptedAnswer => {
    if (!request.tools) {
      compactions++;
      return {
        text: `The user asked: ${ask} Sheets 1 to ${next} of ${sheets.length} have been read; continue with the next one.`,
      };
    }
    const offersSheets = request.tools.some(({ function: { name } }) => name === "read_sheet");
    if (!offersSheets) return save();
    const calls: Call[] = isPlanned ? [] : [{ name: "write_notepad", input: { content: plan } }];
    isPlanned = true;
    if (compactions !== 1 || next === sheets.length) calls.push(...unsaved.splice(0).map(takeNote));
    const sheet = sheets[next];
    if (sheet) {
      next++;
      unsaved.push(sheet);
      return { toolCalls: [...calls, { name: "read_sheet", input: { name: sheet.name } }] };
    }
    if (isDone) return { text: conclusion };
    isDone = true;
    return { toolCalls: [...calls, tickOff] };
  };

  /** The warning turn: saves the findings that are not noted yet, and answers. */
  const save = (): ScriptedAnswer => {
    if (unsaved.length > 0) return { toolCalls: unsaved.splice(0).map(takeNote) };
    return { text: "The notepad is up to date." };
  };

  return (request) => {
    // Report usage as a provider would.
    const input = estimateTokens(JSON.stringify([request.messages, request.tools]));
    return { usage: { input, output: 40 }, ...answer(request) } as ScriptedAnswer;
  };
}

const conclusion =
  "Q3 is $45K too high in the Summary: $1.2M against $1.155M in the detail rows. EMEA counts July twice (rows 251-267). Remove those rows. Also: row 88 of Americas has a text date, three leavers are still on payroll (E-1041, E-1187, E-1203), and Tax uses the rate of 2024.";
