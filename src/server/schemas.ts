import { z } from "zod";

/** Words that more than one answer is made of. Times are milliseconds since 1970. */
const count = z.int().min(0);
const time = z.number();

export const errorReply = z
  .object({
    error: z.object({
      code: z.string().describe("A word that programs can switch on"),
      message: z.string().describe("What failed, for which value, and what to do next"),
      data: z.record(z.string(), z.unknown()),
    }),
  })
  .describe("Every refusal has this shape");

export const sessionStatus = z.enum(["active", "archived", "deleted"]);

export const actor = z.object({
  kind: z.enum(["agent", "person", "sub-session", "import", "system"]),
  name: z.string().optional(),
});

const sessionItem = z.object({
  id: z.string(),
  agent: z.string(),
  title: z.string().nullable(),
  status: sessionStatus,
  origin: z.enum(["created", "forked", "spawned", "imported"]),
  parent: z.string().nullable().describe("Null as well when the parent is not among the listed statuses"),
  children: count.describe("Sessions directly below this one, of the listed statuses"),
  createdAt: time,
  updatedAt: time,
  revision: count,
  live: z
    .enum(["writing", "quiet"])
    .describe("writing: somebody committed to it in the last fifteen seconds"),
  notes: count,
  tags: count,
  messages: count,
  openTasks: count,
  refs: count,
  epoch: count.describe("The current epoch; one more with each compaction and fold"),
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
    .describe("How the parent's delegated work stands, when this session is that work"),
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
});

export const notePage = z.object({
  notes: z.array(note),
  total: count,
  ranked: z.boolean().describe("True: no note contains the query, and these hold its words, best first"),
  nextOffset: count.nullable(),
});

export const tagPage = z.object({
  tags: z.array(z.object({ tag: z.string(), notes: count })),
  total: count,
  nextOffset: count.nullable(),
});

const searchHit = z.object({
  sessionId: z.string(),
  title: z.string().nullable(),
  status: sessionStatus,
  kind: z.enum(["title", "notepad", "plan", "scratchpad", "reference", "note"]),
  noteId: z.string().nullable(),
  tags: z.array(z.string()),
  excerpt: z.string().describe("The text around the match, in one piece of the original"),
  at: count.describe("Where the first match begins in the excerpt, in UTF-16 units"),
  length: count.describe("How long it is; 0 when its place is not known"),
  score: z.number().describe("2: contains the query; up to 1: how much of its words, in some form"),
  updatedAt: time.describe("Of the session"),
});

export const searchPage = z.object({
  hits: z
    .array(searchHit)
    .describe("The best of these sessions: by score, then by updatedAt, newest first, then by sessionId"),
  total: count.describe("All matches in these sessions"),
  searched: count.describe("Sessions looked through for this page"),
  cursor: z
    .string()
    .nullable()
    .describe(
      "Give it back to go on. A page may be empty and still have one. Null: all sessions were looked through",
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
    .describe("stale: a file of the project that is not there any more. unchecked: no file of the project"),
});

export const openTask = z.object({
  id: z.string(),
  description: z.string(),
  depth: count,
  from: count.describe("The message that opened it"),
});

export const sessionMemory = z.object({
  session: sessionItem,
  revision: count,
  notepad: z.string(),
  notepadUsed: z.boolean().describe("False until somebody wrote to it"),
  scratchpad: z.object({ notes: z.string(), plan: z.string() }),
  refs: z.array(reference),
  tasks: z.array(openTask).describe("Outermost first"),
  clearedResults: z.array(
    z.object({ id: z.string(), message: count, tool: z.string(), summary: z.string() }),
  ),
  tags: z.array(z.object({ tag: z.string(), notes: count })).describe("The hundred most used"),
  budgets: z.array(budget),
  limits: z.object({ noteCharacters: count, noteTags: count, tagCharacters: count, refCharacters: count }),
});

export const textName = z
  .enum(["notepad", "notes", "plan"])
  .describe("The notepad, or one of the scratchpad's two spaces");

export const textEdit = z.object({
  base: z
    .object({ revision: count, text: z.string() })
    .describe("What the person began with; changes made since are merged with"),
  text: z.string().describe("The whole text as the person wants it"),
});

export const textSaved = z.object({
  revision: count,
  text: z.string().describe("The text as it stands now"),
  merged: z.boolean().describe("True when others had changed the text and both edits are in it"),
});

const mergeRegion = z.object({
  kind: z.enum(["agreed", "conflict"]),
  text: z.string().describe("agreed: what the merge gives. conflict: empty"),
  base: z.string(),
  mine: z.string(),
  theirs: z.string(),
});

export const editConflict = errorReply.extend({
  conflict: z.object({
    revision: count.describe("Send this with `theirs` as the base of the next attempt"),
    base: z.string(),
    mine: z.string(),
    theirs: z.string(),
    regions: z.array(mergeRegion).describe("The whole text in order, conflicting stretches apart"),
  }),
});

export const refEdit = z.object({ action: z.enum(["add", "remove"]), ref: z.string().min(1) });

export const newNote = z.object({ content: z.string().min(1), tags: z.array(z.string()).default([]) });

export const noteEdit = z.object({
  base: z
    .object({ content: z.string(), tags: z.array(z.string()) })
    .describe("The note as the person saw it; changes made since are merged with"),
  content: z.string().min(1),
  tags: z.array(z.string()),
});

export const noteSaved = z.object({ revision: count, note, merged: z.boolean() });

export const done = z.object({ revision: count });

export const health = z.object({
  ok: z.literal(true),
  version: z.string(),
  store: z.string().describe("Where memory is kept, without passwords"),
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
  canFix: z.boolean().describe("Whether `holdfast project lint --fix` puts it right"),
});

export const projectNotes = z.object({
  path: z.string(),
  text: z.string(),
  updatedAt: time.nullable(),
  findings: z.array(projectFinding),
});
