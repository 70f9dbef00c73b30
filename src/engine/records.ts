import type { Actor } from "./journal.ts";
import type { Json } from "./json.ts";

/** The time between two compactions. */
export type Epoch = {
  number: number;
  /** The prompt shows memory changes up to this revision. */
  shownAt: number;
  /** Whether the agent got the pre-compaction warning. */
  warning: "none" | "given" | "skipped";
  /** Why the warning was skipped, else "". */
  skipped: string;
};

/** A block of memory as the model was shown it. */
export type ShownBlock = {
  surface: string;
  /** "" if the surface has nothing to show any more. */
  text: string;
  /** The whole block, if `text` is only a part of it. */
  cutFrom?: string;
  /** The agent has written nothing to it: `text` is a hint. */
  isEmpty?: true;
};

/** The memory as the system prompt shows it until it is shown again. */
export type MemorySnapshotRecord = { blocks: ShownBlock[] };

/** A range of messages that the prompt shows as one text. */
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

/** A part of a message that the prompt shows without its middle. */
export type Excerpt = {
  message: number;
  /** Characters shown of its beginning and its end. */
  head: number;
  tail: number;
  /** The line between them: what was cut, and how to read it. */
  note: string;
};

/** The measurements of one model's calls so far. */
export type Learned = {
  /** The provider's token counts divided by ours. */
  ratio: number;
  /** Tokens of the last prompt, and its epoch. */
  total: number;
  epoch: number;
  /** How much the prompt grew from one call to the next, newest last. */
  growth: number[];
};

/**
 * Shown in the prompt before message number `before`, until the epoch ends: a changed block of memory, or a notice, whose
 * surface is "".
 */
export type ShownChange = { before: number } & ShownBlock;

export type OpenTask = {
  description: string;
  /** The message that opened it. */
  from: number;
  /** 1 is the outermost task. */
  depth: number;
};

/** The user's demands and prohibitions, in the user's words. */
export type Pin = {
  text: string;
  /** Who pinned it. */
  by: "agent" | "person" | "system";
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
  /** Revision of the last edit. Recency uses this, because clocks may be wrong. */
  updated: number;
  /** Who wrote the content, if it was not the agent. */
  by?: Exclude<Actor["kind"], "agent" | "system">;
};

/** The number of notes with a tag; its key is the tag as it is spelled. */
export type TagValue = { notes: number };

/** A JSON value by key. Its version is the revision that wrote it, so every value of a key has its own. */
export type KeyValue = {
  value: Json;
  version: number;
};

/** A skill the agent saved. The version starts at 1 and increases with each save. */
export type SkillValue = { description: string; content: string; version: number };

/** A tool the agent authored. `schema` is the JSON Schema of its input. */
export type ToolValue = { description: string; schema: Json; code: string; version: number };

export type CompactionTrigger =
  | "threshold"
  | "projected"
  | "overflow"
  | "manual"
  /** Enough tasks were closed. */
  | "tasks"
  | "sub-session"
  | "host";

/** A message of the user, word for word. */
export type SaidMessage = {
  text: string;
  /** Its middle is cut out. */
  cut?: true;
};

/** An item of the to-do list that the agent keeps with its host's own tool. */
export type PlanItem = {
  text: string;
  status: "open" | "current" | "done";
  /** The number of the task in the host's list, if it has one. */
  id?: string;
};

/** A line about earlier work that later handoffs repeat. */
export type HandoffLine = {
  text: string;
  /** The agent's words at the end of a turn. */
  isEnd?: true;
};

/** Written before every compaction: what the next context gets of the conversation. */
export type Handoff = {
  epoch: number;
  /** The text the agent sees; "" if handoffs are off. */
  text: string;
  /** The user's messages so far, oldest first, and how many older messages are no longer carried. */
  said: SaidMessage[];
  leftOut: number;
  /** How many of the user's messages the text has. */
  shown: { whole: number; cut: number; leftOut: number };
  plan: PlanItem[];
  /** Descriptions of the tasks that are open, outermost first. */
  tasks: string[];
  /** The steps between compactions, oldest first; the last list is that of this one. */
  done: HandoffLine[][];
  /** The finished work: ticked items of the notepad and the plan, and the tasks closed since the last compaction. */
  finished: string[];
  /** The agent's last words, in one line; if it said none, its last calls. */
  lastWords: string;
};

