import type { Command } from "../main.ts";

export const projectCommand: Command = {
  usage: "project COMMAND [OPTIONS]",
  summary: "keep decisions, debt, goals and handoffs in NOTES.md",
  options: `

  init                     write the template to grimoires/loa/NOTES.md, or to --file
  recover [QUERY]          --level 1 (150 tokens), 2 (what matches QUERY, 500 tokens), 3 (the whole file)
  log decision TEXT        --rationale TEXT --evidence "PATH:LINE QUOTE"… --scenario TEXT (three times) [--title TEXT]
  log debt TEXT            [--severity LOW|MEDIUM|HIGH|CRITICAL] [--found-by NAME] [--sprint NAME] [--actionable --beads]
  log goal TEXT            [--status open|done] [--blocked-by TEXT] [--depends-on TEXT]
  log blocker TEXT         [--kind waiting|blocked] [--eta DATE] [--resolution TEXT]
  log ref PATH             --purpose TEXT [--lines 45-67]
  log question TEXT        [--answer TEXT]
  log structure TOPIC      --content TEXT (or -: read it from stdin)
  handoff SUMMARY          [--next TEXT] [--task TEXT] [--agent NAME]
  archive                  [--keep N] archive all but the N newest decisions (default: 10)
  promote SESSION [TEXT]   [--as handoff|debt|goal|question|blocker] copy findings from a session's notepad
  lint                     [--fix] [--json | --sarif]; exits with 1 if there are findings
  verify                   [--fix] [--no-write]; exits with 1 if references are stale
  status                   summarize the notes
  undo                     undo the last change

  --root DIRECTORY         the project (default: the nearest directory upwards with notes or .git)
  --file PATH              path of NOTES.md, relative to the root (or $HOLDFAST_NOTES)
  --input JSON|FILE|-      all fields of a log command at once
  --json                   print JSON`,
  load: () => import("./project.ts"),
};
