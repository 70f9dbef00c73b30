import { parseArgs } from "node:util";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { openMemory } from "../index.ts";
import type { Session } from "../sessions/session.ts";

/** So small that ten sheets cannot fit. */
const contextWindow = 1_200;

interface Sheet {
  name: string;
  rows: number;
  finding: string;
}

const sheets: Sheet[] = [
  { name: "Revenue", rows: 500, finding: "dates YYYY-MM-DD, revenue by region by month" },
  { name: "Expenses", rows: 180, finding: "12 categories × 15 months" },
  { name: "Summary", rows: 40, finding: "Q3 shows $1.2M, detail rows sum to $1.155M" },
  { name: "EMEA", rows: 310, finding: "July double-counted in rows 251-267: that is the Q3 gap" },
  { name: "APAC", rows: 290, finding: "clean" },
  { name: "Americas", rows: 402, finding: "row 88 has a text date" },
  { name: "Headcount", rows: 64, finding: "3 leavers still on payroll (E-1041, E-1187, E-1203)" },
  { name: "Forecast", rows: 120, finding: "growth hard-coded to 4 % in C7" },
  { name: "Tax", rows: 75, finding: "rate of 2024 used for 2025" },
  { name: "Notes", rows: 12, finding: "user wants green >5% YoY growth, red <0%" },
];

/** A scripted agent audits a workbook in a context that is compacted on the way. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { fast: { type: "boolean", default: false } }, strict: true });
  const pause = values.fast || !process.stdout.isTTY ? 0 : 350;
  const memory = await openMemory({ store: "memory:" });
  const session = await memory.createSession({ title: "Workbook audit" });
  say(bold(`An agent audits a workbook of ${sheets.length} sheets with a context of ${contextWindow} tokens.`));
  say("It notes each finding in its notepad, which lives outside the conversation.\n");

  let conversation: string[] = ["user: Audit the workbook. Find out why Q3 does not add up."];
  let compactions = 0;
  for (const [index, sheet] of sheets.entries()) {
    const reading = sheetText(sheet, index);
    if ((await tokensUsed(session, [...conversation, reading])) > contextWindow) {
      compactions++;
      conversation = [`summary: ${index} sheets were read; the details are gone.`];
      say(yellow(`  ── compaction ${compactions}: the conversation is now one line ──`));
    }
    conversation.push(reading, `assistant: noted sheet ${index + 1}`);
    await session.call("update_notepad", { operation: "append", content: `- [x] ${sheet.name}: ${sheet.rows} rows; ${sheet.finding}` });
    const used = await tokensUsed(session, conversation);
    say(`${bar(used / contextWindow)} ${String(used).padStart(5)} tokens   sheet ${String(index + 1).padStart(2)} ${sheet.name}`);
    await new Promise((proceed) => setTimeout(proceed, pause));
  }

  const { system } = await session.context();
  say(`\n${bold("What the model has before it now:")}\n`);
  say(system.slice(system.indexOf("## Session Notepad")));
  const kept = sheets.filter(({ finding }) => system.includes(finding)).length;
  const inConversation = sheets.filter(({ finding }) => conversation.some((message) => message.includes(finding))).length;
  say(`\n${bold("What survived")} ${compactions} compactions: ${green(`${kept} of ${sheets.length} findings`)} in the notepad; ${inConversation} of ${sheets.length} in the conversation.`);
  await memory.close();
  return kept === sheets.length ? 0 : 1;
}

async function tokensUsed(session: Session, conversation: string[]): Promise<number> {
  const { system } = await session.context();
  return [system, ...conversation].reduce((sum, text) => sum + estimateTokens(text), 0);
}

function sheetText({ name, rows, finding }: Sheet, index: number): string {
  const lines = Array.from({ length: 12 }, (_, row) => `${row + 1};2024-${String(row + 1).padStart(2, "0")}-01;${(index + 3) * (row + 7) * 991}.50`);
  return `tool: ${name}, ${rows} rows\n${lines.join("\n")}\n… ${finding}`;
}

function bar(share: number): string {
  const filled = Math.min(20, Math.round(share * 20));
  return `[${"█".repeat(filled)}${"░".repeat(20 - filled)}]`;
}

function say(text: string): void {
  console.log(text);
}

const colour = (code: number) => (text: string) => (process.stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text);
const bold = colour(1);
const green = colour(32);
const yellow = colour(33);
