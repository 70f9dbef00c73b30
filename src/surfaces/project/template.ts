/** The sections of NOTES.md and their headings in the template. */
export const sectionNames = {
  continuity: "Session Continuity",
  context: "Active Context",
  identifiers: "Lightweight Identifiers",
  decisions: "Decision Log",
  questions: "Pending Questions",
  goals: "Active Sub-Goals",
  debt: "Discovered Technical Debt",
  blockers: "Blockers & Dependencies",
  log: "Session Continuity Log",
  archive: "Decision Archive",
} as const;

export type SectionKey = keyof typeof sectionNames;

export const sectionKeys = Object.keys(sectionNames) as SectionKey[];

/** Subsections of Session Continuity. */
export const continuityParts: readonly SectionKey[] = ["context", "identifiers", "decisions", "questions"];

export const severities = ["LOW", "MEDIUM", "HIGH", "CRITICAL"] as const;

/** Token limits for the parts that level 1 shows. */
export const partBudgets = { continuity: 100, context: 200, state: 45, identifier: 60, question: 60 };

export const tableColumns = {
  identifiers: ["Identifier", "Purpose", "Last Verified"],
  debt: ["ID", "Description", "Severity", "Found By", "Sprint"],
  log: ["Timestamp", "Agent", "Summary"],
  archive: ["Date", "Decision", "Rationale", "Decided By"],
} as const;

export type TableKey = keyof typeof tableColumns;

export const tableKeys = Object.keys(tableColumns) as TableKey[];

/** The lines below a section's heading in a new file. */
const initialLines: Record<SectionKey, string[]> = {
  continuity: [
    "<!-- CRITICAL: Load this section FIRST after /clear (~100 tokens) -->",
    "<!-- See: .claude/protocols/session-continuity.md -->",
  ],
  context: [
    "- **Current Bead**: none",
    "- **Last Checkpoint**: none",
    "- **Reasoning State**: Nothing has been worked on yet",
  ],
  identifiers: [
    "<!-- Absolute paths only - retrieve full content on-demand via JIT -->",
    ...emptyTable("identifiers"),
  ],
  decisions: [
    "<!-- Decisions survive context wipes - permanent record -->",
    "<!-- Format: timestamp, decision, rationale, evidence (word-for-word quote), test scenarios -->",
  ],
  questions: ["<!-- Carry forward across sessions -->"],
  goals: ["<!-- Current objectives being pursued across sessions -->"],
  debt: ["<!-- Issues found during implementation that need future attention -->", ...emptyTable("debt")],
  blockers: ["<!-- External factors affecting progress -->"],
  log: ["<!-- Historical handoff records - append only -->", ...emptyTable("log")],
  archive: ["<!-- Major decisions with rationale for future reference -->", ...emptyTable("archive")],
};

export function emptyTable(key: TableKey): string[] {
  const columns = tableColumns[key];
  return [`| ${columns.join(" | ")} |`, `|${columns.map((name) => "-".repeat(name.length + 2)).join("|")}|`];
}

/** An empty section of the template, heading first. */
export function newSection(key: SectionKey): string[] {
  const level = continuityParts.includes(key) ? "###" : "##";
  return [`${level} ${sectionNames[key]}`, ...initialLines[key]];
}

/** A new NOTES.md. */
export function templateText(timestamp: string): string {
  const sections = sectionKeys.map((key) => newSection(key).join("\n"));
  const text = [
    "# Agent Working Memory (NOTES.md)",
    "> This file persists agent context across sessions and compaction cycles.\n> Updated automatically by agents. Manual edits are preserved.",
    ...sections,
  ].join("\n\n");
  return `${text.replace("**Last Checkpoint**: none", `**Last Checkpoint**: ${timestamp}`)}\n`;
}

const date = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})`;
const full = new RegExp(`^${date}T${time}$`);
const any = new RegExp(`^(?:${date}(?:T${time})?|${time})$`);

/** An ISO 8601 date and time with a zone. */
export function isTimestamp(text: string): boolean {
  return full.test(text) && isDay(text);
}

/** A date, a time or both, as tables allow. */
export function isDateOrTime(text: string): boolean {
  return any.test(text) && isDay(text);
}

/** Rejects February 31st, which `Date` would roll over into March. */
function isDay(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  return day === undefined || Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}
