import { z } from "zod";

/** The parts of responses. Times are milliseconds since 1970. */
const count = z.int().min(0);
const time = z.number();
const lines = z.object({ lines: count, shown: count });

export const errorReply = z
  .object({
    error: z.object({
      code: z.string().describe("A stable code for programs"),
      message: z.string().describe("The failure, the value and the next step"),
      data: z.record(z.string(), z.unknown()),
    }),
  })
  .describe("Every error response has this shape");

export const sessionStatus = z.enum(["active", "archived", "deleted"]);

/** The only words for where something is after a compaction. */
const whereabouts = z.enum(["in context", "retrievable", "lost"]);

const actor = z.object({
  kind: z.enum(["agent", "person", "sub-session", "import", "system"]),
  name: z.string().optional(),
});

const contextWindow = z
  .object({
    tokens: count.describe("Tokens of the last call, or right after a compaction that no call followed yet"),
    limit: z.number(),
    isLimitKnown: z.boolean().describe("False: guessed, because a transcript does not name the window"),
    basis: z.enum(["provider", "estimate"]).describe("Who counted the tokens"),
    warnAt: count.nullable().describe("Tokens at which the agent is warned; null: it is not"),
    compactAt: count.describe("Tokens at which the next compaction comes"),
    isLearned: z.boolean().describe("True: from the coding agent or the last compaction; false: about"),
    callsLeft: count.nullable().describe("About how many calls fit before compactAt; null: too few to tell"),
    call: count.nullable().describe("The call that has these tokens"),
  })
  .describe("How full the context window is, and when it is compacted");

/** The facts of a compaction that its receipt holds. */
const compactionFacts = z.object({
  epoch: count,
  trigger: z.enum(["threshold", "projected", "overflow", "manual", "tasks", "sub-session", "host"]),
  warning: z.enum(["none", "given", "skipped"]),
  skipped: z.string().describe("Why the agent was not warned"),
  wrote: z.boolean().describe("Whether the agent wrote to its memory after the warning"),
  removed: count.describe("Messages that left the context"),
  user: z
    .object({ whole: count, cut: count, leftOut: count })
    .describe("The user's messages in the handoff: word for word, without their middle, and left out"),
  notepad: lines.describe("Lines of the notepad, and how many of them are in context"),
  rest: whereabouts.exclude(["in context"]).describe("Where the removed messages are"),
  readWith: z.string().describe("How the agent reads them: a tool, a command or a path"),
});

const attentionItem = z.object({
  kind: z.enum(["lost", "notepad", "budget", "reference", "hook", "delegated"]),
  brief: z.string(),
  text: z.string(),
  epoch: count.nullable().describe("The compaction that it is about"),
  command: z.string().nullable().describe("To run in a terminal"),
});

export const sessionItem = z.object({
  id: z.string(),
  agent: z.string().describe("The coding agent, else the id of your own agent, else own"),
  title: z.string().nullable(),
  name: z
    .string()
    .describe("Its title, else what the user asked first, else its notepad's first line, else its id"),
  host: z.string().nullable().describe("The coding agent whose session it is"),
  project: z.string().nullable().describe("The folder that the coding agent works in"),
  status: sessionStatus,
  parent: z.string().nullable().describe("Also null when the parent is not among the listed statuses"),
  children: count.describe("Direct children among the listed statuses"),
  createdAt: time,
  updatedAt: time,
  revision: count,
  state: z
    .enum(["working", "waiting", "quiet"])
    .describe("working: its turn is open. waiting: its turn ended. quiet: nothing is known, or long ago"),
  window: contextWindow.nullable().describe("Null when no model call is known"),
  plan: z.object({ done: count, total: count }).nullable().describe("Checkboxes of the plan or the notepad"),
  compactions: count,
  last: compactionFacts.nullable().describe("The newest compaction"),
  attention: z.array(attentionItem).describe("The items that need the user, the most urgent first"),
  delegated: z
    .object({
      task: z.string(),
      kind: z.enum(["spawn", "fork"]),
      status: z.enum(["running", "completed", "error", "token_limit", "time_limit", "aborted", "lost"]),
      result: z.string(),
      tokens: z.number(),
    })
    .nullable()
    .describe("The work that the parent delegated to this session"),
});

export const sessionPage = z.object({
  sessions: z.array(sessionItem),
  total: count.describe("Sessions that match, on all pages"),
  nextOffset: count.nullable().describe("Null on the last page"),
});

