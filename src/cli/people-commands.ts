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
    usage: "show [SESSION] [--revision N] [--compaction N] [--all]",
    summary: "show a session's notepad, plan, references, tasks, notes and last compaction",
    options: `${session}
  --revision N             the memory as of that revision
  --compaction N           the facts of this compaction, and its handoff as the agent got it
  --all                    every note, not only the newest 50${store}`,
    load: () => import("./commands/show.ts"),
  },
  rescue: {
    usage: "rescue [FILE] [--take NUMBER] [--session SESSION]",
    summary: "show the handoff of a conversation from before its last compaction, and keep it",
    options: `
  FILE                     a transcript (default: the newest conversations of the hosts in this project)
  --take NUMBER            append the handoff of this conversation to the notepad; without it, a terminal asks
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
  undo: {
    usage: "undo [SESSION] [--revision N]",
    summary: "undo the last change to a session, or the change of one revision",
    options: `${session}
  --revision N             the change to undo, if no later change conflicts with it${store}`,
    load: () => import("./commands/undo.ts"),
  },
  pin: {
    usage: "pin [TEXT] [--session SESSION]",
    summary: "keep a rule in every prompt, word for word; without an argument, list the pins",
    options: `
  TEXT                     what the agent must or must not do
  --session SESSION        an id or a unique prefix of one (default: the conversation here, or else the newest)${store}`,
    load: () => import("./commands/pin.ts"),
  },
  unpin: {
    usage: "unpin ID [--session SESSION]",
    summary: "remove a pin",
    options: `
  ID                       the pin: p3
  --session SESSION        an id or a unique prefix of one (default: the conversation here, or else the newest)${store}`,
    load: () => import("./commands/unpin.ts"),
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
    usage: "import FILE|- [--session ID]",
    summary: ({ withSessionFile }) => `import sessions from an export or a ${withSessionFile} session file`,
    options: `
  FILE                     - reads stdin: holdfast export --all | holdfast import - --store URL
  --session ID             the new session's id (default: the one in the file, unless it is taken)${store}`,
    load: () => import("./commands/import.ts"),
  },
  forget: {
    usage: "forget TEXT | --pattern REGEXP | --secrets | --session ID… [--backup FILE]… [--yes]",
    summary: "remove a text or sessions from everything that is stored, copies too",
    options: `
  TEXT                     the text to remove, in upper or lower case
  --pattern REGEXP         remove whatever matches
  --secrets                remove every secret that Holdfast knows by its shape
  --session ID…            remove these sessions for good, with their history
  --backup FILE            a copy elsewhere to clean as well; those that export made are known
  --yes                    remove it without asking${store}`,
    load: () => import("./commands/forget.ts"),
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
  project: {
    usage: "project COMMAND [OPTIONS]",
    summary: "keep decisions, debt, goals and handoffs in NOTES.md",
    options: `

  init                     write the template to grimoires/loa/NOTES.md, or to --file
  recover [QUERY]          --level 1 (150 tokens), 2 (what matches QUERY, 500 tokens), 3 (the whole file)
  log decision TEXT        --rationale TEXT --evidence "PATH:LINE QUOTE"… --scenario TEXT (three times) [--title TEXT]
  log debt TEXT            [--severity LOW|MEDIUM|HIGH|CRITICAL] [--detail SPRINT] [--actionable]
  log goal TEXT            such as "Add login (blocking: OAuth setup)" [--done]
  log blocker TEXT         such as "Waiting: credentials (ETA: 2026-01-15)" [--done --detail OUTCOME]
  log question TEXT        [--done --detail ANSWER]
  log identifier PATH      such as src/auth/jwt.ts:45-67 --detail PURPOSE
  log context TEXT         where you are and what is next [--detail TASK]
  log structure TOPIC      --detail TEXT (or -: read it from stdin)
  handoff SUMMARY          [--next TEXT] [--task TEXT] [--agent NAME]
  archive                  [--keep N] archive all but the N newest decisions (default: 10)
  lint                     [--fix]; exits with 1 if there are findings
  verify                   [--fix] [--no-write]; exits with 1 if references are stale

  --root DIRECTORY         the project (default: the nearest directory upwards with notes or .git)
  --file PATH              path of NOTES.md, relative to the root (or $HOLDFAST_NOTES)
  --input JSON|FILE|-      all fields of a log command at once
  --json                   print JSON`,
    load: () => import("./commands/project.ts"),
  },
};
