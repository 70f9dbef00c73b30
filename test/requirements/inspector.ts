import { from } from "./requirement.ts";

export const inspector = from("inspector", {
  "inspector.newcomer":
    "Whoever runs the demo and opens the printed address sees a session being worked on, a compaction, and its receipt.",
  "inspector.survived":
    "A compaction shows each thing that the removed messages held, where it came from, and where it lives now.",
  "inspector.sessions":
    "Sessions are shown as a tree with their live state; they are archived and deleted, and both can be undone.",
  "inspector.search": "One search goes through the notes, notepads, plans and titles of all sessions.",
  "inspector.memory":
    "A session's notepad, plan, references, notes, NOTES.md with lint findings and budgets are shown; stale references are marked.",
  "inspector.merge": "A person edits while the agent writes, and both edits are kept.",
  "inspector.conflict": "Edits of the same lines are shown side by side and never resolved silently.",
  "inspector.context":
    "Each model call is shown by parts; one can see exactly what the model was given, what changed, and what it cost.",
  "inspector.timeline":
    "The journal is shown with diffs and writers; one can go to any revision, see the memory then, and undo.",
  "inspector.tabs": "Two tabs on the same session stay in step.",
  "inspector.gone":
    "When the server is gone the page says so, keeps what was typed, and comes back by itself.",
  "inspector.naughty": "No stored text is ever run as markup or script, or breaks the page.",
  "inspector.accessible": "axe-core finds no serious fault in any view, light or dark, wide or narrow.",
  "inspector.keyboard": "Everything can be reached and done with the keyboard.",
  "inspector.large":
    "1,000 sessions, 100,000 journal entries and a notepad of 32,000 characters are shown a screenful at a time.",
  "inspector.small":
    "The first load is under 150 kB compressed, from this server alone, without inline script or style.",
  "inspector.boundary": "The page takes nothing but types from the program.",
  "inspector.built":
    "From a source checkout `holdfast serve` builds the page when it is missing or older than its sources.",
});
