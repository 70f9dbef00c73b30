import { from } from "./requirement.ts";

export const people = from("commands for people", {
  "merge.one-side": "Edits of one side, or the same on both, are taken unchanged.",
  "merge.disjoint": "Edits of different lines are both kept, with CRLF and a missing final line break.",
  "merge.conflicts": "Two edits of one line, or two additions at one position, are reported with both sides.",
  "merge.nothing-lost": "No line that either side wrote is missing from a merge.",
  "merge.marks": "Conflict markers name the author of each side and are recognised again.",
  "people.show-notes":
    "show prints the newest 50 notes and says how to see the rest; --all prints every note.",
  "people.show": "show prints notepad, plan, references, tasks and notes, formatted for a terminal.",
  "people.harmless":
    "Control characters, escape sequences and invisible or bidi characters are escaped, never sent to a terminal.",
  "people.width": "Lines fit the terminal, with the real column width of CJK and emoji.",
  "people.colours": "Colours are used only on a terminal, and not with NO_COLOR.",
  "people.pick":
    "The default session is that of the agent that runs the command, or else the newest active one; a unique id prefix is enough.",
  "people.json": "--json prints stable shapes.",
  "people.sessions":
    "sessions prints the newest 30, one aligned line each with a title and an age, children under their parents.",
  "people.edit": "edit opens $VISUAL or $EDITOR with its arguments and writes as a person.",
  "people.edit-merge": "What the agent wrote while the editor was open is merged in.",
  "people.edit-conflict":
    "Both versions of a line are kept between conflict markers; none is chosen silently.",
  "people.edit-kept": "Whatever fails, the edited text is kept in a private file, and its name is printed.",
  "people.diff": "log --revision shows one change line by line.",
  "people.undo": "undo reverts a change as a person and shows what it did.",
  "people.receipts":
    "show ends with the facts of the last compaction and whether it was verified; --compaction prints its handoff.",
  "people.search": "search finds lines in the memory of all sessions, best first.",
  "people.forget":
    "forget shows what it would remove, with that already masked, asks at a terminal, and removes nothing without a yes; sessions go all or none.",
  "people.quantities": "Ages and sizes are printed the way people write them.",
  "people.bad-store":
    "A missing, foreign, damaged or read-only store is one clear line that names the next step; nothing is created.",
  "people.help":
    "Help is grouped by purpose, has an example for each command, is the same for `help COMMAND` and `COMMAND --help`, and breaks between words at any width.",
  "people.captures":
    "The output of help, errors and log fits 80 columns; captures at 80 and 120 are compared.",
  "people.sentences":
    "The log says in sentences who changed what in memory, newest first, under headings of days.",
  "people.usage": "Every command has help; an unknown option or command suggests the nearest one.",
  "people.progress": "Anything longer than a second shows a progress bar on stderr, on a terminal only.",
  "people.pipe": "A pipe that closes early ends a command quietly.",
  "people.quiet": "Node's experimental warnings, as for SQLite on Node 22, do not appear on stderr.",
  "people.welcome":
    "holdfast without a command shows the sessions here with window, plan and last compaction, what needs attention, and one next step. It writes nothing.",
  "people.rescue":
    "rescue shows the handoff from before the last compaction of the newest conversations here, without secrets, and appends the one that is chosen to the notepad.",
  "people.continue":
    "continue appends the notes and the open items of an earlier conversation to the notepad of the one here, and prints them.",
  "people.stats": "Home counts the compactions of the last seven days, by day.",
});
