import type { Actor } from "./journal.ts";
import type { Json } from "./json.ts";

/** The time between two compactions. */
export type Epoch = {
  number: number;
  /** The prompt shows memory changes up to this revision. */
  placed: number;
  /** Characters of changes injected into the prompt since the last full copy. */
  changed: number;
  /** Context usage in percent when it was last reported to the agent. */
  told: number;
  /** Whether the agent got the pre-compaction warning. */
  warning: "none" | "given" | "skipped";
  /** Why the warning was skipped, else "". */
  skipped: string;
};

export type EpochSnapshot = {
  notepad: string;
  /** The other surfaces' blocks, rendered when the epoch began. */
  blocks: string[];
  /** The notepad's block as shown, if the whole of it did not fit. */
  notepadBlock?: string;
};

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

/** What the calls of one model have shown so far. */
export type Learned = {
  /** The provider's token counts divided by ours. */
  ratio: number;
  /** Tokens of the last prompt, and its epoch. */
  total: number;
  epoch: number;
  /** How much the prompt grew from one call to the next, newest last. */
  growth: number[];
};

/** A memory change shown in the prompt before message number `before`, until the epoch ends. */
export type Injection = {
  before: number;
  text: string;
  /** A change of the system prompt: it goes into the system role where the provider allows it. */
  role?: "system";
};

export type OpenTask = {
  description: string;
  /** The message that opened it. */
  from: number;
  /** 1 is the outermost task. */
  depth: number;
};

/** What the user demands or forbids, in the user's words. */
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

export type TagValue = { name: string; notes: number };

/** A JSON value by key. Its version is the revision that wrote it, so every value of a key has its own. */
export type KeyValue = {
  value: Json;
  version: number;
  /** JSON Schema that every later value must match. */
  schema?: Json;
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

/** What was done to a file. Times are counted in tool calls since the session began. */
export type FileFact = {
  path: string;
  done: "read" | "edited" | "created" | "failed";
  /** The lines read last, such as "120-180"; "" for all. */
  lines: string;
  /** When it was last touched. */
  last: number;
  /** When the agent last wrote it, if it did. */
  wrote?: number;
};

/** A command that the agent ran, and the outcome of its last run. */
export type CommandFact = {
  line: string;
  runs: number;
  /** Why the last run failed; "" if it did not. */
  failure: string;
  /** False for another tool, which is only listed when it failed. */
  isCommand: boolean;
  last: number;
};

/** Where and when a name was seen: the counts and times of `Sighting` in `compaction/need`, in its order. */
export type NameFact = { text: string; kind: string; home: string; counts: number[] };

/** A part of a file that the agent has read, and a hash of what it saw. */
export type ReadFact = {
  path: string;
  /** First and last line. */
  from: number;
  to: number;
  /** Of the lines without carriage returns at their ends, and without empty lines at the end. */
  hash: string;
  /** Of the lines as they were shown. */
  exact: string;
  /** The last line that was asked for; 0 for the end of the file. */
  until: number;
  /** Whether the tool showed the text itself or numbered lines. */
  form: "text" | "numbers";
  /** The tool may have shown less than was asked for. */
  mayBeCut: boolean;
  /** A time before the read, in milliseconds; 0 if not known. */
  at: number;
  /** The result had line numbers, so it is certain which part it showed. */
  isNumbered: boolean;
  /** The agent asked for the whole file. */
  isWhole: boolean;
  last: number;
};

/** What the next checkpoint needs to weigh the facts of this one against new ones. */
export type CheckpointMemory = {
  /** Tool calls since the session began. */
  calls: number;
  names: NameFact[];
  files: FileFact[];
  commands: CommandFact[];
  decisions: string[];
  running: string[];
  reads: ReadFact[];
  /** What the user stated, oldest first. */
  said?: string[];
  /** Calls with short results, oldest first. */
  results?: ShortResult[];
};

/** A call and its result, both short enough to be kept word for word. */
export type ShortResult = { call: string; result: string; path: string };

/** Written before every compaction, whether or not the agent took notes. */
export type Checkpoint = {
  epoch: number;
  /** The text the agent sees. */
  text: string;
  filesRead: string[];
  filesWritten: string[];
  failedCommands: string[];
  identifiers: string[];
  openAsks: string[];
  /** The message with the first open ask, if it is in the session. */
  askedIn?: number;
  openTasks: string[];
  planOpen: string[];
  planClosed: string[];
  memory: CheckpointMemory;
};

export type ReceiptItem = { kind: "note" | "path" | "id" | "number" | "url" | "ask"; text: string };

/** A removed message that its host keeps, in one line. */
export type RemovedMessage = { number: number; role: string; line: string };

/** Something of a removed span that the agent is likely to need again. */
export type Need = {
  kind: "rule" | "ask" | "command" | "file" | "name";
  text: string;
  /** How likely it is needed, from 0 to 1. */
  likelihood: number;
  /** The newest removed message that shows it; missing if none does. */
  message?: number;
  /** A file that contains it now. */
  home?: string;
};

/** Where a need is after a compaction. */
export type NeedPlace = "in context" | "one call" | "by search" | "lost";

/** A need, and where the agent finds it. */
export type PlacedNeed = Pick<Need, "kind" | "text" | "likelihood"> & {
  place: NeedPlace;
  /** For one that is one call away: the call, such as "recall message 12" or "read src/a.ts". */
  call?: string;
};

/** What the receipt has to account for in the messages that a compaction removes. */
export type Removed = {
  /** First and last message. */
  from: number;
  to: number;
  messages: number;
  tokens: number;
  items: ReceiptItem[];
  /** What the agent is likely to need, most likely first. */
  needs: Need[];
  /** Path of the host's transcript ("" if none), and its size when the compaction began. */
  transcript: string;
  transcriptSize: number;
  /** The newest removed messages, for people; the host may drop its transcript. */
  previews?: RemovedMessage[];
};

/** What a compaction kept, what can be recalled, what is missing. */
export type Receipt = {
  epoch: number;
  trigger: CompactionTrigger;
  /** First and last removed message. */
  from: number;
  to: number;
  /** `unknown`: the host wrote a summary that we have not seen yet. */
  summaryBy: "model" | "deterministic" | "unknown";
  warning: Epoch["warning"];
  /** Why the agent was not warned, else "". */
  skipped: string;
  tokensBefore: number;
  tokensAfter: number;
  /** Totals. The lists below contain only the most referenced items. */
  counts: { kept: number; recallable: number; missing: number };
  kept: ReceiptItem[];
  recallable: ReceiptItem[];
  missing: ReceiptItem[];
  putBack: ReceiptItem[];
  /** What the agent is likely to need, most likely first, and where it is now. */
  needs: PlacedNeed[];
  /** The one line the agent sees. */
  line: string;
  /** The number of the call whose request contained what the receipt says. Missing until then. */
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
  epoch: Epoch | EpochSnapshot;
  span: Span;
  cleared: ClearedResult;
  excerpt: Excerpt;
  learned: Learned;
  injection: Injection;
  removed: Removed;
  child: Child;
  lock: string;
  origin: TextOrigins;
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
  injection: { resident: true },
  child: { resident: true },
  lock: { resident: true },
  origin: { resident: true },
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
