import { join } from "node:path";
import { offeredSurfaces } from "./memory-tools.ts";
import type { Piece } from "./piece.ts";
import { ownFile, ownMarker } from "./piece.ts";
import { locationOf, type Places } from "./places.ts";

/** One line of the skill: a tool to call in a situation, and the surface that offers it. */
interface Advice {
  surface: "notepad" | "notes" | "pins" | "project" | "recall" | "scratchpad";
  situation: string;
  action: string;
}

const advice: readonly Advice[] = [
  {
    surface: "notepad",
    situation: "You form a multi-step plan",
    action: "`update_notepad` (append) at once, with the steps",
  },
  {
    surface: "notepad",
    situation: "You discover a key fact: error, config value, cause",
    action: "`update_notepad` (append), with exact names and numbers",
  },
  {
    surface: "notes",
    situation: "A finding that you may need once",
    action: "`add_note` with tags; `search_notes` brings it back",
  },
  {
    surface: "notepad",
    situation: "You identify a file or URL that you will need again",
    action: "`update_notepad` (append) with its path",
  },
  {
    surface: "pins",
    situation: "The user states a rule that holds from now on",
    action: "`pin` it in the user's own words",
  },
  {
    surface: "notepad",
    situation: "You complete a step",
    action: "`update_notepad` (find_replace) its status",
  },
  {
    surface: "notepad",
    situation: "The notepad gets long",
    action: "`write_notepad` with a tighter version",
  },
  {
    surface: "recall",
    situation: "A detail is missing after a compaction",
    action: "`recall` with words from it, before you ask the user or repeat work",
  },
  {
    surface: "project",
    situation: "You begin, or lost the thread",
    action: "`recover_context`",
  },
  {
    surface: "project",
    situation: "You decide something that others have to know",
    action: "`log_decision` with its evidence",
  },
  {
    surface: "project",
    situation: "You stop, or hand over",
    action: "`log_handoff`",
  },
];

const scratchpadAdvice: readonly Advice[] = [
  { surface: "scratchpad", situation: "You form a plan of several steps", action: "`set_plan` at once" },
  {
    surface: "scratchpad",
    situation: "You find a key fact (error, config value, root cause)",
    action: "`append_notes` or `set_notes`",
  },
  { surface: "scratchpad", situation: "You need a file or URL again later", action: "`refs.add`" },
  {
    surface: "scratchpad",
    situation: "You complete a step of the plan",
    action: "`set_plan` with the new status",
  },
  {
    surface: "scratchpad",
    situation: "Notes or plan are getting full",
    action: "`set_notes`, `set_plan`: a tighter summary",
  },
];

/** The place that an agent writes to, by surface. */
const places: Readonly<Record<string, string>> = {
  notepad: "notepad",
  notes: "notes",
  scratchpad: "scratchpad",
  pins: "pins",
  project: "project notes (NOTES.md)",
};

/** The skill that teaches an agent when to write what, with the tools of these surfaces only. */
export function renderSkill(surfaces: readonly string[]): string {
  const offered = (each: Advice) => surfaces.includes(each.surface);
  const kept = surfaces.flatMap((name) => places[name] ?? []);
  const [first, scratchpad] = [advice.filter(offered), scratchpadAdvice.filter(offered)];
  const shown = surfaces.some((name) => name !== "notes")
    ? "You see the current text again after a compaction, `/clear` or a restart."
    : "They survive a compaction, `/clear` and a restart.";
  const restored: Advice[] = surfaces.some((name) => ["notepad", "scratchpad"].includes(name))
    ? [
        {
          surface: "notepad",
          situation: "The conversation was compacted, cleared or resumed",
          action: "read the restored block before you go on",
        },
      ]
    : [];
  const isAlone = first.length === 0;
  return [
    "---",
    "name: holdfast",
    "description: Keep what matters in working memory that survives compaction, /clear, resume and crashes. Use in long tasks, before the context fills up, and after a compaction when details are missing.",
    "---",
    "",
    "# Working memory",
    "",
    `Holdfast keeps your ${listed(kept)} outside the conversation.`,
    shown,
    "If you do not have the tools below, Holdfast is not installed here: go on without it.",
    "",
    "## When to write",
    "",
    ...(isAlone ? [] : [...table([...first, ...restored]), ""]),
    ...(scratchpad.length === 0
      ? []
      : [
          ...(isAlone ? ["With `session_scratchpad`:"] : ["With the scratchpad (`session_scratchpad`):"]),
          "",
          ...table([...scratchpad, ...(isAlone ? restored : [])]),
          "",
        ]),
    "Do not write: whole files, the conversation, speculation, the user's original request, secrets.",
    "",
  ].join("\n");
}

function listed(words: readonly string[]): string {
  const [last = "memory", ...others] = words.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(", ")} and ${last}`;
}

function table(rows: readonly Advice[]): string[] {
  const cells = [["Situation", "Action"], ...rows.map(({ situation, action }) => [situation, action])];
  const widths = [0, 1].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[], fill = " ") =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return [line(head), line(["", ""], "-"), ...body.map((row) => line(row))];
}

/** The skill in a host's folder of skills. Memory works without it. */
export function skillPiece(at: Places, skills: string): Piece {
  const skill = renderSkill(offeredSurfaces(at));
  return ownFile(locationOf(at, join(skills, "holdfast", "SKILL.md")), {
    what: "skill",
    content: `${skill.trimEnd()}\n\n<!-- ${ownMarker} -->\n`,
    missing: "differs",
  });
}
