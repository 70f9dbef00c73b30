import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { warningFor } from "../src/compaction/warning.ts";
import { openMemory } from "../src/index.ts";
import { initProject, openProject, projectSurface } from "../src/surfaces/project/index.ts";
import type { Presentation, Surface } from "../src/surfaces/surface.ts";
import { type DocumentName, entryPoints, type SeedRow, seedRows } from "../test/requirements/seed-rows.ts";
import { alignedTable } from "./aligned-table.ts";

const root = join(import.meta.dirname, "..");

interface DocumentPage {
  title: string;
  surface: "notepad" | "notes" | "scratchpad" | "project";
  example: string;
  /** How an agent gets it with the document's own placement. */
  commands: string[];
  /** How the placement or the store follows the document. */
  hint: string;
  /** The model's writes before its memory is shown a second time. */
  writes: [tool: string, input: unknown][];
}

const scratchpad: Omit<DocumentPage, "title" | "writes"> = {
  surface: "scratchpad",
  example: "examples/only-scratchpad.ts",
  commands: [
    "npx holdfast init openclaw --surfaces scratchpad",
    "holdfast mcp --surfaces scratchpad",
    "holdfast chat --surfaces scratchpad --set placement=message",
  ],
  hint: 'In `holdfast.json`, `"placement": "message"` puts the scratchpad before every message, and `"handoff": false` extracts nothing. `scratchpad.maxTokens` and the nudges are there too.',
};

const documents: Record<DocumentName, DocumentPage> = {
  "session-notepad": {
    title: "Session notepad",
    surface: "notepad",
    example: "examples/only-notepad.ts",
    commands: [
      "npx holdfast init claude-code --surfaces notepad",
      "holdfast mcp --surfaces notepad",
      "holdfast chat --surfaces notepad --set placement=system",
    ],
    hint: '`placement: "system"` keeps the notepad in the system prompt in every turn, and `handoff: false` leaves summary, notepad and system prompt after a compaction. Add `tasks` and `sessions` for task scoping, child sessions and forks, and `sandbox` for programs.',
    writes: [["write_notepad", { content: "## Plan\n- [x] Survey all sheets\n- [ ] Fix Q3 total" }]],
  },
  "scratchpad-notes-adr": {
    title: "Scratchpad notes",
    surface: "notes",
    example: "examples/only-notes.ts",
    commands: [
      "npx holdfast init claude-code --surfaces notes",
      "holdfast mcp --surfaces notes --store memory:",
      "holdfast chat --surfaces notes --store memory:",
    ],
    hint: "With the store `memory:` notes end with the process. Plugins take it from `HOLDFAST_DB`.",
    writes: [["add_note", { content: "July is double-counted", tags: ["q3"] }]],
  },
  "session-scratchpad-spaces": {
    ...scratchpad,
    title: "Session scratchpad: three spaces",
    writes: [
      ["session_scratchpad", { action: "append_notes", content: "Root cause: timezone mismatch" }],
      ["session_scratchpad", { action: "set_plan", content: "1. Fix auth bug\n2. Add test" }],
      ["session_scratchpad", { action: "refs.add", ref: "src/auth/login.ts" }],
    ],
  },
  "session-scratchpad-extension": {
    ...scratchpad,
    title: "Session scratchpad: the extension",
    writes: [["session_scratchpad", { content: "## Plan\n1. Fix X\n2. Test Y", mode: "replace" }]],
  },
  "notes-md-protocol": {
    title: "NOTES.md",
    surface: "project",
    example: "examples/only-notes-md.ts",
    commands: [
      "npx holdfast init claude-code --surfaces project",
      "holdfast project init",
      "holdfast mcp --surfaces project",
    ],
    hint: "The commands of `holdfast project` do the same without an agent. In your own agent, add `results` to clear long results.",
    writes: [
      [
        "log_decision",
        {
          title: "Token Expiry Handling",
          decision: "Use sliding window expiration with 15-minute grace period",
          rationale: "Balances security (short expiry) with UX (no mid-session logouts)",
          evidence: [{ quote: "export function isTokenExpired(token: Token) {", path: "src/auth/jwt.ts:1" }],
          scenarios: ["At the boundary", "Beyond grace", "Refresh token expired"],
        },
      ],
      ["log_entry", { kind: "context", text: "Expiry works, next refresh", detail: "bd-x7y8" }],
    ],
  },
};

/** The page, with the texts of a real session for each document. */
export async function fromTheDocuments(): Promise<string> {
  const parts = [intro];
  let previous: DocumentPage | undefined;
  for (const [name, rows] of Object.entries(seedRows) as [DocumentName, readonly SeedRow[]][]) {
    parts.push(await section(documents[name], rows, previous));
    previous = documents[name];
  }
  return `${parts.join("\n\n")}\n`;
}

