import type { Command } from "./main.ts";

const session = `
  SESSION                  an id or a unique prefix of one (default: the newest active session)`;

const store = `
  --db PATH, --store URL   where sessions are stored
  --json                   print JSON`;

/** Commands for people to inspect and change memory. */
export const peopleCommands: Record<string, Command> = {
  sessions: {
    usage: "sessions [--all]",
    summary: "list the sessions of a store, children under their parents",
    options: `
  --all                    include archived sessions${store}`,
    load: () => import("./commands/sessions.ts"),
  },
  show: {
    usage: "show [SESSION] [--revision N] [--all]",
    summary: "show a session's notepad, plan, references, tasks and notes",
    options: `${session}
  --revision N             the memory as of that revision
  --all                    every note, not only the newest 50${store}`,
    load: () => import("./commands/show.ts"),
  },
  stats: {
    usage: "stats [--since AGE]",
    summary: "show what memory did lately: compactions, items put back, reads avoided, tokens and money",
    options: `
  --since AGE              12h, 7d (default), 4w, 6mo${store}`,
    load: () => import("./commands/stats.ts"),
  },
  rescue: {
    usage: "rescue [FILE] [--take 1,3|all] [--session SESSION]",
    summary: "show what your conversations knew before their last compaction, and put it into memory",
    options: `
  FILE                     a transcript (default: the newest conversations of the hosts in this project)
  --take NUMBERS           put these items into memory: 1,3 or all; without it, a terminal asks
  --session SESSION        into this session (default: the conversation here, or else the one rescued)
  --all                    the newest conversations of all projects${store}`,
    load: () => import("./commands/rescue.ts"),
  },
  edit: {
    usage: "edit [SESSION] [--space SPACE]",
    summary: "edit memory in your editor; changes the agent makes meanwhile are merged",
    options: `${session}
  --space SPACE            notepad (default), or the scratchpad's notes or plan${store}

Uses $VISUAL or $EDITOR, which may include arguments: EDITOR="code --wait".`,
    load: () => import("./commands/edit.ts"),
  },
  log: {
    usage: "log [SESSION] [--revision N] [--limit N]",
    summary: "show who changed what in a session, newest first, or one change in full",
    options: `${session}
  --revision N             show that entry in full
  --limit N                max entries, newest first (default: 50)${store}`,
    load: () => import("./commands/log.ts"),
  },
  diff: {
    usage: "diff [SESSION] [FROM [TO]]",
    summary: "show what changed between two revisions, or the last change",
    options: `${session}
  FROM, TO                 revisions (default for TO: the newest)${store}`,
    load: () => import("./commands/diff.ts"),
  },
  undo: {
    usage: "undo [SESSION] [--revision N]",
    summary: "undo the last change to a session, or the change of one revision",
    options: `${session}
  --revision N             the change to undo, if no later change conflicts with it${store}`,
    load: () => import("./commands/undo.ts"),
  },
  receipts: {
    usage: "receipts [SESSION] [--compaction N] [--put-back N [--into notepad|note]]",
    summary: "show what compactions kept and what is out of sight, and put something back",
    options: `${session}
  --compaction N           only this compaction (default: all, and what the newest took out of sight)
  --put-back N             write item N of the list into memory
  --into PLACE             notepad (default), which the agent always sees, or note${store}`,
    load: () => import("./commands/receipts.ts"),
  },
  pin: {
    usage: "pin [TEXT | ID] [--tool NAME] [--pattern TEXT] [--session SESSION]",
    summary: "keep a rule in every prompt, word for word; without an argument, list the pins",
    options: `
  TEXT                     what the agent must or must not do
  ID                       a rule that was found in what you said: confirm it
  --tool NAME              refuse calls of this tool: Bash, or mcp__mail__*, or Bash|Write (default: *)
  --pattern TEXT           refuse calls whose input contains this: "git push*main"
  --session SESSION        an id or a unique prefix of one (default: the conversation here, or else the newest)${store}`,
    load: () => import("./commands/pin.ts"),
  },
  unpin: {
    usage: "unpin ID [--session SESSION]",
    summary: "remove a pin and lift its rule, or drop a rule that was found",
    options: `
  ID                       the pin: p3
  --session SESSION        an id or a unique prefix of one (default: the conversation here, or else the newest)${store}`,
    load: () => import("./commands/unpin.ts"),
  },
  archive: {
    usage: "archive SESSION [--reopen]",
    summary: "archive a session, which makes it read-only, or reopen it",
    options: `
  SESSION                  an id or a unique prefix of one
  --reopen                 make it writable again${store}`,
    load: () => import("./commands/archive.ts"),
  },
  search: {
    usage: "search QUERY [--session ID] [--limit N]",
    summary: "search memory and messages of all sessions, best matches first",
    options: `
  QUERY                    words; exact matches come first
  --session ID             search only this session
  --limit N                max matches (default: 20)${store}`,
    load: () => import("./commands/search.ts"),
  },
  export: {
    usage: ({ sessionFormats }) =>
      `export SESSION [--format ${["json", ...sessionFormats].join("|")}] [--into FILE]`,
    summary: ({ withSessionFile }) =>
      `write a session as one JSON document, or back into a ${withSessionFile} session file`,
    options: ({ sessionFormats, withSessionFile }) => `
  SESSION                  an id or a unique prefix of one
  --all                    all sessions with their history, one per line, for "holdfast import -" elsewhere
  --into FILE              write to this file instead of stdout
  --format FORMAT          json (default), or ${sessionFormats.join(" or ")}: append to the ${withSessionFile} session file given with --into${store}`,
    load: () => import("./commands/export.ts"),
  },
  import: {
    usage: "import FILE|- [--session ID] | import --quarantined SESSION [--session ID]",
    summary: ({ withSessionFile }) => `import sessions from an export or a ${withSessionFile} session file`,
    options: `
  FILE                     - reads stdin: holdfast export --all | holdfast import - --store URL
  --session ID             the new session's id (default: the one in the file, unless it is taken)
  --quarantined SESSION    a session of the memory that came with the project and is not used${store}`,
    load: () => import("./commands/import.ts"),
  },
  redact: {
    usage: "redact TEXT | --pattern REGEXP | --secrets [--backup FILE]…",
    summary: "remove a text from everything that is stored",
    options: `
  TEXT                     the text to remove, in upper or lower case
  --pattern REGEXP         remove whatever matches
  --secrets                remove every secret that Holdfast knows by its shape
  --backup FILE            a copy elsewhere to clean as well; those that export made are known
  --db PATH, --store URL   where sessions are stored
  --json                   print JSON`,
    load: () => import("./commands/redact.ts"),
  },
  purge: {
    usage: "purge SESSION… [--backup FILE]…",
    summary: "remove sessions for good, from backups too",
    options: `
  SESSION                  ids of the sessions
  --backup FILE            a copy elsewhere to clean as well; those that export made are known
  --db PATH, --store URL   where sessions are stored
  --json                   print JSON`,
    load: () => import("./commands/purge.ts"),
  },
  trust: {
    usage: "trust [--yes]",
    summary: "show memory that came with the project and is not used, and accept it",
    options: `
  --yes                    use it from now on; without it, only show what it contains
  --json                   print JSON`,
    load: () => import("./commands/trust.ts"),
  },
  gc: {
    usage: "gc [--older-than AGE] [--max-size SIZE] [--keep N] [--keep-everything] [--yes]",
    summary: "show what is kept and why, and remove old sessions for good",
    options: `
  (no rule)                what the config keeps (retention.*), what the store takes and what would go
  --older-than AGE         sessions not written to for this long: 12h, 30d, 2w, 6mo, 1y
  --max-size SIZE          the oldest sessions, until the rest fits in this size: 800kB, 500MB, 2GB
  --keep N                 keep the N newest; on its own, remove all others
  --keep-everything        as if the config kept everything
  --yes                    remove them; without it, only show what would be removed
  --dry-run                only show what would be removed, even with --yes${store}`,
    load: () => import("./commands/gc.ts"),
  },
  store: {
    usage: "store check | distribute | migrate FROM TO",
    summary: "look at a Postgres store, distribute it over Citus, or copy a store into another",
    options: `
  check                    the engine, the layout of the tables, and what is wrong
  distribute               distribute the tables of a Postgres store by session, on a Citus cluster
  migrate FROM TO          copy all sessions with their history; compares each, and continues where it stopped
  --owner OWNER            whose sessions to copy (default: local)${store}`,
    load: () => import("./commands/store.ts"),
  },
  completions: {
    usage: "completions bash|zsh|fish|powershell",
    summary: "print a shell completion script for commands, options and session ids",
    options: `

  bash         source <(holdfast completions bash), in ~/.bashrc
  zsh          source <(holdfast completions zsh), in ~/.zshrc, after compinit
  fish         holdfast completions fish | source, in ~/.config/fish/config.fish
  powershell   holdfast completions powershell | Out-String | Invoke-Expression, in $PROFILE`,
    load: () => import("./commands/completions.ts"),
  },
};