/** A removed message that its host keeps, in one line. */
export type RemovedMessage = { number: number; role: string; line: string };

/** The messages that a compaction removes. */
export type Removed = {
  /** First and last message. */
  from: number;
  to: number;
  messages: number;
  tokens: number;
  /** Path of the host's transcript ("" if none), and its size when the compaction began. */
  transcript: string;
  transcriptSize: number;
  /** The newest removed messages, for people; the host may drop its transcript. */
  previews?: RemovedMessage[];
};

/** Where something is after a compaction: the model sees it, can read it back, or neither. */
export type Availability = "in context" | "retrievable" | "lost";

/** The facts of a compaction. Each can be checked. */
export type Receipt = {
  epoch: number;
  trigger: CompactionTrigger;
  /** First and last removed message, and how many there were. */
  from: number;
  to: number;
  messages: number;
  /** `unknown`: the host wrote a summary that we have not seen yet. */
  summaryBy: "model" | "deterministic" | "unknown";
  warning: Epoch["warning"];
  /** Why the agent was not warned, else "". */
  skipped: string;
  /** Whether the agent wrote to its memory after the warning. */
  wrote: boolean;
  tokensBefore: number;
  tokensAfter: number;
  /** The user's messages: in context word for word, in context without their middle, and only in the removed messages. */
  user: Handoff["shown"];
  /** Lines of the notepad, and how many of them are in context: from the first, and the last ones below a cut. */
  notepad: { lines: number; shown: number; tail?: number };
  /** Whether the removed messages can be read back, and how: a tool, a command or a path; "" if they cannot. */
  rest: Exclude<Availability, "in context">;
  readWith: string;
  /** The one line the agent sees. */
  line: string;
  /** The number of the call whose request contained the text of the receipt. Missing until then. */
  verified?: { call: number };
  /** The call whose request did not, and what it lacked. */
  mismatch?: { call: number; lacks: string[] };
};

/** Who wrote the lines of a text, as runs of lines. Only kept of texts that someone else than the agent wrote to. */
export type TextOrigins = {
  lines: [count: number, by: "agent" | "person" | "sub-session" | "import" | "system"][];
};

/** The value type of each record kind a session owns. */
export type RecordValues = {
  space: string;
  ref: string;
  task: OpenTask;
  pin: Pin;
  epoch: Epoch | MemorySnapshotRecord;
  span: Span;
  cleared: ClearedResult;
  excerpt: Excerpt;
  learned: Learned;
  shown: ShownChange;
  removed: Removed;
  child: Child;
  lock: string;
  origin: TextOrigins;
  skill: SkillValue;
  tool: ToolValue;
  note: NoteValue;
  tag: TagValue;
  message: Json;
  handoff: Handoff;
  receipt: Receipt;
  state: KeyValue;
};

export type RecordKind = keyof RecordValues;

export type RecordValue = RecordValues[RecordKind];

/** Resident kinds have few records; they are loaded together with the session. */
export const recordKinds: Record<RecordKind, { resident: boolean }> = {
  space: { resident: true },
  ref: { resident: true },
  task: { resident: true },
  pin: { resident: true },
  epoch: { resident: true },
  span: { resident: true },
  cleared: { resident: true },
  excerpt: { resident: true },
  learned: { resident: true },
  shown: { resident: true },
  child: { resident: true },
  lock: { resident: true },
  origin: { resident: true },
  skill: { resident: true },
  tool: { resident: true },
  removed: { resident: false },
  note: { resident: false },
  tag: { resident: false },
  message: { resident: false },
  handoff: { resident: false },
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

/** Orders by code point, like the databases; JavaScript's `<` orders surrogate pairs before U+E000. */
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
