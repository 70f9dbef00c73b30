import { hostNames, hosts } from "../hosts/hosts.ts";
import { surfaceChoices } from "../workspace/settings.ts";

/** A command: what it takes, for the parser, the help and the reference. */
export interface Command {
  about: string;
  /** Its arguments, as the usage shows them: `SESSION` is required, `[SESSION]` is not, `…` takes any number. */
  takes: string;
  /** The arguments and subcommands, explained. */
  terms?: readonly (readonly [term: string, about: string])[];
  options: Readonly<Record<string, Option>>;
  examples: readonly (readonly [command: string, about: string])[];
  /** The page of the documentation, in docs/. */
  docs: string;
}

/** An option, as `parseArgs` and the help read it. */
export interface Option {
  type: "string" | "boolean";
  about: string;
  /** The name of its value. */
  value?: string;
  short?: string;
  multiple?: boolean;
  default?: string | boolean | string[];
}

const flag = (about: string) => ({ type: "boolean", default: false, about }) as const;
const text = (value: string, about: string) => ({ type: "string", value, about }) as const;
const texts = (value: string, about: string) => ({ type: "string", value, multiple: true, about }) as const;

const json = flag("print JSON");
const stored = {
  store: text(
    "STORE",
    "a SQLite file, or postgres://… (or $HOLDFAST_DB, default: the project's file in your state folder)",
  ),
  json,
} as const;
const set = texts("NAME=VALUE", 'any setting, as "holdfast config" lists them');
const anId = "an id or the beginning of one";
const whichSession = `${anId} (default: the conversation here, or else the session written to last)`;
const session = ["SESSION", whichSession] as const;
const allHosts = hostNames.join(", ");
const host = ["HOST", `${allHosts} (default: those found here)`] as const;
const withSessionFile = hosts.filter(({ sessionFile }) => sessionFile);
const sessionFileTitles = withSessionFile.map(({ title }) => title).join(" or ");

/** The formats that `store export` writes into the session files of coding agents. */
export const hostFormats: readonly string[] = withSessionFile.map(({ name }) => name);

const changes = {
  user: flag("in your own files, for all your projects (the default of init)"),
  project: flag("in the files of this project, for everyone who uses it"),
  "dry-run": flag("list the changes without making them"),
  diff: flag("show the changes line by line"),
  json,
} as const;