export const week = z.object({
  days: z.array(z.object({ at: time, compactions: count })).describe("The last seven days, oldest first"),
  compactions: count,
});

const note = z.object({
  id: z.string(),
  content: z.string(),
  tags: z.array(z.string()),
  createdAt: time,
  updatedAt: time,
  updated: count.describe("Revision of the last edit"),
  by: z.enum(["person", "sub-session", "import"]).optional().describe("Who wrote it, if not the agent"),
});

export const notePage = z.object({
  notes: z.array(note),
  total: count,
  ranked: z.boolean().describe("True: no note contains the whole query; these contain its words, best first"),
  nextOffset: count.nullable(),
});

const author = z
  .object({ from: count, to: count, by: actor.shape.kind })
  .describe("Lines, counted from 1, that the agent did not write itself");

const text = z.object({ text: z.string(), authors: z.array(author) });

export const sessionMemory = z.object({
  session: sessionItem,
  revision: count.describe("The revision that the memory below has"),
  newest: count,
  at: time,
  notepad: text.extend({
    hidden: z
      .object({ from: count, to: count })
      .nullable()
      .describe("Lines, counted from 1, that the model does not see; null: it sees all"),
  }),
  notes: text.describe("The scratchpad's notes"),
  plan: text,
  refs: z.array(
    z.object({
      ref: z.string(),
      state: z
        .enum(["present", "stale", "unchecked"])
        .describe("stale: a project file that no longer exists. unchecked: not a project file"),
    }),
  ),
  pins: z.array(z.object({ id: z.string(), text: z.string(), by: z.enum(["agent", "person", "system"]) })),
  tasks: z
    .array(z.object({ id: z.string(), description: z.string(), depth: count }))
    .describe("Open tasks, outermost first"),
  tags: z.array(z.object({ tag: z.string(), notes: count })).describe("The 100 most used"),
  noteCount: count,
  offered: z
    .object({ notes: z.boolean(), scratchpad: z.boolean() })
    .describe("Whether the agent has tools for these memory types"),
  limits: z.object({ notepad: count, notes: count, plan: count }).describe("Characters that fit"),
});

const textName = z
  .enum(["notepad", "notes", "plan"])
  .describe("The notepad, or one of the scratchpad's two spaces");

const noteId = z.string().max(200);

export const edit = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("text"),
    name: textName,
    base: z.string().describe("The text the person started from; changes made since are merged in"),
    text: z.string().describe("The whole text as the person wants it"),
  }),
  z.object({ type: z.enum(["ref.add", "ref.remove"]), ref: z.string().min(1) }),
  z.object({
    type: z.literal("note.add"),
    content: z.string().min(1),
    tags: z.array(z.string()).default([]),
  }),
  z.object({
    type: z.literal("note.edit"),
    note: noteId,
    base: z.object({ content: z.string(), tags: z.array(z.string()) }),
    content: z.string().min(1),
    tags: z.array(z.string()),
  }),
  z.object({ type: z.literal("note.delete"), note: noteId }),
  z.object({ type: z.literal("pin"), text: z.string().min(1) }),
  z.object({ type: z.literal("unpin"), pin: z.string().max(40) }),
  z.object({ type: z.literal("undo"), revision: z.int().min(1) }),
]);

export const edited = z.object({
  session: z.string().describe("The session that was edited: a pin is the whole project's"),
  revision: count.describe("Undo this revision of that session to take the edit back"),
  merged: z.boolean().describe("True when someone else had changed the same text; it contains both edits"),
  text: z.string().nullable().describe("The text as it is now"),
  note: note.nullable(),
  pin: z.string().nullable(),
});

export const editConflict = errorReply.extend({
  conflict: z.object({
    revision: count,
    base: z.string(),
    mine: z.string(),
    theirs: z.string().describe("Send this as the base of the next attempt"),
    by: actor.nullable().describe("Who wrote `theirs`, if it is known"),
    at: time.nullable(),
    regions: z
      .array(
        z.object({
          kind: z.enum(["agreed", "conflict"]),
          text: z.string().describe("agreed: the merged text. conflict: empty"),
          base: z.string(),
          mine: z.string(),
          theirs: z.string(),
        }),
      )
      .describe("The whole text in order, split into merged and conflicting regions"),
  }),
});