const intro = `# From the documents

Five documents describe the memory that Holdfast follows. You can have each of them alone, to the letter, or several together. For
each document, this page shows the smallest program, the commands for a coding agent, and the texts that the model reads. A table
lists each sentence that differs, with the reason. \`npm run generate\` writes this page from the code, and a test compares it.

## Move from an earlier tool

Four earlier projects had such a memory. Their data comes to Holdfast in these ways:

| From                         | Data                                                                                                     | Here                                                                                                                         |
| ---------------------------- | -------------------------------------------------------------------------------------------------------- | ---------------------------------------------------------------------------------------------------------------------------- |
| metaclaw, session notepad    | is in its own database, so copy the text with \`holdfast edit\`                                            | the memory types \`notepad\`, \`tasks\` and \`sessions\`. \`agent_sessions.notepad\` is a column here too                            |
| Forge, scratchpad notes      | was in memory only                                                                                       | the memory type \`notes\`, with the names and parameters of its seven tools                                                    |
| OpenClaw, session scratchpad | pi reads \`openclaw:scratchpad\` entries when it opens the file. \`holdfast store import FILE\` imports them | the memory type \`scratchpad\`, and the settings \`scratchpad.enabled\`, \`scratchpad.maxTokens\` and \`scratchpad.nudgeAfterTurns\` |
| Loa, NOTES.md                | \`grimoires/loa/NOTES.md\` and \`discovery/\` are used as they are                                           | the memory type \`project\`. \`holdfast project lint\` lists the entries of an older file to correct                             |`;

/** Two documents describe the same memory type: the second section shows only the document's own calls. */
async function section(
  document: DocumentPage,
  rows: readonly SeedRow[],
  previous: DocumentPage | undefined,
): Promise<string> {
  const { title, example, commands, hint, surface } = document;
  const { before, after, tools } = await seen(document);
  if (previous?.surface === surface)
    return [
      `## ${title}`,
      `The program, the commands, the tools and the texts are those of the section "${previous.title}". The document's own calls, their answers and the block that the model then reads:`,
      fenced("text", after),
      differences(rows),
    ].join("\n\n");
  return [
    `## ${title}`,
    `<!-- from ${example} -->\n${fenced("ts", readFileSync(join(root, example), "utf8").trimEnd())}`,
    fenced("sh", commands.join("\n")),
    hint,
    "The model reads, before it has written:",
    fenced("text", before),
    "Its first calls, their answers and the block that it then reads:",
    fenced("text", after),
    "Its tools:",
    fenced("text", tools),
    "The warning before a compaction:",
    fenced("text", warningFor([surface])),
    differences(rows),
  ].join("\n\n");
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** As an agent of ours reads it, with the document's placement. */
const presentation: Presentation = { shown: "system", keepsConversation: true, dotless: true };

async function seen({ surface, writes }: DocumentPage) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-documents-"));
  try {
    const surfaces = [surface === "project" ? notesIn(folder) : surface];
    const memory = await openMemory({ store: "memory:", surfaces, clock: () => start });
    const session = await memory.openSession("audit");
    const { system, message } = await session.context(presentation);
    const before = [system, message].filter((part) => part !== "").join("\n\n");
    const lines: string[] = [];
    for (const [tool, input] of writes) {
      const answer = await session.call(tool, input);
      lines.push(`${tool}(${JSON.stringify(input)})`, `→ ${answer.text}`);
    }
    const { blocks } = await session.context(presentation);
    const after = [lines.join("\n"), ...blocks.map(({ text }) => text)].join("\n\n");
    const tools = memory.tools(presentation).map(({ name, description, inputSchema }) => {
      const { additionalProperties: _, ...parameters } = inputSchema;
      return `${name.replace(".", "_")}: ${description}\n${JSON.stringify(parameters)}`;
    });
    await memory.close();
    return { before, after, tools: tools.join("\n\n") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const start = Date.parse("2024-01-15T14:30:00Z");

function notesIn(folder: string): Surface {
  mkdirSync(join(folder, "src/auth"), { recursive: true });
  writeFileSync(join(folder, "src/auth/jwt.ts"), "export function isTokenExpired(token: Token) {\n");
  const options = { root: folder, clock: () => start };
  initProject(openProject(options));
  return projectSurface(options);
}

function differences(rows: readonly SeedRow[]): string {
  const differing = rows.flatMap((row) => {
    const reasons = reasonsOf(row);
    return reasons.length === 0 ? [] : [[row.id, row.sentence, reasons.join(" ")]];
  });
  const same = rows.length - differing.length;
  const table = alignedTable([["Row", "The document", "Here"], ...differing.map((cells) => cells.map(cell))]);
  return `${same} of the ${rows.length} sentences are true to the letter at each entry point that has them. The others:\n\n${table.trimEnd()}`;
}

/** Why a row differs from the letter: in general, and where it is not true. */
export function reasonsOf({ differs, at }: SeedRow): string[] {
  const missing = new Map<string, string[]>();
  for (const name of entryPoints) {
    const cell = at[name];
    if ("no" in cell) missing.set(cell.no, [...(missing.get(cell.no) ?? []), name]);
  }
  return [
    ...(differs === undefined ? [] : [differs]),
    ...[...missing].map(([reason, names]) => `Not in ${names.join(", ")}: ${reason}`),
  ];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll(/<(?=\w)/g, "\\<");
}
