import { z } from "zod";
import { actor, note, openTask } from "./schemas.ts";

const count = z.int().min(0);
const time = z.number();
const trigger = z.enum(["threshold", "projected", "overflow", "manual", "tasks", "sub-session", "host"]);

/** A text change as lines, with only a few unchanged lines around it. */
const diffLine = z.object({
  kind: z
    .enum(["same", "added", "removed", "gap"])
    .describe("gap: omitted unchanged lines; text is their number"),
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
  cut: z.boolean().describe("True: truncated; read the entry for the rest"),
});

const journalEntry = z.object({
  revision: count,
  at: time,
  actor,
  surface: z.string(),
  type: z.string().describe("The operation, such as notepad.append"),
  summary: z.string().describe("One-line description of the operation"),
  isMemory: z.boolean().describe("False for messages and the controller's bookkeeping"),
  undoes: count.nullable().describe("The revision that this entry undid"),
  undoneBy: count.nullable().describe("The revision that undid this entry, if it is on this page"),
  canUndo: z.boolean().describe("Whether this kind of entry can be undone; later changes may still conflict"),
  changes: z.array(journalChange),
});

export const journalPage = z.object({
  entries: z.array(journalEntry).describe("Newest first"),
  newest: count,
  before: count.nullable().describe("Pass as `before` for older entries; null on the last page"),
  begins: z
    .object({ revision: count, at: time })
    .nullable()
    .describe("The oldest entry, if retention removed older ones"),
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
  cut: z.boolean().describe("True: truncated; read the message for the rest"),
});

export const message = z.object({
  number: count,
  at: time.nullable(),
  role: z.enum(["system", "user", "assistant", "tool"]),
  aside: z.boolean().describe("Said in a warning turn"),
  inContext: z
    .enum(["whole", "cleared", "collapsed", "summarised"])
    .describe("How it appears in the model's context now"),
  parts: z.array(messagePart),
});

export const messagePage = z.object({
  messages: z.array(message).describe("In order, oldest first"),
  first: count,
  last: count.describe("Number of the newest message of the session"),
  before: count.nullable().describe("Pass as `before` for older messages"),
  after: count.nullable().describe("Pass as `after` for newer messages"),
});

const compactionItem = z.object({
  epoch: count,
  trigger,
  warning: z.enum(["none", "given", "skipped"]),
  skipped: z.string().describe("Why the agent was not warned"),
  from: count.describe("First removed message"),
  to: count.describe("Last removed message"),
  summaryBy: z.enum(["model", "deterministic", "unknown"]),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  tokensBy: z
    .enum(["provider", "estimate"])
    .describe("provider: its own counts of the calls before and after. estimate: counted by Holdfast"),
  removed: count.describe("Number of removed messages"),
  user: z
    .object({ whole: count, cut: count, leftOut: count })
    .describe("The user's messages in the handoff: word for word, without their middle, and left out"),
  notepad: z
    .object({ lines: count, shown: count })
    .describe("Lines of the notepad, and how many of them are in context"),
  rest: z.enum(["retrievable", "lost"]).describe("Whether the removed messages can be read back"),
  readWith: z.string().describe("How the agent reads them: a tool, a command or a path"),
  line: z.string().describe("The receipt as the agent sees it"),
  verified: z
    .object({ call: count })
    .optional()
    .describe("The call whose request contained what the receipt says"),
  mismatch: z
    .object({ call: count, lacks: z.array(z.string()) })
    .optional()
    .describe("The call whose request did not, and what it lacked"),
});

export const removedMessages = z.object({
  messages: z.array(message).describe("In order; the newest, when there are very many"),
  total: count.describe("All messages that the compaction removed"),
  isPreview: z.boolean().describe("True: the host's transcript is gone, so each message is one line"),
});

export const compactionPage = z.object({
  compactions: z.array(compactionItem).describe("Newest first"),
  before: count.nullable().describe("Pass as `before` for older compactions"),
});

export const compaction = compactionItem.extend({
  revision: count
    .nullable()
    .describe("The revision that removed the messages; null if retention removed that part of the history"),
  at: time.nullable(),
  handoff: z
    .object({ text: z.string(), revision: count.nullable(), at: time.nullable() })
    .nullable()
    .describe("The handoff, as the agent gets it"),
  warningTurn: z
    .object({
      revision: count,
      at: time,
      text: z.string().describe("The warning, or why it was skipped"),
      messages: z.array(message).describe("The agent's messages in that turn"),
    })
    .nullable(),
  summary: z
    .string()
    .describe(
      "What replaces the removed messages in the prompt; empty when the host keeps it, or retention removed it",
    ),
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
  revision: count.describe("The session's revision at the time of the call"),
  source: z
    .enum(["ledger", "transcript"])
    .describe("Recorded by Holdfast, or read from the host's transcript"),
  contextWindow: z.number(),
  parts: parts.describe("Estimated tokens per part; the same text counts the same in every call"),
  usage: z
    .object({
      input: z.number().nullable(),
      cached: z.number().nullable(),
      written: z.number().nullable().describe("Tokens written to the cache"),
      output: z.number().nullable(),
    })
    .describe("As the provider counted; null: not reported"),
  money: z
    .object({
      currency: z.literal("USD"),
      basis: z.string().describe("The price list used"),
      total: z.number(),
      output: z.number(),
      parts: parts.omit({ free: true }),
    })
    .nullable()
    .describe("Null when the model's price is unknown"),
});

export const modelCallPage = z.object({
  calls: z
    .array(modelCall.extend({ writes: count.describe("Changes of memory after it, up to the next call") }))
    .describe("In order, oldest first"),
  total: count,
  before: count.nullable().describe("Pass as `before` for older calls"),
});

const callPiece = z.object({
  index: count,
  part: z.enum(["system", "tools", "memory", "summaries", "history", "results"]),
  role: z.string(),
  hash: z.string(),
  tokens: z.number(),
  characters: count,
  text: z.string(),
  cut: z.boolean().describe("True: truncated; read the piece by its hash"),
  cached: z.boolean().describe("True: this piece and all before it are the same in the compared call"),
  change: z.enum(["same", "added", "moved"]).describe("Against the compared call"),
});

export const modelCallDetail = z.object({
  call: modelCall,
  pieces: z.array(callPiece),
  previous: count.nullable().describe("Number of the call before it"),
  isBare: z.boolean().describe("True: retention removed the text of the prompt and kept its numbers"),
  against: count
    .nullable()
    .describe("The call it is compared with; default: the agent's last turn, not a compaction's own call"),
  prefix: z
    .object({
      pieces: count,
      tokens: z.number(),
      money: z
        .object({ fresh: z.number(), cached: z.number() })
        .nullable()
        .describe("Dollars for these tokens, fresh and from a cache; null when the price is unknown"),
    })
    .describe("The leading pieces that are the same in both calls, which a provider's cache can serve"),
  removed: z
    .array(
      z.object({
        hash: z.string(),
        part: callPiece.shape.part,
        role: z.string(),
        tokens: z.number(),
        text: z.string(),
        cut: z.boolean(),
      }),
    )
    .describe("Pieces of the other call that are gone"),
});

export const piece = z.object({ hash: z.string(), text: z.string() });

export const changeEvent = z.object({
  sessionId: z.string(),
  from: count.describe("The first revision this event covers"),
  revision: count.describe("The session's revision now"),
  entries: z
    .array(z.object({ revision: count, at: time, actor, surface: z.string(), type: z.string() }))
    .describe("The newest entries it covers, at most 50, oldest first"),
});
