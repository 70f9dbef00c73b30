import { from } from "./requirement.ts";

export const inspector = from("inspector", {
  "inspector.newcomer":
    "A new user who runs the demo and opens the printed address sees an active session, a compaction and its receipt.",
  "inspector.survived":
    "A compaction shows its warning, its handoff as the agent got it, its summary, the removed messages, and its receipt as facts.",
  "inspector.sessions":
    "The page shows sessions as a tree with their live state, and archives and deletes them with undo.",
  "inspector.search":
    "One search covers the notes, notepads, plans, titles and messages of all sessions, also those in a host's transcript.",
  "inspector.memory":
    "The page shows a session's notepad, plan, references, notes, NOTES.md with lint findings, and budgets, and marks stale references.",
  "inspector.merge": "A person edits while the agent writes, and both edits are kept.",
  "inspector.conflict":
    "Conflicting edits of the same lines are shown side by side and never resolved silently.",
  "inspector.context":
    "The page shows each model call by parts, with its exact prompt, what changed and what it cost.",
  "inspector.timeline":
    "The page shows the journal with diffs and authors, the memory at any revision, and undo.",
  "inspector.tabs": "Two tabs on the same session stay in sync.",
  "inspector.gone":
    "When the server is down, the page says so, keeps unsaved text, and reconnects when it is back.",
  "inspector.naughty": "No stored text ever runs as markup or script, or breaks the page.",
  "inspector.accessible": "axe-core finds no violation in any view, light or dark, wide or narrow.",
  "inspector.keyboard": "Everything is reachable and usable with the keyboard.",
  "inspector.large":
    "1,000 sessions, 100,000 journal entries and a notepad of 32,000 characters are rendered one screenful at a time.",
  "inspector.small":
    "The first load is at most 60 kB compressed, uses only this server, and has no inline script or style.",
  "inspector.live":
    "A compaction is an event on the page: a card with its numbers, the fill gauge, the tab's title; new lines light up.",
  "inspector.with-without":
    "After a compaction the page shows what the window alone still holds of what the agent wrote, and what it holds with memory.",
  "inspector.still-there":
    "A pasted text is answered with where the agent has it, since when, in which calls, and what it cost.",
  "inspector.attention": "What needs a person's attention is listed with its action.",
  "inspector.palette": "One palette goes to sessions, messages, notes, revisions and actions, by links.",
  "inspector.numbers":
    "Numbers on the page are true: parts add up, widths are proportional, the same text counts the same, and what was not reported says so.",
  "inspector.sentences":
    "The timeline shows the entry that it marks, by default the newest change of memory, in a sentence.",
  "inspector.delete-once": "A double click on Delete deletes one session.",
  "inspector.at-work": "Only an agent's writes mark a session as at work.",
  "inspector.places":
    "A search hit, of memory or of a message, opens its place; the arrow keys move through the hits.",
  "inspector.layout":
    "Views start at their top, long texts have an outline and a limit, an empty store shows the first steps, and a plan in the notepad counts as a plan.",
  "inspector.hosts":
    "A coding agent's session has its first ask as title, its host and folder, its context from the host's transcript, and a line of each removed message.",
  "inspector.strip":
    "A strip above the tabs shows the whole session by call; moving along it moves the view.",
  "inspector.boundary": "The page imports only types from src.",
  "inspector.built":
    "In a source checkout `holdfast serve` builds the page when it is missing or older than its sources.",
});
