import { z } from "zod";

/** Schemas that several responses share. Times are milliseconds since 1970. */
const count = z.int().min(0);
const time = z.number();

export const errorReply = z
  .object({
    error: z.object({
      code: z.string().describe("A stable code for programs"),
      message: z.string().describe("What failed, for which value, and what to do next"),
      data: z.record(z.string(), z.unknown()),
    }),
  })
  .describe("Every error response has this shape");

export const sessionStatus = z.enum(["active", "archived", "deleted"]);

export const actor = z.object({
  kind: z.enum(["agent", "person", "sub-session", "import", "system"]),
  name: z.string().optional(),
});

const sessionItem = z.object({
  id: z.string(),
  agent: z.string(),
  title: z.string().nullable(),
  name: z.string().describe("What to call it: its title, else its first ask, else its id"),
  host: z.string().nullable().describe("The coding agent whose session it is"),
  project: z.string().nullable().describe("The folder that the coding agent works in"),
  status: sessionStatus,
  origin: z.enum(["created", "forked", "spawned", "imported"]),
  parent: z.string().nullable().describe("Also null when the parent is not among the listed statuses"),
  children: count.describe("Direct children among the listed statuses"),
  createdAt: time,
  updatedAt: time,
  revision: count,
  live: z.enum(["writing", "quiet"]).describe("writing: an agent wrote within the last 15 seconds"),
  notes: count,
  tags: count,
  messages: count,
  openTasks: count,
  refs: count,
  epoch: count.describe("The current epoch; each compaction and fold starts a new one"),
  notepadCharacters: count,
  delegated: z
    .object({
      task: z.string(),
      kind: z.enum(["spawn", "fork"]),
      status: z.enum(["running", "completed", "error", "token_limit", "time_limit", "aborted", "lost"]),
      result: z.string(),
      tokens: z.number(),
    })
    .nullable()
    .describe("The state of the work that the parent delegated to this session, if any"),
});

export const sessionPage = z.object({
  sessions: z.array(sessionItem),
  total: count.describe("Sessions that match, on all pages"),
  nextOffset: count.nullable().describe("Null on the last page"),
});

export const note = z.object({
  id: z.string(),
  content: z.string(),
  tags: z.array(z.string()),
  createdAt: time,
  updatedAt: time,
  updated: count.describe("Revision of the last edit"),
  by: z
    .enum(["person", "sub-session", "import"])
    .optional()
    .describe("Who wrote it, if it was not the agent"),
});

export const notePage = z.object({
  notes: z.array(note),
  total: count,
  ranked: z.boolean().describe("True: no note contains the whole query; these contain its words, best first"),
  nextOffset: count.nullable(),
});

export const tagPage = z.object({
  tags: z.array(z.object({ tag: z.string(), notes: count })),
  total: count,
  nextOffset: count.nullable(),
});

const searchHit = z.object({
  sessionId: z.string(),
  title: z.string().nullable().describe("Of the session; of a coding agent's, what the user asked first"),
  status: sessionStatus,
  kind: z.enum(["title", "notepad", "plan", "scratchpad", "reference", "note", "message"]),
  noteId: z.string().nullable(),
  message: count.nullable().describe("Number of the message"),
  line: count.describe("Counted from 1"),
  tags: z.array(z.string()),
  excerpt: z.string().describe("The text around the match, verbatim"),
  at: count.describe("Offset of the first match in the excerpt, in UTF-16 units"),
  length: count.describe("Length of the match; 0 when its position is unknown"),
  score: z.number().describe("2: contains the whole query; up to 1: the share of its words, in some form"),
  updatedAt: time.describe("Of the session"),
});

export const searchPage = z.object({
  hits: z
    .array(searchHit)
    .describe("The best of these sessions: by score, then by updatedAt, newest first, then by sessionId"),
  total: count.describe("All matches in these sessions"),
  searched: count.describe("Sessions searched for this page"),
  cursor: z
    .string()
    .nullable()
    .describe(
      "Pass as `cursor` for the next page. An empty page may still have one. Null: all sessions are searched",
    ),
});

const budget = z.object({
  name: z.enum(["notepad", "notes", "plan", "refs"]),
  label: z.string(),
  used: count,
  limit: count,
  unit: z.enum(["characters", "references"]),
  atLimit: z.string().describe("What happens when it is full"),
});

const reference = z.object({
  ref: z.string(),
  state: z
    .enum(["present", "stale", "unchecked"])
    .describe("stale: a project file that no longer exists. unchecked: not a project file"),
});