export const commands = {
  init: {
    about: "connect the coding agents found here",
    takes: "[HOST…]",
    terms: [host],
    options: {
      ...changes,
      surfaces: text(
        "A,B",
        "the memory types to offer, written to your own config, or to holdfast.json with --project",
      ),
      portable: flag("--project without paths of this machine, for files that you commit"),
    },
    examples: [["init --dry-run", "list the changes without making them"]],
    docs: "hosts",
  },
  doctor: {
    about: "check that memory reaches each coding agent",
    takes: "[HOST…]",
    terms: [host],
    options: {
      live: flag("also run the real coding agent against a scripted model on this machine"),
      json,
    },
    examples: [["doctor --live", "also run the real coding agents"]],
    docs: "hosts",
  },
  uninstall: {
    about: "undo the changes of init and keep the memory",
    takes: "[HOST…]",
    terms: [host],
    options: changes,
    examples: [["uninstall --dry-run", "list the changes without making them"]],
    docs: "hosts",
  },
  config: {
    about: "show every setting, its value and its source",
    takes: "[schema]",
    terms: [["schema", "print the JSON Schema of holdfast.json"]],
    options: {
      changed: flag("only the settings that are not the default"),
      set: texts("NAME=VALUE", "show the settings as with this value"),
      ...stored,
    },
    examples: [["config --changed", "show the settings that are not the default"]],
    docs: "configuration",
  },
  sessions: {
    about: "list the newest sessions, one per line",
    takes: "",
    options: { all: flag("every session, archived ones too"), ...stored },
    examples: [["sessions --all", "list archived sessions too"]],
    docs: "sessions",
  },
  show: {
    about: "show a session's memory and its last compaction",
    takes: "[SESSION]",
    terms: [session],
    options: {
      revision: text("N", "the memory as of that revision"),
      compaction: text("N", "this compaction, and its handoff as the agent got it"),
      all: flag("every note, not only the newest 50"),
      ...stored,
    },
    examples: [["show --compaction 1", "show the handoff of the first compaction"]],
    docs: "handoff",
  },
  log: {
    about: "show the changes in a session and their authors, newest first",
    takes: "[SESSION]",
    terms: [session],
    options: {
      revision: text("N", "one change in full, line by line"),
      limit: text("N", "the largest number of changes (default: 50)"),
      ...stored,
    },
    examples: [["log --revision 12", "show one change line by line"]],
    docs: "cli",
  },
  search: {
    about: "search the memory and messages of all sessions",
    takes: "QUERY…",
    terms: [["QUERY", "words to look for. Exact matches come first"]],
    options: {
      session: text("SESSION", "search only this session"),
      limit: text("N", "the largest number of matches (default: 20)"),
      ...stored,
    },
    examples: [['search "port 5432"', "find it, also in removed messages"]],
    docs: "cli",
  },
  serve: {
    about: "watch and edit memory in the browser",
    takes: "",
    options: {
      port: text("N", "listen on exactly this port (default: 4747, or the next free port)"),
      host: text("ADDRESS", "listen on this address instead of loopback. It requires a token"),
      token: text(
        "TOKEN",
        "your own token, at least 16 characters (or $HOLDFAST_TOKEN, default: the token of the store)",
      ),
      "token-file": text("FILE", "read the token from this file, so that no other user sees it"),
      "no-open": flag("do not open a browser"),
      set,
      demo: flag("play a scripted agent at work in an empty store (default: a temporary file)"),
      store: stored.store,
    },
    examples: [["serve --demo", "watch a scripted agent at work"]],
    docs: "inspector",
  },
  continue: {
    about: "append an earlier conversation's notes to the current notepad",
    takes: "[SESSION]",
    terms: [["SESSION", `${anId} (default: the last conversation in this project)`]],
    options: { ...stored },
    examples: [["continue", "go on with the last conversation in a new one"]],
    docs: "cli",
  },
  edit: {
    about: "edit memory in your editor, and merge changes by the agent",
    takes: "[SESSION]",
    terms: [session],
    options: {
      space: {
        ...text("SPACE", "notepad (default), or the scratchpad's notes or plan"),
        default: "notepad",
      },
      ...stored,
    },
    examples: [["edit --space plan", "edit the plan in $VISUAL or $EDITOR"]],
    docs: "cli",
  },
  undo: {
    about: "undo the last change to a session, or one change",
    takes: "[SESSION]",
    terms: [session],
    options: {
      revision: text("N", "the change to undo, if no later change conflicts with it"),
      ...stored,
    },
    examples: [["undo --revision 12", "undo one change and keep the later ones"]],
    docs: "cli",
  },
  pin: {
    about: "keep a rule in every prompt, word for word, or list the pins",
    takes: "[TEXT]",
    terms: [["TEXT", 'the rule, for example "never push to main" (default: list the pins)']],
    options: {
      session: text("SESSION", "only in this session (default: in every conversation of the project)"),
      ...stored,
    },
    examples: [['pin "never push to main"', "pin a rule in every conversation of this project"]],
    docs: "pins",
  },
  unpin: {
    about: "remove a pin",
    takes: "ID",
    terms: [["ID", "the pin, such as u3 of the project or p3 of a conversation"]],
    options: { session: text("SESSION", whichSession), ...stored },
    examples: [["unpin u3", "remove the pin that the list calls u3"]],
    docs: "pins",
  },
  project: {
    about: "keep decisions, debt, goals and handoffs in NOTES.md",
    takes: "COMMAND [TEXT…]",
    terms: [
      ["init", "write the template to grimoires/loa/NOTES.md, or to --file"],
      ["recover [QUERY]", "print the notes at a --level"],
      ["log decision TEXT", "needs --rationale, --evidence and three times --scenario"],
      ["log debt TEXT", 'such as "N+1 query in the user list" --severity HIGH'],
      ["log goal TEXT", 'such as "Add login (blocking: OAuth setup)"'],
      ["log blocker TEXT", 'such as "Waiting: credentials (ETA: 2026-01-15)"'],
      ["log question TEXT", "--done --detail ANSWER answers it"],
      ["log identifier PATH", "such as src/auth/jwt.ts:45-67 --detail PURPOSE"],
      ["log context TEXT", "your state and your next step"],
      ["log structure TOPIC", "needs --detail"],
      ["handoff SUMMARY", "where the next session continues"],
      ["archive", "archive old decisions"],
      ["lint", "check the format, and exit with 1 if there are findings"],
      ["verify", "check the references, and exit with 1 if some are stale"],
    ],
    options: {
      root: text("DIRECTORY", "the project (default: the nearest directory upwards with notes or .git)"),
      file: text("PATH", "path of NOTES.md, relative to the root (or $HOLDFAST_NOTES)"),
      level: text("N", "recover: 1 (150 tokens), 2 (matches of QUERY, 500 tokens) or 3 (the whole file)"),
      rationale: text("TEXT", "log decision: why"),
      evidence: texts("TEXT", 'log decision: "PATH:LINE QUOTE". Repeat it for more'),
      scenario: texts("TEXT", "log decision: a scenario that shows it. Repeat it for more"),
      title: text("TEXT", "log decision: a title of its own"),
      severity: text("LEVEL", "log debt: LOW, MEDIUM, HIGH or CRITICAL"),
      actionable: flag("log debt: it can be done now"),
      done: flag("log goal, blocker or question: it is done"),
      detail: text("TEXT", "log: sprint, outcome, answer, purpose or task (- reads stdin)"),
      next: text("TEXT", "handoff: the next step"),
      task: text("TEXT", "handoff: the task"),
      keep: text("N", "archive: keep the N newest decisions (default: 10)"),
      fix: flag("verify: give evidence that moved its new line"),
      "no-write": flag("verify: do not update line numbers"),
      agent: text("NAME", "who writes"),
      session: text("ID", "the session of who writes"),
      json,
    },
    examples: [['project log debt "N+1 query in the user list" --severity HIGH', "record technical debt"]],
    docs: "project",
  },
  rescue: {
    about: "get back work that a compaction removed from a conversation",
    takes: "",
    options: {
      take: text(
        "NUMBER",
        "append the handoff of this conversation to the notepad (default: a terminal asks)",
      ),
      session: text("SESSION", "into this session (default: the conversation here, or else the one rescued)"),
      all: flag("the newest conversations of all projects"),
      ...stored,
    },
    examples: [["rescue --take 1", "append the handoff of the newest conversation to the notepad"]],
    docs: "cli",
  },
  store: {
    about: "export, import or copy sessions, and look after a Postgres store",
    takes: "COMMAND [FROM] [TO]",
    terms: [
      ["export SESSION", "write a session as one JSON document"],
      ["export --all", 'write all sessions with their history, one per line, for "store import" elsewhere'],
      [
        "import FILE",
        `import the sessions of an export, or a ${sessionFileTitles} session file (- for stdin)`,
      ],
      ["migrate FROM TO", "copy all sessions with their history, and compare each. You can repeat it"],
      ["check", "show the engine of a Postgres store, the layout of its tables, and every problem"],
      ["distribute", "distribute the tables of a Postgres store by session, on a Citus cluster"],
    ],
    options: {
      all: flag("export: all sessions"),
      into: text(
        "FILE",
        "export: write to this file instead of stdout. It replaces only an earlier export of its kind",
      ),
      format: {
        ...text(
          "FORMAT",
          `export: json (default), or ${hostFormats.join(" or ")}: append to the ${sessionFileTitles} session file given with --into`,
        ),
        default: "json",
      },
      session: text("ID", "import: the new session's id (default: the one in the file, unless it is taken)"),
      owner: { ...text("OWNER", "migrate: whose sessions to copy (default: local)"), default: "local" },
      ...stored,
    },
    examples: [
      ["store export --all --into sessions.jsonl", "make a copy of everything"],
      ["store import sessions.jsonl", "import the sessions that are not here yet"],
      ["store migrate sqlite:memory.db postgres://db/holdfast", "move to Postgres"],
    ],
    docs: "stores",
  },
  forget: {
    about: "remove a text or sessions permanently, from copies too",
    takes: "[TEXT]",
    terms: [["TEXT", "the text to remove, in upper or lower case"]],
    options: {
      pattern: text("REGEXP", "remove every match"),
      secrets: flag("remove every secret that Holdfast knows by its shape"),
      session: {
        ...texts("ID", "remove this session with its history. Repeat it for more sessions"),
        default: [] as string[],
      },
      backup: {
        ...texts("FILE", "also clean this copy. Holdfast knows the copies that export made"),
        default: [] as string[],
      },
      yes: flag("remove it without asking"),
      ...stored,
    },
    examples: [['forget "s3cr3t"', "list its places, and ask before removing it"]],
    docs: "secrets",
  },
  chat: {
    about: "talk to a model whose memory survives compaction",
    takes: "",
    options: {
      prompt: { ...text("PROMPT", "send one prompt, print the answer and exit"), short: "p" },
      session: text("ID", "continue this session, or start it if it does not exist"),
      model: text(
        "MODEL",
        "ollama:NAME, lmstudio:NAME, anthropic:NAME, openai:NAME, google:NAME (or $HOLDFAST_MODEL)",
      ),
      "base-url": text(
        "URL",
        "any OpenAI-compatible server. MODEL is then just the name (or $HOLDFAST_BASE_URL)",
      ),
      surfaces: text(
        "A,B",
        `memory types to enable (default: those of the config): ${surfaceChoices.join(", ")}`,
      ),
      set,
      ...stored,
      json: flag("print events as JSON lines"),
    },
    examples: [
      ["chat --model ollama:qwen3", "talk to a model on this machine"],
      ["chat --set contextWindow=64000", "use the window of your own model"],
      ['chat --model anthropic:claude-sonnet-4-5 -p "What is in src?"', "ask one question"],
    ],
    docs: "cli",
  },
  mcp: {
    about: "serve memory over MCP on stdio",
    takes: "",
    options: {
      surfaces: text("A,B", "memory types to enable (default: those of the config)"),
      session: text(
        "ID",
        "always use this session (default: the session of the coding agent that starts the server)",
      ),
      set,
      cost: flag("print the token cost of each memory type's tool definitions and exit"),
      store: stored.store,
      json: flag("with --cost: print JSON"),
    },
    examples: [["mcp --cost", "print the tokens that the tool definitions take"]],
    docs: "mcp",
  },
  hook: {
    about: "handle an event of a coding agent (JSON on stdin)",
    takes: "HOST",
    terms: [["HOST", allHosts]],
    options: {},
    examples: [["hook HOST < event.json", "answer one event"]],
    docs: "hooks",
  },
} as const satisfies Record<string, Command>;

export type CommandName = keyof typeof commands;

/** The commands by purpose. Every command is in one group; a test checks it. */
export const groups: Readonly<Record<string, readonly CommandName[]>> = {
  "Connect your coding agents": ["init", "doctor", "uninstall", "config"],
  "See memory": ["serve", "sessions", "show", "log", "search"],
  "Change memory": ["edit", "undo", "pin", "unpin", "project"],
  "Get work back": ["continue", "rescue"],
  "Move or remove memory": ["store", "forget"],
  "Try it": ["chat"],
  "Called by coding agents": ["mcp", "hook"],
};

export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}
