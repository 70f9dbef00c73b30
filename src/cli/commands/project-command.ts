import type { Command } from "../main.ts";

export const projectCommand: Command = {
  usage: "project init|recover|log|handoff|lint|verify|status|archive|promote|undo",
  summary: "keep decisions, debt, goals and hand-overs in NOTES.md",
  options: `

  init                     write the template to .holdfast/NOTES.md, or where --file says
  recover [QUERY]          --level 1 (150 tokens), 2 (what matches QUERY, 500 tokens), 3 (the whole file)
  log decision TEXT        --rationale TEXT --evidence "PATH:LINE QUOTE"… --scenario TEXT (three times) [--title TEXT]
  log debt TEXT            [--severity LOW|MEDIUM|HIGH|CRITICAL] [--found-by NAME] [--sprint NAME] [--actionable --beads]
  log goal TEXT            [--status open|done] [--blocked-by TEXT] [--depends-on TEXT]
  log blocker TEXT         [--kind waiting|blocked] [--eta DATE] [--resolution TEXT]
  log ref PATH             --purpose TEXT [--lines 45-67]
  log question TEXT        [--answer TEXT]
  handoff SUMMARY          [--next TEXT] [--task TEXT] [--agent NAME]
  archive                  [--keep N] newest decisions stay in the log; 10 unless given
  promote SESSION [TEXT]   [--as handoff|debt|goal|question|blocker] copies findings from a session's notepad
  lint                     [--fix] [--json | --sarif]; exits with 1 when there are findings
  verify                   [--fix] [--no-write]; exits with 1 when references are stale
  status                   the notes at a glance
  undo                     take back the last change

  --root DIRECTORY         the project (default: the nearest one upwards with notes or .git)
  --file PATH              where NOTES.md is, from the root (or $HOLDFAST_NOTES)
  --input JSON|FILE|-      all fields of a log command at once
  --json                   print JSON`,
  load: () => import("./project.ts"),
};
