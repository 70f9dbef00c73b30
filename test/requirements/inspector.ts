import { from } from "./requirement.ts";

/*
 * Figures that the page once showed wrong, and the tests that fail if they are wrong again:
 *
 *  1. A coding agent's unchanged prefix of 0 %         inspector.hosts: "the prefix is above 0"
 *  2. No part Memory for a coding agent                inspector.hosts: "Memory is above 0", byte for byte
 *  3. "With and without memory", which was circular    inspector.numbers: no view has such words
 *  4. "Nothing was lost" wherever recall exists        inspector.numbers; inspector.survived: "2 messages lost"
 *  5. Compactions and calls counted differently        inspector.numbers: clock, chart, history and calls
 *  6. A notepad that the model sees only in part       inspector.memory, inspector.attention: the fold line
 *  7. `npm start` on a finished session                inspector.newcomer: the address, "working"
 *  8. Several fills of one window                      inspector.numbers, serve.calls; before a compaction: serve.compactions
 *  9. A missing token as raw JSON                      serve.no-token
 * 10. A price for a scripted model                     inspector.numbers: no view has a price
 * 11. "Working" after the end, or while offline        serve.sessions: the state follows its turn; inspector.gone
 * 12. A compaction that moves the page                 inspector.newcomer: "nothing moves"; inspector.layout
 * 13. No undo on unpin, remove, save, tick             inspector.memory: each edit can be taken back
 * 14. When the next compaction comes                   inspector.numbers: ticks, lines; the warning comes at its tick
 * 15. A coding agent's summary                         inspector.hosts: "Text: Summary"
 * 16. Cut checkboxes, wide bars, no tooltips, low      inspector.memory, inspector.layout, inspector.numbers,
 *     contrast, many requests, a slow first session    inspector.accessible, inspector.newcomer, inspector.large
 */
export const inspector = from("inspector", {
  "inspector.newcomer":
    "A new user who runs `npm start` sees, within a minute and in the running session, an agent that is warned, writes its notepad, is compacted and goes on.",
  "inspector.survived":
    "A compaction opens with its facts in three states, then the handoff and the summary as the model got them, and the removed messages with a search.",
  "inspector.sessions":
    "Home is a table of sessions: what works, what needs the person, window, plan and last compaction; archive and delete have undo.",
  "inspector.search":
    "One search covers the notes, notepads, plans, titles and messages of all sessions, also those in a host's transcript.",
  "inspector.memory":
    "Memory shows pins, notepad with author marks and the line up to which the model sees it, notes, references and project; every edit can be undone.",
  "inspector.merge": "A person edits while the agent writes, and both edits are kept.",
  "inspector.conflict":
    "Conflicting edits of the same lines are shown side by side and never resolved silently.",
  "inspector.context":
    "Window shows each model call by parts with the limit and the named lines of warning and compaction, and the exact prompt of one, piece by piece.",
  "inspector.timeline":
    "History is one list of writes, warnings and compactions, with diffs, authors and undo.",
  "inspector.tabs": "Two tabs on the same session stay in sync.",
  "inspector.gone":
    "When the server is down, the page says so, keeps unsaved text, and reconnects when it is back.",
  "inspector.naughty": "No stored text ever runs as markup or script, or breaks the page.",
  "inspector.accessible": "axe-core finds no violation in any view, light or dark, wide or narrow.",
  "inspector.keyboard": "Everything is reachable and usable with the keyboard.",
  "inspector.large":
    "With 1,000 sessions and 100,000 journal entries the first session is listed in half a second, and each view renders a page.",
  "inspector.small":
    "The first load is at most 60 kB compressed, uses only this server, and has no inline script or style.",
  "inspector.live":
    "A warning and a compaction are announced as they happen, and nothing on the page moves for them.",
  "inspector.still-there":
    "Where is …? answers with in context, retrievable or lost, since when, and in which calls.",
  "inspector.attention": "What needs a person's attention is listed with its action.",
  "inspector.palette": "One palette goes to sessions, messages, notes, revisions and actions, by links.",
  "inspector.numbers":
    "There is one number for one thing: the provider's count where it is known; parts and pieces add up to it.",
  "inspector.delete-once": "A double click on Delete deletes one session.",
  "inspector.places": "A place, of memory or of a message, opens with the text highlighted.",
  "inspector.layout":
    "The header is at most 120 px high and 200 on a phone, the facts of a compaction are in the first 400, views start at their top, and an empty store shows the first steps.",
  "inspector.hosts":
    "A coding agent's session shows what the hooks injected byte for byte, the provider's cache read as its prefix, its summary, and the removed messages.",
  "inspector.clock": "One clock moves all views of a session to the same time.",
  "inspector.pictures": "The docs' pictures of the page are current, in words and styles.",
  "inspector.boundary": "The page imports only types from src.",
  "inspector.built":
    "In a source checkout `holdfast serve` builds the page when it is missing or older than its sources.",
});