export const searchPage = z.object({
  hits: z
    .array(
      z.object({
        sessionId: z.string(),
        title: z.string().nullable().describe("Of a coding agent's session, what the user asked first"),
        status: sessionStatus,
        kind: z.enum(["title", "notepad", "plan", "scratchpad", "reference", "note", "message"]),
        noteId: z.string().nullable(),
        message: count.nullable().describe("Number of the message"),
        line: count.describe("Counted from 1"),
        tags: z.array(z.string()),
        excerpt: z.string().describe("The text around the match, verbatim"),
        at: count.describe("Offset of the first match in the excerpt, in UTF-16 units"),
        length: count.describe("Length of the match; 0 when its position is unknown"),
        score: z.number().describe("2: contains the whole query; up to 1: the share of its words"),
        updatedAt: time.describe("Of the session"),
      }),
    )
    .describe("By score, then by updatedAt, newest first, then by sessionId"),
  total: count.describe("All matches in these sessions"),
  searched: count.describe("Sessions that were searched, the ones that changed last first"),
  sessions: count.describe("All sessions; more than `searched` if the search took too long"),
});

const historyChange = z.object({
  subject: z
    .string()
    .describe("notepad, plan, note, ref, pin, task, message, title, status, epoch, receipt…"),
  key: z.string().nullable().describe("Which note, message or task"),
  kind: z.enum(["added", "removed", "changed"]),
  lines: z.array(
    z.object({
      kind: z
        .enum(["same", "added", "removed", "gap"])
        .describe("gap: omitted unchanged lines; text is their number"),
      text: z.string(),
    }),
  ),
  cut: z.boolean().describe("True: truncated; ask for the entry with `full`"),
});

export const historyPage = z.object({
  entries: z
    .array(
      z.object({
        revision: count,
        at: time,
        actor,
        surface: z.string(),
        type: z.string().describe("The operation, such as notepad.append"),
        summary: z.string().describe("One sentence"),
        isMemory: z.boolean().describe("False for messages and bookkeeping"),
        undoes: count.nullable().describe("The revision that this entry undid"),
        undoneBy: count.nullable().describe("The revision that undid this entry, if it is on this page"),
        canUndo: z.boolean(),
        changes: z.array(historyChange),
        compaction: compactionFacts.nullable().describe("The compaction that this entry is"),
      }),
    )
    .describe("Newest first"),
  newest: count,
  before: count.nullable().describe("Pass as `before` for older entries; null on the last page"),
  begins: z
    .object({ revision: count, at: time })
    .nullable()
    .describe("The oldest entry, if retention removed older ones"),
});

const message = z.object({
  number: count,
  at: time.nullable(),
  role: z.enum(["system", "user", "assistant", "tool", "memory"]).describe("memory: injected by Holdfast"),
  inWarning: z.boolean().describe("Said in a warning turn"),
  state: whereabouts,
  parts: z.array(
    z.object({
      type: z.enum(["text", "reasoning", "tool-call", "tool-result", "other"]),
      text: z.string(),
      tool: z.string().nullable(),
      isError: z.boolean(),
      cut: z.boolean().describe("True: truncated; ask for the message with `whole`"),
    }),
  ),
});

export const messagePage = z.object({
  messages: z.array(message).describe("In order, oldest first"),
  first: count,
  last: count.describe("Number of the newest message"),
  total: count.describe("Messages of the session, or all that the compaction removed"),
  before: count.nullable().describe("Pass as `before` for older messages"),
  after: count.nullable().describe("Pass as `after` for newer messages"),
  isPreview: z.boolean().describe("True: the transcript is gone, so each message is one line"),
});

export const compaction = compactionFacts.extend({
  summaryBy: z.enum(["model", "deterministic", "unknown"]),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  tokensBy: z.enum(["provider", "estimate"]).describe("provider: counts of the calls before and after"),
  line: z.string().describe("The receipt as the agent sees it"),
  verified: z.object({ call: count }).optional().describe("The call whose request contained all of it"),
  mismatch: z
    .object({ call: count, lacks: z.array(z.string()) })
    .optional()
    .describe("The call whose request did not, and what it lacked"),
  revision: count.nullable().describe("Null if retention removed that part of the history"),
  at: time.nullable(),
  warningTurn: z
    .object({ text: z.string(), messages: z.array(message).describe("The agent's answers to the warning") })
    .nullable(),
  handoff: z.object({
    text: z.string(),
    source: z
      .enum(["prompt", "transcript", "record"])
      .describe("Where it was read: the agent's prompt, the host's transcript, or the record of it"),
  }),
  summary: z.string().describe('"" when it is not known'),
});

const parts = z.object({
  system: z.number(),
  tools: z.number(),
  memory: z.number(),
  summaries: z.number(),
  history: z.number(),
  results: z.number(),
});

