import { from } from "./requirement.ts";

export const project = from("notes-md-protocol", {
  "project.parser": "NOTES.md is read with a Markdown parser: code, comments and quotes contain no entries.",
  "project.bytes": "An edit changes only its own lines; every other byte that people wrote stays.",
  "project.texts": "Any logged text stays one entry, one row or one point, and can be read back.",
  "project.bad-files":
    "A damaged, foreign, huge or conflicted file is read as far as possible, reported, and never rewritten destructively.",
  "project.clean":
    "Lint finds nothing in the template, after any of our own operations, or in the protocol's example.",
  "project.decision": "A decision is logged completely, with evidence quoted verbatim from the code.",
  "project.debt": "Debt gets the id after the highest one in the file, and the same debt is logged once.",
  "project.lists": "Goals, blockers and questions are added once, changed in place, and closed.",
  "project.archive": "Decisions beyond the newest move to the archive table and keep their content.",
  "project.lint": "Lint finds each of a list of planted faults, on its line.",
  "project.repeated": "A call that a client sends again changes nothing.",
  "project.append-only": "Committed rows of the hand-over log stay unchanged.",
  "project.lint-output": "Lint reports as lines and JSON, and with exit codes.",
  "project.budgets":
    "Level 1 stays within 150 tokens and takes about the protocol's budgets, level 2 stays within 500.",
  "project.level-one":
    "Level 1 has the active context, identifiers with their purposes, the last three decisions with evidence, and a question.",
  "project.level-two": "Level 2 finds the entries of every section that match a query, best first.",
  "project.level-three": "Level 3 is the whole file.",
  "project.stale": "Stale content is marked wherever an agent gets it.",
  "project.data": "The content of the notes reaches the model as data.",
  "project.verify":
    "References are checked against the working tree, and the new location of a moved quote is reported.",
  "project.last-verified": "Last Verified is updated for what still holds.",
  "project.writers": "Concurrent writers in several processes lose nothing.",
  "project.kill": "A killed writer leaves the old file or the new one, and no lock.",
  "project.places": "Links and paths outside the project are rejected.",
  "project.place": "The file is where projects keep it, and only its owner can read it.",
  "project.lifecycle":
    "Session start, compaction and session end write what the protocol requires, and never fail.",
  "project.beads":
    "Actionable debt becomes a Beads issue when Beads is available; otherwise that is reported.",
  "project.instructive": "A refused call says what is missing or too much, and shows one that works.",
  "project.definitions":
    "Four tools take at most 450 tokens of definitions and reach every operation of the protocol.",
  "project.named": "Found By, Decided By and the log name the agent or its host.",
  "project.stubs":
    "A cleared result that was worked into the notes leaves the finding and where it was logged.",
  "project.attention": "Where results can be cleared, two sentences explain the attention budget.",
  "project.surface": "Tools and commands do the same; the model sees level 1 of the current file.",
  "project.story": "After a reset, level 1 recovers the work, and level 2 finds the requested decision.",
});
