import { z } from "zod";
import { actor, note, openTask } from "./schemas.ts";

const count = z.int().min(0);
const time = z.number();
const trigger = z.enum(["threshold", "projected", "overflow", "manual", "sub-session", "host"]);

/** A text change as lines; those that stayed the same are cut down to a few around the change. */
const diffLine = z.object({
  kind: z
    .enum(["same", "added", "removed", "gap"])
    .describe("gap: unchanged lines left out; its text is how many"),
  text: z.string(),
});

const journalChange = z.object({
  subject: z
    .string()
    .describe(
      "notepad, scratchpad notes, plan, note, tag, ref, task, message, title, status, epoch, receipt…",
    ),
  key: z.string().nullable().describe("Which note, message or task"),
  kind: z.enum(["added", "removed", "changed"]),
  lines: z.array(diffLine),
  cut: z.boolean().describe("True: longer than shown; read the entry itself"),
});

const journalEntry = z.object({
  revision: count,
  at: time,
  actor,
  surface: z.string(),
  type: z.string().describe("The operation, such as notepad.append"),
  summary: z.string().describe("The operation in a few words"),
  isMemory: z.boolean().describe("False for messages and the controller's own bookkeeping"),
  undoes: count.nullable().describe("The revision that this entry took back"),
  undoneBy: count.nullable().describe("The revision that took this entry back, as far as this page knows"),
  canUndo: z
    .boolean()
    .describe("Whether asking to undo it makes sense; later changes may still stand in the way"),
  changes: z.array(journalChange),
});

export const journalPage = z.object({
  entries: z.array(journalEntry).describe("Newest first"),
  newest: count,
  before: count.nullable().describe("Give it as `before` for older entries; null at the beginning"),
});

export const fullEntry = z.object({
  entry: journalEntry,
  operation: z.unknown().describe("As stored"),
});

export const memoryAt = z.object({
  revision: count,
  newest: count,
  at: time.describe("When that revision was written"),
  actor,
  type: z.string(),
  notepad: z.string(),
  scratchpad: z.object({ notes: z.string(), plan: z.string(), refs: z.array(z.string()) }),
  tasks: z.array(openTask),
  notes: z.array(note).describe("Newest first, one page"),
  totalNotes: count,
  nextOffset: count.nullable(),
});

const messagePart = z.object({
  type: z.enum(["text", "reasoning", "tool-call", "tool-result", "other"]),
  text: z.string(),
  tool: z.string().nullable(),
  callId: z.string().nullable(),
  isError: z.boolean(),
  cut: z.boolean().describe("True: longer than shown; read the message itself"),
});

export const message = z.object({
  number: count,
  at: time.nullable(),
  role: z.enum(["system", "user", "assistant", "tool"]),
  aside: z.boolean().describe("Said in a warning turn"),
  inContext: z
    .enum(["whole", "cleared", "collapsed", "summarised"])
    .describe("How it stands before the model now"),
  parts: z.array(messagePart),
});

export const messagePage = z.object({
  messages: z.array(message).describe("In order, oldest first"),
  first: count,
  last: count.describe("Number of the newest message of the session"),
  before: count.nullable().describe("Give it as `before` for older messages"),
  after: count.nullable().describe("Give it as `after` for newer ones"),
});

const receiptItem = z.object({
  kind: z.enum(["note", "path", "id", "number", "url", "ask"]),
  text: z.string(),
});

const compactionItem = z.object({
  epoch: count,
  trigger,
  warning: z.enum(["none", "given", "skipped"]),
  from: count.describe("First removed message"),
  to: count.describe("Last removed message"),
  summaryBy: z.enum(["model", "deterministic", "unknown"]),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  counts: z.object({ kept: count, recallable: count, missing: count }),
  line: z.string().describe("The receipt as the agent sees it"),
});

export const compactionPage = z.object({
  compactions: z.array(compactionItem).describe("Newest first"),
  before: count.nullable().describe("Give it as `before` for older ones"),
});

const checkpoint = z.object({
  epoch: count,
  text: z.string(),
  filesRead: z.array(z.string()),
  filesWritten: z.array(z.string()),
  failedCommands: z.array(z.string()),
  identifiers: z.array(z.string()),
  openAsks: z.array(z.string()),
  openTasks: z.array(z.string()),
  planOpen: z.array(z.string()),
  planClosed: z.array(z.string()),
});

export const compaction = compactionItem.extend({
  revision: count.describe("The revision that removed the messages"),
  at: time,
  receipt: z.object({
    kept: z.array(receiptItem),
    recallable: z.array(receiptItem),
    missing: z.array(receiptItem),
    putBack: z.array(receiptItem),
  }),
  checkpoint: checkpoint.extend({ revision: count, at: time }).nullable(),
  warningTurn: z
    .object({
      revision: count,
      at: time,
      text: z.string().describe("What the agent was told, or why it was not"),
      messages: z.array(message).describe("What it said and did in that turn"),
    })
    .nullable(),
  summary: z
    .string()
    .describe("What stands in the prompt in place of the removed messages; empty when a host keeps it"),
});

const parts = z.object({
  system: z.number(),
  tools: z.number(),
  memory: z.number(),
  summaries: z.number(),
  history: z.number(),
  results: z.number(),
  free: z.number(),
});

const modelCall = z.object({
  number: count,
  at: time,
  model: z.string(),
  purpose: z.enum(["turn", "warning", "summary"]),
  epoch: count,
  revision: count.describe("The session's revision when the call was made"),
  contextWindow: z.number(),
  parts: parts.describe("Tokens, by what they are spent on"),
  usage: z.object({
    input: z.number().nullable(),
    cached: z.number().nullable(),
    output: z.number().nullable(),
  }),
  money: z
    .object({
      currency: z.literal("USD"),
      basis: z.string().describe("Whose price list was taken"),
      total: z.number(),
      output: z.number(),
      parts: parts.omit({ free: true }),
    })
    .nullable()
    .describe("Null when the model's price is not known"),
});

export const modelCallPage = z.object({
  calls: z.array(modelCall).describe("In order, oldest first"),
  total: count,
  before: count.nullable().describe("Give it as `before` for older calls"),
});

const callPiece = z.object({
  index: count,
  part: z.enum(["system", "tools", "memory", "summaries", "history", "results"]),
  role: z.string(),
  hash: z.string(),
  tokens: z.number(),
  characters: count,
  text: z.string(),
  cut: z.boolean().describe("True: longer than shown; read the piece by its hash"),
  cached: z.boolean().describe("True: it and all before it are the same as in the call before"),
  change: z.enum(["same", "added", "moved"]).describe("Against the call before"),
});

export const modelCallDetail = z.object({
  call: modelCall,
  pieces: z.array(callPiece),
  cachedPieces: count.describe("How many pieces from the start are the same as in the call before"),
  previous: count.nullable().describe("Number of the call before"),
  removed: z
    .array(
      z.object({
        hash: z.string(),
        part: callPiece.shape.part,
        role: z.string(),
        text: z.string(),
        cut: z.boolean(),
      }),
    )
    .describe("Pieces of the call before that are gone"),
});

export const piece = z.object({ hash: z.string(), text: z.string() });

export const changeEvent = z.object({
  sessionId: z.string(),
  from: count.describe("The first revision that this event tells of"),
  revision: count.describe("The session's revision now"),
  entries: z
    .array(z.object({ revision: count, at: time, actor, surface: z.string(), type: z.string() }))
    .describe("The newest of them, at most fifty, oldest first"),
});