const modelCall = z.object({
  number: count,
  at: time,
  model: z.string(),
  purpose: z.enum(["turn", "warning", "summary"]),
  epoch: count,
  revision: count.describe("The session's revision at the time of the call"),
  source: z.enum(["ledger", "transcript"]).describe("Recorded by Holdfast, or read from a transcript"),
  contextWindow: z.number(),
  tokens: count.describe("The prompt's size: the provider's count, else an estimate"),
  basis: contextWindow.shape.basis,
  parts: parts.describe("How `tokens` divide; they add up to it"),
  usage: z
    .object({
      cached: z.number().nullable(),
      written: z.number().nullable().describe("Tokens written to the cache"),
      output: z.number().nullable(),
    })
    .describe("As the provider counted; null: not reported"),
});

export const callPage = z.object({
  calls: z.array(modelCall).describe("In order, oldest first"),
  total: count,
  before: count.nullable().describe("Pass as `before` for older calls"),
  cuts: z.array(count).describe("The epochs of these calls that a compaction ended"),
});

const piece = z.object({
  index: count,
  part: z.enum(["system", "tools", "memory", "summaries", "history", "results"]),
  role: z.string(),
  hash: z.string(),
  tokens: z.number().describe("The pieces add up to the call's tokens"),
  text: z.string(),
  cut: z.boolean().describe("True: truncated; ask for the call with `whole`"),
  change: z.enum(["same", "added", "moved", "gone"]).describe("Against the compared call"),
});

export const callDetail = z.object({
  call: modelCall,
  pieces: z.array(piece),
  isBare: z.boolean().describe("True: retention removed the text of the prompt and kept its numbers"),
  against: count.nullable().describe("The call it is compared with"),
  prefix: z
    .object({ pieces: count, tokens: z.number(), basis: contextWindow.shape.basis })
    .describe("The unchanged beginning: what the provider read from its cache, else equal pieces"),
  gone: z.array(piece).describe("Pieces of the other call that this one has not"),
});

const place = z.object({
  kind: z.enum([
    "notepad",
    "plan",
    "scratchpad",
    "pin",
    "reference",
    "note",
    "message",
    "summary",
    "handoff",
    "history",
  ]),
  state: whereabouts,
  text: z.string().describe("The line with it"),
  line: count.nullable().describe("Counted from 1"),
  number: count.nullable().describe("The message, the epoch of a handoff, or the revision that removed it"),
  noteId: z.string().nullable(),
});

export const whereabout = z.object({
  query: z.string(),
  state: whereabouts.nullable().describe("The best of its places; null: it is nowhere, and never was"),
  places: z.array(place).describe("In context first; at most 20"),
  life: z
    .object({
      text: z.string().describe("The line it is in"),
      since: count.nullable().describe("The revision that wrote it; null: longer ago than is searched"),
      at: time.nullable(),
      actor: actor.nullable(),
      calls: z
        .object({ present: count, checked: count })
        .nullable()
        .describe("Model calls since then that contained it; null when no calls are recorded"),
      compactions: count.describe("Compactions since then"),
    })
    .nullable()
    .describe("The history of a line of memory; null when it is not in memory"),
});

export const health = z.object({
  ok: z.literal(true),
  version: z.string(),
  store: z.string().describe("The store's location, without passwords"),
  demo: z.boolean(),
  project: z.boolean().describe("Whether there is a NOTES.md to show"),
  streams: count.describe("Open event streams"),
});

export const projectNotes = z.object({
  path: z.string(),
  text: z.string(),
  updatedAt: time.nullable(),
  findings: z.array(
    z.object({
      rule: z.string(),
      line: count.describe("Counted from 1"),
      message: z.string(),
    }),
  ),
});

export const statusSet = z.object({
  revision: count,
  before: sessionStatus.describe("Set this status again to undo the change"),
});

export const changeEvent = z.object({
  sessionId: z.string(),
  from: count.describe("The first revision this event covers"),
  revision: count.describe("The session's revision now"),
  item: sessionItem.nullable().describe("The session as a list has it now; null when it is deleted"),
  entries: z
    .array(z.object({ revision: count, at: time, actor, surface: z.string(), type: z.string() }))
    .describe("The newest entries it covers, at most 50, oldest first"),
  texts: z
    .array(
      z.object({
        name: textName,
        at: count.describe("Offset in UTF-16 units"),
        removed: z.string(),
        inserted: z.string(),
      }),
    )
    .nullable()
    .describe("All changes of memory, in order; null if there were others than of texts"),
});
