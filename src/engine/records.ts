import type { Json } from "./json.ts";

/** The span between two compactions, and what was frozen into the prompt at its start. */
export type Epoch = {
  number: number;
  /** The revision up to which the prompt shows memory changes. */
  placed: number;
  /** Characters of changes put into the prompt since the last whole copy. */
  changed: number;
  /** How full the context was when the agent was last told, in percent. */
  told: number;
  /** Whether the agent has been told that a compaction is near. */
  warning: "none" | "given" | "skipped";
  /** Why the warning was skipped; "" otherwise. Sessions from before it was recorded have none. */
  skipped?: string;
};

export type EpochSnapshot = {
  notepad: string;
  /** The other surfaces' blocks, as rendered then. */
  blocks: string[];
};

/** A stretch of messages that the prompt shows as one text. */
export type Span = {
  from: number;
  to: number;
  kind: "summary" | "task" | "cancelled";
  text: string;
};

/** A tool result that the prompt shows as one line. */
export type ClearedResult = {
  message: number;
  tool: string;
  summary: string;
};

/** A memory change in the prompt, before the message of that number, until the epoch ends. */
export type Injection = {
  before: number;
  text: string;
};

export type OpenTask = {
  description: string;
  /** The message that opened it. */
  from: number;
  /** 1 for the outermost. */
  depth: number;
};

/** Delegated work and its status. */
export type Child = {
  task: string;
  kind: "spawn" | "fork";
  status: "running" | "completed" | "error" | "token_limit" | "time_limit" | "aborted" | "lost";
  /** The child's report, or why there is none. */
  result: string;
  tokens: number;
};

export type NoteValue = {
  content: string;
  tags: string[];
  createdAt: number;
  updatedAt: number;
  /** Revision of the last edit: what recency is measured by, since clocks may lie. */
  updated: number;
};

export type TagValue = { name: string; notes: number };

/** A JSON value by key. Its version is the revision that wrote it, so no two values of a key share one. */
export type KeyValue = {
  value: Json;
  version: number;
  /** JSON Schema that every later value has to meet. */
  schema?: Json;
};

/** What an agent saved for later. The version is 1 for the first, and one more each time it is saved. */
export type SkillValue = { description: string; content: string; version: number };

/** `schema` is the JSON Schema of the tool's input. */
export type ToolValue = { description: string; schema: Json; code: string; version: number };

export type CompactionTrigger = "threshold" | "projected" | "overflow" | "manual" | "sub-session" | "host";

/** What is written down before a compaction, whether or not the agent helped. */
export type Checkpoint = {
  epoch: number;
  /** As the agent sees it. */
  text: string;
  filesRead: string[];
  filesWritten: string[];
  failedCommands: string[];
  identifiers: string[];
  openAsks: string[];
  openTasks: string[];
  planOpen: string[];
  planClosed: string[];
};

export type ReceiptItem = { kind: "note" | "path" | "id" | "number" | "url" | "ask"; text: string };

/** The messages that a compaction removes, as far as the receipt has to account for them. */
export type Removed = {
  /** First and last message. */
  from: number;
  to: number;
  messages: number;
  tokens: number;
  items: ReceiptItem[];
  /** The host's transcript, and its size when the compaction began; "" where there is none. */
  transcript: string;
  transcriptSize: number;
};

/** What a compaction kept, what can be recalled, what is missing. */
export type Receipt = {
  epoch: number;
  trigger: CompactionTrigger;
  /** The removed messages, first and last. */
  from: number;
  to: number;
  /** `unknown`: a host wrote a summary that it has not shown us yet. */
  summaryBy: "model" | "deterministic" | "unknown";
  warning: Epoch["warning"];
  /** Why the agent was not warned; "" when it was. Receipts from before it was recorded have none. */
  skipped?: string;
  tokensBefore: number;
  tokensAfter: number;
  /** How many are kept, recallable and missing; the lists name those referred to most. */
  counts: { kept: number; recallable: number; missing: number };
  kept: ReceiptItem[];
  recallable: ReceiptItem[];
  missing: ReceiptItem[];
  putBack: ReceiptItem[];
  /** The one line the agent sees. */
  line: string;
};

/** The rows that a session owns, by kind. This map is the one place that says what each kind holds. */
export type RecordValues = {
  space: string;
  ref: string;
  task: OpenTask;
  epoch: Epoch | EpochSnapshot;
  span: Span;
  cleared: ClearedResult;
  injection: Injection;
  removed: Removed;
  child: Child;
  lock: string;
  skill: SkillValue;
  tool: ToolValue;
  note: NoteValue;
  tag: TagValue;
  message: Json;
  checkpoint: Checkpoint;
  receipt: Receipt;
  state: KeyValue;
};

export type RecordKind = keyof RecordValues;

export type RecordValue = RecordValues[RecordKind];

/** Resident kinds are few, and are in memory whenever the session is. */
export const recordKinds: Record<RecordKind, { resident: boolean }> = {
  space: { resident: true },
  ref: { resident: true },
  task: { resident: true },
  epoch: { resident: true },
  span: { resident: true },
  cleared: { resident: true },
  injection: { resident: true },
  child: { resident: true },
  lock: { resident: true },
  skill: { resident: true },
  tool: { resident: true },
  removed: { resident: false },
  note: { resident: false },
  tag: { resident: false },
  message: { resident: false },
  checkpoint: { resident: false },
  receipt: { resident: false },
  state: { resident: false },
};

export const residentKinds: RecordKind[] = (Object.keys(recordKinds) as RecordKind[]).filter(
  (kind) => recordKinds[kind].resident,
);

export type RecordId = `${RecordKind}/${string}`;

export function recordId(kind: RecordKind, key: string): RecordId {
  return `${kind}/${key}`;
}

/** By code point, as databases order text; JavaScript's own order puts surrogate pairs before U+E000. */
export function compareKeys(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const difference = rank(a.charCodeAt(index)) - rank(b.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
