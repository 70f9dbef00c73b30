/** A form that a value must have. Lint reports the values without it. */
export interface Form<Value = string> {
  rule: "debt-id" | "severity" | "timestamp" | "checkbox" | "blocker-kind";
  matches(value: Value): boolean;
  /** Follows the value in the message of lint. */
  problem: string;
}

export interface Column {
  name: string;
  form?: Form;
}

/** A section of NOTES.md. Template, parser, edits and lint follow from it. */
export interface SectionLayout {
  title: string;
  /** A subsection of Session Continuity. */
  isPart?: true;
  /** The lines below the heading of a new section. */
  comments: string[];
  /** The columns of its table. */
  columns?: Column[];
  /** Its `**Name**: value` items. Those with a first value are in a new section. */
  fields?: (Column & { first?: string })[];
  /** The form of its list items. */
  items?: Form<{ done: boolean | undefined; text: string }>;
  /** Max tokens of each row or item, or else of its own text, because level 1 shows them. */
  budget?: number;
}

export const severities = ["LOW", "MEDIUM", "HIGH", "CRITICAL"] as const;

/** The start of a blocker. */
export const blockerKind = /^(?:waiting|blocked|resolved)(?:\s+on)?\s*:\s*/i;

/** A date, a time or both, or nothing. */
export const timestampForm: Form = {
  rule: "timestamp",
  matches: (text) => ["", "-", "none"].includes(text) || isDateOrTime(text),
  problem: "is not ISO 8601, such as 2026-01-15T14:30:00Z",
};
const debtId: Form = {
  rule: "debt-id",
  matches: (text) => /^TD-\d{3,}$/.test(text),
  problem: "is not an id of the form TD-001",
};
const severity: Form = {
  rule: "severity",
  matches: (text) => severities.some((each) => each === text),
  problem: `must be one of ${severities.join(", ")}`,
};
const checkbox: SectionLayout["items"] = {
  rule: "checkbox",
  matches: ({ done }) => done !== undefined,
  problem: "has no checkbox: start it with [ ] or [x]",
};
const blocker: SectionLayout["items"] = {
  rule: "blocker-kind",
  matches: ({ text }) => blockerKind.test(text.replaceAll("**", "")),
  problem: "does not start with Waiting:, Blocked: or Resolved:",
};

/** The reasoning state of a new file. */
export const firstState = "Nothing has been worked on yet";

const sections = {
  continuity: {
    title: "Session Continuity",
    comments: [
      "<!-- CRITICAL: Load this section FIRST after /clear (~100 tokens) -->",
      "<!-- See: .claude/protocols/session-continuity.md -->",
    ],
    budget: 100,
  },
  context: {
    title: "Active Context",
    isPart: true,
    comments: [],
    fields: [
      { name: "Current Bead", first: "none" },
      { name: "Last Checkpoint", first: "none", form: timestampForm },
      { name: "Reasoning State", first: firstState },
      { name: "Session Started", form: timestampForm },
    ],
    budget: 200,
  },
  identifiers: {
    title: "Lightweight Identifiers",
    isPart: true,
    comments: ["<!-- Absolute paths only - retrieve full content on-demand via JIT -->"],
    columns: [{ name: "Identifier" }, { name: "Purpose" }, { name: "Last Verified", form: timestampForm }],
    budget: 60,
  },
  decisions: {
    title: "Decision Log",
    isPart: true,
    comments: [
      "<!-- Decisions survive context wipes - permanent record -->",
      "<!-- Format: timestamp, decision, rationale, evidence (word-for-word quote), test scenarios -->",
    ],
  },
  questions: {
    title: "Pending Questions",
    isPart: true,
    comments: ["<!-- Carry forward across sessions -->"],
    items: checkbox,
    budget: 60,
  },
  goals: {
    title: "Active Sub-Goals",
    comments: ["<!-- Current objectives being pursued across sessions -->"],
    items: checkbox,
  },
  debt: {
    title: "Discovered Technical Debt",
    comments: ["<!-- Issues found during implementation that need future attention -->"],
    columns: [
      { name: "ID", form: debtId },
      { name: "Description" },
      { name: "Severity", form: severity },
      { name: "Found By" },
      { name: "Sprint" },
    ],
  },
  blockers: {
    title: "Blockers & Dependencies",
    comments: ["<!-- External factors affecting progress -->"],
    items: blocker,
  },
  log: {
    title: "Session Continuity Log",
    comments: ["<!-- Historical handoff records - append only -->"],
    columns: [{ name: "Timestamp", form: timestampForm }, { name: "Agent" }, { name: "Summary" }],
  },
  archive: {
    title: "Decision Archive",
    comments: ["<!-- Major decisions with rationale for future reference -->"],
    columns: [
      { name: "Date", form: timestampForm },
      { name: "Decision" },
      { name: "Rationale" },
      { name: "Decided By" },
    ],
  },
} satisfies Record<string, SectionLayout>;

export type SectionKey = keyof typeof sections;

export const layout: Readonly<Record<SectionKey, SectionLayout>> = sections;

/** In the order of the file. */
export const sectionKeys = Object.keys(sections) as SectionKey[];

/** Cells or fields by the lower-case name of their column. */
export type Values = Readonly<Record<string, string>>;

export function emptyTable(columns: readonly Column[]): string[] {
  const names = columns.map(({ name }) => name);
  return [`| ${names.join(" | ")} |`, `|${names.map((name) => "-".repeat(name.length + 2)).join("|")}|`];
}

export function renderField(name: string, value: string): string {
  return `- **${name}**: ${value}`;
}

/** An empty section, heading first, with the given fields. */
export function newSection(key: SectionKey, values: Values = {}): string[] {
  const { title, isPart, comments, columns, fields = [] } = layout[key];
  const lines = fields.flatMap(({ name, first }) => {
    const value = values[name.toLowerCase()] ?? first;
    return value === undefined ? [] : [renderField(name, value)];
  });
  return [
    `${isPart ? "###" : "##"} ${title}`,
    ...comments,
    ...lines,
    ...(columns ? emptyTable(columns) : []),
  ];
}

/** A new NOTES.md. */
export function templateText(now: string): string {
  const parts = [
    "# Agent Working Memory (NOTES.md)",
    "> This file persists agent context across sessions and compaction cycles.\n> Updated automatically by agents. Manual edits are preserved.",
    ...sectionKeys.map((key) => newSection(key, { "last checkpoint": now }).join("\n")),
  ];
  return `${parts.join("\n\n")}\n`;
}

const date = String.raw`\d{4}-\d\d-\d\d`;
const time = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)`;
const dateAndTime = new RegExp(`^${date}T${time}$`);
const dateOrTime = new RegExp(`^(?:${date}|${time})$`);

/** An ISO 8601 date and time with a zone. */
export function isTimestamp(text: string): boolean {
  return dateAndTime.test(text) && isDay(text);
}

/** A date, a time or both, as tables allow. */
export function isDateOrTime(text: string): boolean {
  return isTimestamp(text) || (dateOrTime.test(text) && isDay(text));
}

/** Whether the calendar has the date at the start of a text. `Date` takes February 31st for a day in March. */
function isDay(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const at = Date.parse(day ?? "2000-01-01");
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day ?? "");
}