const fill = z
  .object({
    tokens: z.number(),
    limit: z.number(),
    isLimitKnown: z.boolean().describe("False: guessed, because a host's transcript does not contain it"),
    basis: z
      .enum(["provider", "estimate"])
      .describe(
        "provider: its count for the last call. estimate: it reported none, or there was a compaction since",
      ),
    call: count.nullable().describe("The model call it is from; null after a compaction without one"),
  })
  .describe("How full the context window is");

export const openTask = z.object({
  id: z.string(),
  description: z.string(),
  depth: count,
  from: count.describe("The message that opened it"),
});

export const sessionMemory = z.object({
  session: sessionItem,
  revision: count,
  fill: fill.nullable().describe("Null when no model call is known"),
  notepad: z.string(),
  notepadUsed: z.boolean().describe("False until the first write"),
  scratchpad: z.object({ notes: z.string(), plan: z.string() }),
  origins: z
    .object({ notepad: z.string(), notes: z.string(), plan: z.string(), refs: z.string() })
    .describe("Which lines of each text the agent did not write itself; empty if it wrote all"),
  refs: z.array(reference),
  tasks: z.array(openTask).describe("Outermost first"),
  clearedResults: z.array(
    z.object({ id: z.string(), message: count, tool: z.string(), summary: z.string() }),
  ),
  tags: z.array(z.object({ tag: z.string(), notes: count })).describe("The 100 most used"),
  budgets: z.array(budget),
  limits: z.object({ noteCharacters: count, noteTags: count, tagCharacters: count, refCharacters: count }),
});

export const textName = z
  .enum(["notepad", "notes", "plan"])
  .describe("The notepad, or one of the scratchpad's two spaces");

export const textEdit = z.object({
  base: z
    .object({ revision: count, text: z.string() })
    .describe("The text the person started from; changes made since are merged in"),
  text: z.string().describe("The whole text as the person wants it"),
});

export const textSaved = z.object({
  revision: count,
  text: z.string().describe("The current text"),
  merged: z.boolean().describe("True when someone else had changed the text; it contains both edits"),
});

const mergeRegion = z.object({
  kind: z.enum(["agreed", "conflict"]),
  text: z.string().describe("agreed: the merged text. conflict: empty"),
  base: z.string(),
  mine: z.string(),
  theirs: z.string(),
});

export const editConflict = errorReply.extend({
  conflict: z.object({
    revision: count.describe("Send this and `theirs` as the base of the next attempt"),
    base: z.string(),
    mine: z.string(),
    theirs: z.string(),
    by: actor.nullable().describe("Who wrote `theirs`, if it is known"),
    at: time.nullable().describe("When"),
    regions: z
      .array(mergeRegion)
      .describe("The whole text in order, split into merged and conflicting regions"),
  }),
});

export const refEdit = z.object({ action: z.enum(["add", "remove"]), ref: z.string().min(1) });

export const newNote = z.object({ content: z.string().min(1), tags: z.array(z.string()).default([]) });

export const noteEdit = z.object({
  base: z
    .object({ content: z.string(), tags: z.array(z.string()) })
    .describe("The note the person started from; changes made since are merged in"),
  content: z.string().min(1),
  tags: z.array(z.string()),
});

export const noteSaved = z.object({ revision: count, note, merged: z.boolean() });

const pin = z.object({
  id: z.string(),
  text: z.string(),
  by: z.enum(["agent", "person", "system"]),
});

export const pinList = z.object({ revision: count, pins: z.array(pin).describe("Oldest first") });

export const newPin = z.object({ text: z.string().min(1) });

export const done = z.object({ revision: count });

export const pinSaved = done.extend({ pin: z.string().describe("The pin's id") });

export const health = z.object({
  ok: z.literal(true),
  version: z.string(),
  store: z.string().describe("The store's location, without passwords"),
  demo: z.boolean(),
  startedAt: time,
  project: z.boolean().describe("Whether there is a NOTES.md to show"),
  streams: count.describe("Open event streams"),
});

const projectFinding = z.object({
  rule: z.string(),
  severity: z.enum(["error", "warning"]),
  line: count.describe("Counted from 1"),
  message: z.string(),
  canFix: z.boolean().describe("Whether `holdfast project lint --fix` fixes it"),
});

export const projectNotes = z.object({
  path: z.string(),
  text: z.string(),
  updatedAt: time.nullable(),
  findings: z.array(projectFinding),
});
