import type { Command } from "./main.ts";

const session = `
  SESSION                  an id or the beginning of one; the newest active session unless given`;

const store = `
  --db PATH, --store URL   where sessions are kept
  --json                   print JSON`;

/** The commands with which people look at memory and change it. */
export const peopleCommands: Record<string, Command> = {
  sessions: {
    usage: "sessions [--all]",
    summary: "list the sessions of a store, children under their parents",
    options: `
  --all                    archived sessions too${store}`,
    load: () => import("./commands/sessions.ts"),
  },
  show: {
    usage: "show [SESSION] [--revision N]",
    summary: "show a session's notepad, plan, references, tasks and notes",
    options: `${session}
  --revision N             the memory as it was right after that revision${store}`,
    load: () => import("./commands/show.ts"),
  },
  edit: {
    usage: "edit [SESSION] [--space SPACE]",
    summary: "edit memory in your editor, merged with what the agent writes meanwhile",
    options: `${session}
  --space SPACE            notepad (unless given), or the scratchpad's notes or plan${store}

The editor is $VISUAL or $EDITOR, with its arguments: EDITOR="code --wait".`,
    load: () => import("./commands/edit.ts"),
  },
  log: {
    usage: "log [SESSION] [--revision N] [--limit N]",
    summary: "show a session's journal, or one entry in full",
    options: `${session}
  --revision N             that entry in full
  --limit N                at most so many entries, newest first; 50 unless given${store}`,
    load: () => import("./commands/log.ts"),
  },
  diff: {
    usage: "diff [SESSION] [FROM [TO]]",
    summary: "show what changed between two revisions, or the last change",
    options: `${session}
  FROM, TO                 revisions; up to the newest one when only FROM is given${store}`,
    load: () => import("./commands/diff.ts"),
  },
  undo: {
    usage: "undo [SESSION] [--revision N]",
    summary: "take back the last change to a session, or that of a revision",
    options: `${session}
  --revision N             the change to take back, if no later one stands in the way${store}`,
    load: () => import("./commands/undo.ts"),
  },
  search: {
    usage: "search QUERY [--session ID] [--limit N]",
    summary: "search the memory of all sessions, the best matches first",
    options: `
  QUERY                    words; what contains them as they are comes first
  --session ID             only this session
  --limit N                at most so many matches; 20 unless given${store}`,
    load: () => import("./commands/search.ts"),
  },
  export: {
    usage: "export SESSION [--format json|pi] [--into FILE]",
    summary: "write a session as one JSON document, or back into a pi session file",
    options: `
  SESSION                  an id or the beginning of one
  --into FILE              write there, not to standard output
  --format FORMAT          json (unless given), or pi: append to the pi session file named with --into
  --salvage                get out of a damaged SQLite file what can be read: SESSION, or all of them${store}`,
    load: () => import("./commands/export.ts"),
  },
  import: {
    usage: "import FILE [--session ID]",
    summary: "make sessions from an export, a salvage or a pi session file",
    options: `
  --session ID             the new session's id; the one in the file unless given or taken${store}`,
    load: () => import("./commands/import.ts"),
  },
  gc: {
    usage: "gc [--older-than AGE] [--max-size SIZE] [--keep N] [--yes]",
    summary: "remove old sessions for good, archived ones first",
    options: `
  --older-than AGE         sessions not written to for so long: 12h, 30d, 2w, 6mo, 1y
  --max-size SIZE          the oldest, until the rest takes no more than this: 800kB, 500MB, 2GB
  --keep N                 never the N newest; alone: all but the N newest
  --yes                    do it; otherwise it is only shown what would go
  --dry-run                only show it, even with --yes${store}`,
    load: () => import("./commands/gc.ts"),
  },
  completions: {
    usage: "completions bash|zsh|fish",
    summary: "print a script that completes commands, options and session ids",
    options: `

  bash:  source <(holdfast completions bash)       in ~/.bashrc
  zsh:   source <(holdfast completions zsh)        in ~/.zshrc, after compinit
  fish:  holdfast completions fish | source        in ~/.config/fish/config.fish`,
    load: () => import("./commands/completions.ts"),
  },
};
