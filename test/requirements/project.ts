import { from } from "./requirement.ts";

export const project = from("notes-md-protocol", {
  "project.parser":
    "NOTES.md is read as a real Markdown parser reads it, at a size where that would take seconds.",
  "project.bytes": "An edit changes only its own lines; every other byte of what people wrote stays.",
  "project.texts": "Whatever is logged stays one entry, one row or one point, and is read back.",
  "project.undo": "An edit can be taken back; the example then is what it was, byte for byte.",
  "project.bad-files":
    "A file that is damaged, foreign, huge or in conflict is read as far as possible, reported, and never rewritten destructively.",
  "project.clean":
    "Lint finds nothing in the template, nor after any of our own operations, nor in the protocol's example.",
  "project.decision": "A decision is logged complete, with evidence that stands in the code word for word.",
  "project.debt": "Debt gets ids from TD-001 on, which are never used again.",
  "project.lists": "Goals, blockers and questions are added once, changed in place, and ended.",
  "project.archive": "Decisions beyond the newest move to the archive table and keep what they said.",
  "project.lint": "Lint finds each of a list of planted faults, on its line.",
  "project.fix": "A fix loses nothing, and a copy of the file is kept first.",
  "project.append-only": "Rows of the hand-over log that were committed stay as they are.",
  "project.lint-output": "Lint speaks in lines, JSON and SARIF 2.1.0, and with exit codes.",
  "project.budgets": "Level 1 stays within 100 and 50 tokens, level 2 within 500, whatever the file holds.",
  "project.level-one":
    "Level 1 tells where to go on, what is open, the last three decisions, and which sessions know more.",
  "project.level-two": "Level 2 finds the decisions and sub-goals that match a query, best first.",
  "project.level-three": "Level 3 is the whole file.",
  "project.stale": "What does not hold any more is marked wherever an agent gets it.",
  "project.data": "What stands in the notes reaches the model as data.",
  "project.verify": "References are checked against the working tree; where a quote moved is said.",
  "project.last-verified": "Last Verified is kept for what holds.",
  "project.writers": "Writers in several processes lose nothing.",
  "project.kill": "A writer that is killed leaves the old file or the new one, and no lock.",
  "project.places": "Links and places outside the project are refused.",
  "project.place": "The file is where projects keep it, and for its owner only.",
  "project.moments":
    "Session start, compaction, session end and clearing write what the protocol asks for, and never fail.",
  "project.beads":
    "Debt that can be acted on becomes an issue of Beads when there is one; otherwise that is said.",
  "project.promote": "Findings of a session's notepad can be promoted to NOTES.md.",
  "project.surface": "Tools and commands do the same; the model sees level 1, as the file is now.",
  "project.story":
    "After a reset level 1 recovers the work, and level 2 finds the decision that is asked for.",
});
