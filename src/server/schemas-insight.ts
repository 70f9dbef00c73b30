import { z } from "zod";
import { actor } from "./schemas.ts";

const count = z.int().min(0);
const time = z.number();

export const windowContent = z.object({
  revision: count,
  lines: z
    .array(
      z.object({
        text: z.string(),
        line: count.describe("In the notepad, counted from 1"),
        alone: z.boolean().describe("The window would hold it without memory: in a summary or a message"),
        kept: z.boolean().describe("The model sees it, with memory"),
      }),
    )
    .describe("What the agent wrote down, without headings and checkboxes; at most 200 lines"),
  total: count,
  alone: count,
  kept: count,
  isKnown: z.boolean().describe("False: the conversation cannot be read, so `alone` says nothing"),
});

const place = z.object({
  kind: z.enum([
    "notepad",
    "plan",
    "scratchpad",
    "reference",
    "note",
    "message",
    "summary",
    "handoff",
    "history",
  ]),
  text: z.string().describe("The line with it"),
  line: count.nullable().describe("Counted from 1"),
  number: count.nullable().describe("The message, the epoch of a handoff, or the revision that removed it"),
  noteId: z.string().nullable(),
  inSight: z.boolean().describe("The model sees it in its next call"),
});

export const whereabouts = z.object({
  query: z.string(),
  places: z.array(place).describe("What the model sees first; at most 20"),
  life: z
    .object({
      text: z.string().describe("The line it is in"),
      since: count
        .nullable()
        .describe("The revision that wrote it; null: before the revisions that are searched"),
      at: time.nullable(),
      actor: actor.nullable(),
      calls: z
        .object({ present: count, checked: count, isAll: z.boolean() })
        .nullable()
        .describe("Model calls since then that contained it; null when no calls are recorded"),
      compactions: count.describe("Compactions that it survived"),
      tokens: z.number().describe("Estimated"),
      money: z.number().nullable().describe("Estimated dollars for the checked calls; null: price unknown"),
    })
    .nullable()
    .describe("The history of a line of memory; null when it is not in memory"),
});

export const attention = z.object({
  items: z.array(
    z.object({
      kind: z.enum(["lost", "budget", "reference", "hook", "delegated"]),
      text: z.string(),
      action: z.object({
        label: z.string(),
        tab: z.enum(["memory", "context", "compaction", "conversation", "timeline"]).nullable(),
        item: count.nullable(),
        command: z.string().nullable().describe("To run in a terminal, when the page cannot do it"),
      }),
    }),
  ),
});

export const stats = z.object({
  since: time,
  sessions: count.describe("Sessions that were written to"),
  writes: z.object({ agent: count, person: count }),
  compactions: count,
  messages: z
    .object({ retrievable: count, lost: count })
    .describe("Messages that the compactions removed: those that can be read back, and those that cannot"),
});
