/** The places where a model meets its memory. */
export const entryPoints = [
  "library",
  "createAgent",
  "MCP",
  "Claude Code hook",
  "chat",
  "pi",
  "OpenClaw",
  "AI SDK",
] as const;

export type EntryPoint = (typeof entryPoints)[number];

/**
 * `by`: true there, and the requirement whose tests prove it. `no`: not true there, and why. `na`: there is nothing
 * there that it could be true of, and why.
 */
export type Cell = { by: string } | { no: string } | { na: string };

/** A sentence of a document, at each entry point. */
export interface SeedRow {
  id: string;
  sentence: string;
  /** Why it differs from the letter, where it does. The page "From the documents" shows it. */
  differs?: string;
  at: Record<EntryPoint, Cell>;
}

export type DocumentName =
  | "session-notepad"
  | "scratchpad-notes-adr"
  | "session-scratchpad-spaces"
  | "session-scratchpad-extension"
  | "notes-md-protocol";

const by = (requirement: string): Cell => ({ by: requirement });
const no = (reason: string): Cell => ({ no: reason });
const na = (reason: string): Cell => ({ na: reason });

const noTools = na("A hook has no tools. The agent calls those of the MCP server, in the same session.");
const noConversation = na("The library keeps no conversation.");
const callsOnly = na("An MCP server sees calls, not the conversation.");
const hostKeeps = na("The host keeps the conversation.");
const noGuidance = na("A hook adds no guidance. The instructions of the MCP server have it.");
const noChildren = na("Child sessions need the agent loop of Holdfast.");
const noSandbox = na("The tools of a plugin are fixed before a program could be written.");

/** Proven at every entry point by one requirement, with what is different at some. */
function everywhere(requirement: string, other: Partial<Record<EntryPoint, Cell>> = {}): SeedRow["at"] {
  const all = Object.fromEntries(entryPoints.map((name) => [name, by(requirement)])) as SeedRow["at"];
  return { ...all, ...other };
}

/** A sentence about a tool: a call of the battery. */
const calls = everywhere("seeds.battery", { "Claude Code hook": noTools });
/** A sentence about the texts of one document alone. */
const texts = everywhere("seeds.alone");
const guidance = everywhere("seeds.alone", { "Claude Code hook": noGuidance });

/** Warning and compaction: three loops of our own, and the hosts through their drivers. */
function compaction(own: string, other: Partial<Record<EntryPoint, Cell>> = {}): SeedRow["at"] {
  return everywhere("compaction.drivers", {
    library: noConversation,
    MCP: callsOnly,
    createAgent: by(own),
    chat: by("seeds.compaction"),
    "AI SDK": by("aisdk.compaction"),
    ...other,
  });
}

function row(id: string, sentence: string, at: SeedRow["at"], differs?: string): SeedRow {
  return { id, sentence, at, ...(differs === undefined ? {} : { differs }) };
}

const only = (cells: Partial<Record<EntryPoint, Cell>>, rest: Cell): SeedRow["at"] => ({
  ...(Object.fromEntries(entryPoints.map((name) => [name, rest])) as SeedRow["at"]),
  ...cells,
});

const ownLoops = (requirement: string, rest: Cell) =>
  only({ createAgent: by(requirement), chat: by(requirement), "AI SDK": by(requirement) }, rest);

const notepad: SeedRow[] = [
  row(
    "N01",
    "The notepad is one text column on agent_sessions, NULL until it is used.",
    everywhere("stores.notepad-column"),
  ),
  row("N02", 'read_notepad takes no parameters and returns { content }, "" if nothing was written.', calls),
  row("N03", 'write_notepad replaces everything, and "" clears it.', calls),
  row("N04", "update_notepad has four operations, with the document's parameters and descriptions.", calls),
  row(
    "N05",
    "update_notepad returns { ok: true }.",
    calls,
    "`update_notepad` adds the number of replaced or other matches, so that the agent need not read the notepad to see them.",
  ),
  row("N06", "find_replace is an exact substring, the first one unless replace_all is set.", calls),
  row(
    "N07",
    "append adds text at the end, prepend at the beginning, delete removes a text.",
    calls,
    "`append` and `prepend` add a line break where there is none, because agents append lines.",
  ),
  row(
    "N08",
    "The notepad survives compaction, outside the conversation history.",
    compaction("controller.epoch", { MCP: by("seeds.session") }),
  ),
  row(
    "N09",
    "The notepad is in the dynamic system prompt in every turn.",
    everywhere("seeds.alone", {
      MCP: na("An MCP server has no system prompt. The instructions name the tool that reads."),
      "Claude Code hook": no(
        "Claude Code lets a hook add to a conversation, not to the system prompt, so the notepad stands where it changed.",
      ),
    }),
    'This needs `placement: "system"`. The default shows the notepad once and then each change, because a system prompt that changes is billed in full again.',
  ),
  row(
    "N10",
    "Its section comes after skills and tool summaries.",
    only(
      { library: by("knowledge.order"), createAgent: by("knowledge.order"), chat: by("knowledge.order") },
      na("The surface `knowledge` is chosen separately, and the host orders the rest of its prompt."),
    ),
  ),
  row(
    "N11",
    'The section is "## Session Notepad" and the content.',
    everywhere("seeds.alone", { MCP: by("mcp.prompts") }),
    "In pi, OpenClaw and hooks the line `[End of notepad]` follows, because the host's own text may come next. A line of the content that could pass for a marker gets a backslash.",
  ),
  row(
    "N12",
    "The empty state has the document's hint.",
    everywhere("seeds.alone", {
      MCP: na("An MCP server shows no block. An empty notepad is read as an empty text."),
    }),
  ),
  row(
    "N13",
    "Once something is written, the hint disappears.",
    everywhere("seeds.alone", { MCP: na("An MCP server shows no block.") }),
  ),
  row(
    "N14",
    "After a compaction the notepad is in the context in full.",
    compaction("controller.epoch", {
      "Claude Code hook": by("hooks.size"),
      pi: by("plugins.pi-compaction"),
      OpenClaw: by("plugins.openclaw-compaction"),
    }),
    "Claude Code takes at most 10,000 characters from a hook, so a longer notepad is cut there, with the tool that reads the rest. Our own loops cut a notepad above 40 % of the window.",
  ),
  row(
    "N15",
    "The notepad is freeform: no format is imposed.",
    calls,
    "A notepad has at most 32,000 characters, and secrets in it are replaced by default. Both are settings.",
  ),
  row(
    "N16",
    "Before a call of the model, token usage is checked against the threshold.",
    compaction("controller.next-step", {
      "Claude Code hook": by("hooks.warning"),
      pi: by("plugins.pi-warning"),
    }),
    "A host calls the model itself, so hooks and plugins take the usage from its transcript or its events.",
  ),
  row(
    "N17",
    "The warning has the document's four lines.",
    compaction("controller.warning", {
      "Claude Code hook": by("hooks.warning"),
      pi: by("plugins.pi-warning"),
    }),
    "Without a notepad, the warning names the agent's other memory in its place.",
  ),
  row(
    "N18",
    "The warning is injected instead of proceeding normally.",
    compaction("controller.warning", {
      "Claude Code hook": by("hooks.warning"),
      pi: by("plugins.pi-warning"),
    }),
    "In a host the warning comes with a tool's result or with the next prompt, because a hook cannot add a turn.",
  ),
  row(
    "N19",
    "The agent answers, and the conversation is compacted afterwards.",
    compaction("controller.warning-used"),
  ),
  row(
    "N20",
    "The new context has the summary, the full notepad and the system prompt.",
    compaction("handoff.off"),
    "A handoff and one line of facts come with them, and with `handoff: false` they do not. The newest messages stay, and so does the message that the agent is answering. Where the answer to the warning is the last of them, `[System] Go on with what was asked.` follows, because a prompt may not end with the agent's words. A host adds its own texts.",
  ),
  row(
    "N21",
    "There is one extra turn before each compaction.",
    compaction("controller.warning", {
      "Claude Code hook": by("hooks.warning"),
      pi: by("plugins.pi-warning"),
    }),
  ),
  row("N22", "The system prompt has the document's instruction.", guidance),
  row(
    "N23",
    "A spawned session has an empty notepad, or a copy with copy_notepad.",
    only(
      { createAgent: by("controller.spawn"), chat: by("controller.spawn"), library: by("sessions.spawn") },
      noChildren,
    ),
  ),
  row(
    "N24",
    "A forked session has a copy of the notepad and of the whole conversation.",
    only(
      {
        createAgent: by("controller.fork"),
        chat: by("controller.fork"),
        library: by("sessions.fork"),
        "Claude Code hook": by("hooks.fork"),
        pi: by("plugins.pi-fork"),
      },
      noChildren,
    ),
  ),
  row(
    "N25",
    "After that the two notepads are independent.",
    only(
      { createAgent: by("controller.fork"), chat: by("controller.fork"), library: by("sessions.fork") },
      noChildren,
    ),
  ),
  row(
    "N26",
    "report_result sends a clean summary to the parent, without the notepad.",
    only({ createAgent: by("controller.spawn"), chat: by("controller.spawn") }, noChildren),
  ),
  row(
    "N27",
    "begin_task and end_task collapse the calls between them to a summary.",
    only(
      {
        createAgent: by("controller.tasks"),
        chat: by("controller.tasks"),
        "AI SDK": by("aisdk.tasks"),
        library: by("config.tasks"),
        MCP: by("config.tasks"),
        "Claude Code hook": by("config.task-collapse"),
      },
      hostKeeps,
    ),
    "Where the host keeps the conversation, the outcomes are kept and shown, and the calls collapse at the next compaction.",
  ),
  row(
    "N28",
    "session.notepad.read, write and append work in run_sandbox_code.",
    only(
      {
        library: by("sandbox.api"),
        createAgent: by("sandbox.controller"),
        chat: by("chat.surfaces"),
        MCP: by("sandbox.mcp"),
        "AI SDK": by("config.authored"),
        "Claude Code hook": noTools,
      },
      noSandbox,
    ),
    "The surface `sandbox` is off by default, because it runs programs.",
  ),
  row(
    "N29",
    "They work in tools that the agent has made.",
    only(
      {
        library: by("sandbox.tools"),
        createAgent: by("sandbox.controller"),
        chat: by("chat.surfaces"),
        MCP: by("sandbox.mcp"),
        "AI SDK": by("config.authored"),
        "Claude Code hook": noTools,
      },
      noSandbox,
    ),
    "The surface `sandbox` is off by default, because it runs programs.",
  ),
  row(
    "N30",
    "The notepad belongs to a session and is not global.",
    everywhere("seeds.session", { MCP: by("mcp.own-session") }),
  ),
  row(
    "N31",
    "The agent decides what to write: the system never writes to the notepad.",
    compaction("controller.story", { library: by("journal.history"), MCP: by("journal.history") }),
  ),
  row(
    "N32",
    "The system extracts and summarizes nothing on the agent's behalf.",
    only({ library: by("seeds.alone"), MCP: by("seeds.alone") }, by("handoff.off")),
    "By default a handoff repeats the user's messages and the steps after a compaction. `handoff: false` turns it off everywhere.",
  ),
  row(
    "N33",
    "System prompt, skills and state are global layers, and a notepad can become a skill.",
    only(
      {
        library: by("knowledge.skills-saved"),
        createAgent: by("knowledge.order"),
        MCP: by("config.true-texts"),
        chat: by("knowledge.skills-saved"),
        "AI SDK": by("knowledge.skills-saved"),
        OpenClaw: by("plugins.openclaw-tools"),
        "Claude Code hook": noTools,
        pi: by("config.true-texts"),
      },
      noTools,
    ),
    "The surface `knowledge` is off by default, so that the notepad alone stays alone.",
  ),
  row(
    "N34",
    "The notepad is archived with its session.",
    everywhere("knowledge.layer-notepad", { OpenClaw: by("plugins.openclaw-reset") }),
  ),
];

const notes: SeedRow[] = [
  row(
    "F01",
    "There are seven tools, with these names.",
    everywhere("seeds.alone", { "Claude Code hook": noTools }),
  ),
  row("F02", "add_note takes content, which is required, and tags.", calls),
  row("F03", "It returns the id, a message and metadata: note_id, total_notes, total_tags.", calls),
  row(
    "F04",
    "search_notes takes query and tags.",
    calls,
    "`search_notes` and `list_notes` also take `limit` and `offset`, so that long lists can be read in pages.",
  ),
  row("F05", "The search is a substring in any case.", calls),
  row("F06", "A note must have all of the given tags, in any case.", calls),
  row("F07", "Results are sorted by the position of the match, then by recency.", calls),
  row("F08", "The metadata of a search has result_count, query and tags.", calls),
  row(
    "F09",
    "The search matches substrings and is not a full-text search.",
    calls,
    "If no note contains the text, notes that share its words are listed apart, under `similar`, and not counted.",
  ),
  row("F10", "list_notes takes a tag, lists by recency and returns note_count and tag_filter.", calls),
  row(
    "F11",
    "list_notes returns all notes.",
    everywhere("notes.cut", { "Claude Code hook": noTools }),
    "A list above 4,000 tokens is cut, and the message names the call that continues it. `limits.resultTokens` changes that.",
  ),
  row("F12", "update_note replaces what is given and returns a message, the note and metadata.", calls),
  row("F13", "delete_note removes a note by its id.", calls),
  row("F14", "scratch_note adds a note without tags.", calls),
  row("F15", "list_tags returns the tags as they are spelled, with their number of notes.", calls),
  row("F16", 'An id is "note_" and the Unix milliseconds, unique and sortable.', calls),
  row(
    "F17",
    "4,000 characters and 10 tags are the limits, and they are configurable.",
    everywhere("seeds.battery", { "Claude Code hook": noTools }),
  ),
  row("F18", "Content over the limit is refused in the document's words.", calls),
  row("F19", "Too many tags are refused in the document's words.", calls),
  row("F20", "The guidance is the document's <scratchpad_system>.", guidance),
  row("F21", "The guidance is there only if the tools are.", guidance),
  row(
    "F22",
    "Notes cost no tokens of the prompt.",
    everywhere("seeds.alone", {
      "Claude Code hook": no(
        "A hook names the number of notes in one line, because after a compaction the agent does not know that it has any.",
      ),
    }),
  ),
  row(
    "F23",
    "All operations are in the conversation.",
    only(
      {
        createAgent: by("seeds.battery"),
        chat: by("seeds.battery"),
        "AI SDK": by("seeds.battery"),
        pi: by("seeds.battery"),
      },
      hostKeeps,
    ),
  ),
  row(
    "F24",
    "There are only tools: the notes' manager is not exposed.",
    everywhere("seeds.alone", {
      library: no("Programs, tests and the inspector read notes too, so the library has `session.notes`."),
      "Claude Code hook": noTools,
    }),
  ),
  row(
    "F25",
    "Notes are in memory only and gone at a restart.",
    everywhere("seeds.session", {
      "Claude Code hook": no(
        "Each hook is a process of its own, so a store in memory would be gone with it.",
      ),
    }),
    "Notes are kept by default, as the other documents ask. The store `memory:` (`HOLDFAST_DB`, `--store` or `openMemory`) gives the document's behavior.",
  ),
  row("F26", "Sessions do not share notes.", everywhere("seeds.session", { MCP: by("mcp.own-session") })),
  row(
    "F27",
    "An agent can have exactly these seven tools.",
    everywhere("seeds.alone", {
      "Claude Code hook": noTools,
      chat: no("`holdfast chat` has two tools to read the working directory."),
    }),
  ),
  row("F28", "A note has the times of its creation and its last change.", calls),
];

const spaces: SeedRow[] = [
  row(
    "S01",
    "There are three spaces: notes with 4,000 characters, plan with 2,000, refs with 50 items.",
    calls,
  ),
  row(
    "S02",
    "All spaces that are not empty are prepended to every message.",
    everywhere("seeds.alone", {
      MCP: na("An MCP server sees no message. A call without arguments returns the spaces."),
    }),
    'This needs `placement: "message"` or `"system"`. The default shows the scratchpad in each turn in which it changed.',
  ),
  row(
    "S03",
    "The tool is called session.scratchpad.",
    everywhere("seeds.battery", { library: by("scratchpad.name"), "Claude Code hook": noTools }),
    "Providers refuse dots in tool names, so `session.scratchpad` is `session_scratchpad` for models. Both names work.",
  ),
  row("S04", "set_notes replaces the notes.", calls),
  row("S05", "append_notes is rejected above 4,000 characters, and the notes stay unchanged.", calls),
  row("S06", "set_plan replaces the plan.", calls),
  row(
    "S07",
    "refs.add takes a ref that is not empty and drops the oldest at 50.",
    calls,
    "All spaces together have at most 2,000 tokens (`maxTokens`). In scripts with many tokens per character this limit comes first.",
  ),
  row("S08", "refs.remove removes an exact match, and a missing one is an error.", calls),
  row(
    "S09",
    "refs.set replaces all, keeps the first 50 and drops what is not a string.",
    calls,
    "`maxTokens` comes first, as in S07, and a warning names it. If nothing would be left, the call is refused.",
  ),
  row(
    "S10",
    "set_notes truncates to 4,000 characters and warns.",
    calls,
    "The warning also names the revision of the journal that has the full text.",
  ),
  row(
    "S11",
    "set_plan truncates to 2,000 characters and warns.",
    calls,
    "The warning also names the revision of the journal that has the full text. `maxTokens` comes first, as in S07 and S09.",
  ),
  row("S12", "The table of when to write is known to the agent.", everywhere("config.when-to-write")),
  row("S13", "The list of what not to write is known to the agent.", everywhere("config.when-to-write")),
  row(
    "S14",
    "Each space is persisted to the session JSONL under its own key.",
    only(
      {
        pi: by("plugins.pi-branch"),
        OpenClaw: by("plugins.scratchpad"),
        library: by("sessions.pi-export"),
      },
      na("There is no session JSONL: the store has the spaces."),
    ),
  ),
  row(
    "S15",
    "The old key is loaded into notes.",
    only(
      {
        pi: by("sessions.pi-import"),
        OpenClaw: by("plugins.scratchpad"),
        library: by("sessions.pi-import"),
      },
      na("There is no session JSONL."),
    ),
  ),
  row(
    "S16",
    "The prepended content is not saved to the message history.",
    only(
      {
        createAgent: by("controller.placement-transient"),
        chat: by("controller.placement-transient"),
        "AI SDK": by("aisdk.untouched"),
        pi: by("plugins.pi-placement"),
        OpenClaw: by("plugins.openclaw-prompt"),
        "Claude Code hook": no("Claude Code saves what a hook adds to a prompt in its transcript."),
        library: noConversation,
        MCP: callsOnly,
      },
      hostKeeps,
    ),
  ),
  row(
    "S17",
    "The scratchpad survives compaction.",
    compaction("controller.epoch", { MCP: by("seeds.session") }),
  ),
  row("S18", "The scratchpad survives restarts.", everywhere("seeds.session")),
  row("S19", "All triggers are off by default.", nudge()),
  row("S20", "nudgeAfterTurns: a nudge while the scratchpad is empty after N turns.", nudge()),
  row("S21", "nudgeOnPlanDetected: a nudge when the answer has a plan and the scratchpad is empty.", nudge()),
  row("S22", "nudgeAfterCompaction: a nudge after a compaction.", nudge()),
  row("S23", "nudgeTurnsSinceLastUse: a nudge when nothing was written for N turns.", nudge()),
  row("S24", "A nudge is a [Hint: …] before the next user message, and transient.", nudge()),
  row(
    "S25",
    "A nudge comes whenever its condition holds.",
    nudge(by("controller.nudges-cooldown")),
    "The same nudge rests for five turns, because a hint in every turn is soon ignored.",
  ),
  row(
    "S26",
    "The condition is that the scratchpad is empty.",
    nudge(),
    "The condition is that all of the agent's memory is empty, so an agent that uses its notepad is left alone. With the scratchpad alone it is the document's.",
  ),
  row(
    "S27",
    "The config keys are scratchpad.nudge….",
    everywhere("config.acts", {
      library: noConversation,
      MCP: callsOnly,
      createAgent: by("controller.nudges"),
      "AI SDK": by("controller.nudges"),
    }),
  ),
  row(
    "S28",
    "The state of the triggers resets at a restart, and the content stays.",
    only(
      {
        createAgent: by("controller.nudges"),
        chat: by("controller.nudges"),
        pi: by("config.plugin-nudges"),
        OpenClaw: by("config.plugin-nudges"),
        "AI SDK": by("controller.nudges"),
        library: noConversation,
        MCP: callsOnly,
        "Claude Code hook": no("Each hook is a process of its own, so the store counts the turns."),
      },
      hostKeeps,
    ),
  ),
  row(
    "S29",
    "Refs have no other limits.",
    calls,
    "A ref has at most 2,000 characters, and a ref that is added again becomes the newest.",
  ),
  row("S30", "Notes never have more than 4,000 characters, whichever call writes them.", calls),
  row(
    "S31",
    "The call is session.scratchpad({ action, … }).",
    everywhere("seeds.battery", {
      library: no(
        "In TypeScript `session.scratchpad` has a typed method for each action, for example `setPlan()`.",
      ),
      "Claude Code hook": noTools,
    }),
  ),
];

function nudge(own: Cell = by("seeds.nudges")): SeedRow["at"] {
  return everywhere("seeds.nudges", {
    library: noConversation,
    MCP: callsOnly,
    createAgent: own,
    "AI SDK": own,
  });
}

const extension: SeedRow[] = [
  row(
    "X01",
    "The parameters are content and mode, replace or append, with replace as the default.",
    calls,
    "The tool also takes the `action`, `ref` and `items` of the newer document, so no parameter is required.",
  ),
  row(
    "X02",
    "The tool has the document's description.",
    everywhere("seeds.alone", { "Claude Code hook": noTools }),
    'Where the scratchpad is not "prepended to each message", its description names the way in which it is shown.',
  ),
  row("X03", 'The answer is "Scratchpad updated (N tokens / 2000 budget)".', calls),
  row("X04", "The mode append adds to the content.", calls),
  row(
    "X05",
    "A replace above the budget is truncated, with the document's warning.",
    calls,
    "The warning also names the revision of the journal that has the full text.",
  ),
  row("X06", "An append above the budget is rejected in the document's words.", calls),
  row("X07", "Tokens are counted with a tokenizer or an estimate.", calls),
  row("X08", "maxTokens caps the size of the scratchpad.", calls),
  row(
    "X09",
    "The block stands between its header and [End Scratchpad].",
    texts,
    "Of the document's two headers the block has the short one, `[Session Scratchpad]`.",
  ),
  row(
    "X10",
    "The order is steer, scratchpad, user message.",
    only(
      {
        createAgent: by("config.steer"),
        "AI SDK": by("aisdk.message"),
        chat: na("A chat has no steer text."),
        library: na("Your loop places the block."),
      },
      hostKeeps,
    ),
  ),
  row(
    "X11",
    "The scratchpad is prepended to each user message.",
    everywhere("seeds.alone", { MCP: na("An MCP server sees no message.") }),
    'This needs `placement: "message"` or `"system"`. The default shows the scratchpad in each turn in which it changed.',
  ),
  row(
    "X12",
    "Each write appends an entry to the session JSONL.",
    only(
      { pi: by("plugins.pi-branch"), OpenClaw: by("plugins.scratchpad") },
      na("There is no session JSONL: the store has each write."),
    ),
  ),
  row(
    "X13",
    "On resume, the last entry initializes the scratchpad.",
    everywhere("seeds.session", { pi: by("config.plugin-nudges"), OpenClaw: by("plugins.scratchpad") }),
  ),
  row(
    "X14",
    "The config is agents.defaults.claudeSdk.scratchpad, with enabled and maxTokens.",
    everywhere("config.names", { OpenClaw: by("plugins.scratchpad") }),
    "`holdfast.json` also takes the shorter `scratchpad.enabled` and `scratchpad.maxTokens`.",
  ),
  row(
    "X15",
    "With enabled: false there is no tool, no block and no guidance.",
    everywhere("config.scratchpad-off", { library: by("scratchpad.disabled") }),
  ),
  row(
    "X16",
    "By default it is on, with 2,000 tokens.",
    everywhere("seeds.battery", {
      "Claude Code hook": noTools,
    }),
    "It is on by default in pi and OpenClaw, where the document is from. Elsewhere `surfaces` names it, and the notepad is the default.",
  ),
  row(
    "X17",
    "The system prompt has the document's section.",
    guidance,
    "Three lines on the spaces of the newer document are added, and the last line names the notes.",
  ),
  row(
    "X18",
    "The section is added through before_session_create.",
    only(
      {
        OpenClaw: no("OpenClaw's plugin API has `before_prompt_build`, which adds to the system prompt."),
      },
      na("The hook is OpenClaw's."),
    ),
  ),
  row(
    "X19",
    "getScratchpadContent and setScratchpadContent are exported.",
    only(
      {
        library: no("The session has them: `session.scratchpad.read()`, `setNotes()` and the other actions."),
      },
      na("They are functions for a program."),
    ),
  ),
  row(
    "X20",
    "The block is not part of the persisted user message.",
    only(
      {
        createAgent: by("controller.placement-transient"),
        chat: by("controller.placement-transient"),
        "AI SDK": by("aisdk.untouched"),
        pi: by("plugins.pi-placement"),
        OpenClaw: by("plugins.openclaw-prompt"),
        "Claude Code hook": no("Claude Code saves what a hook adds to a prompt in its transcript."),
        library: noConversation,
        MCP: callsOnly,
      },
      hostKeeps,
    ),
  ),
  row(
    "X21",
    "Nothing is extracted from the conversation.",
    only({ library: by("seeds.alone"), MCP: by("seeds.alone") }, by("handoff.off")),
    "By default a handoff repeats the user's messages and the steps after a compaction. `handoff: false` turns it off everywhere.",
  ),
  row(
    "X22",
    "No tool introspects or searches the session.",
    everywhere("seeds.alone", { "Claude Code hook": noTools }),
    'By default `recall` is offered. With `surfaces: ["scratchpad"]` it is not.',
  ),
];

const onlyOwnLoops = na("Only a loop that keeps its conversation can clear results in it.");

const project: SeedRow[] = [
  row("L01", "The file is grimoires/loa/NOTES.md.", everywhere("config.grimoires")),
  row("L02", "The file has the document's structure.", everywhere("project.clean")),
  row(
    "L03",
    "After /clear, Session Continuity is loaded first.",
    only(
      {
        createAgent: by("config.level-one"),
        chat: by("config.level-one"),
        "Claude Code hook": by("config.level-one"),
      },
      na("There is no /clear, or the plugin shows the whole memory in each turn."),
    ),
    "The user's pins come before it.",
  ),
  row(
    "L04",
    "Level 1 has about 100 tokens.",
    everywhere("project.budgets"),
    "Level 1 takes at most 150 tokens, its two markers included. Below are up to three blockers that may have resolved.",
  ),
  row(
    "L05",
    "Level 1 has the context, identifiers, the last three decisions with evidence, and questions.",
    everywhere("project.level-one"),
    "The budget holds the newest question and its count. Each decision has the location of its evidence, and the newest also the quote if there is room.",
  ),
  row(
    "L06",
    "Level 2 has about 500 tokens, found with ck --hybrid.",
    everywhere("seeds.battery", { "Claude Code hook": noTools }),
    "The search is our own, so that no program has to be installed. `ck` is not called.",
  ),
  row("L07", "Level 3 is the whole file.", everywhere("project.level-three")),
  row("L08", "Paths have the project's prefix, and relative ones are invalid.", calls),
  row("L09", "A decision has a timestamp, a rationale, a verbatim quote and three scenarios.", calls),
  row(
    "L10",
    "A decision has the document's format.",
    calls,
    "`log_decision` adds a line `**Decided By**` after the rationale, and the archive takes its column of that name from it.",
  ),
  row(
    "L11",
    "At the start the agent reads NOTES.md.",
    everywhere("seeds.alone"),
    "Over MCP alone the instructions ask for `recover_context`, because a server cannot show a block.",
  ),
  row(
    "L12",
    "At the start blockers that may have resolved are checked.",
    everywhere("seeds.project", { library: by("project.lifecycle"), MCP: callsOnly }),
  ),
  row(
    "L13",
    "At the start the timestamp in Session Continuity is updated.",
    everywhere("seeds.project", { library: by("project.lifecycle"), MCP: callsOnly }),
  ),
  row("L14", "Decisions, debt, sub-goals, blockers and questions are logged when they arise.", calls),
  row("L15", "Debt is a row with ID, Description, Severity, Found By and Sprint.", calls),
  row(
    "L16",
    "At the end and before a compaction the session's accomplishments are logged.",
    everywhere("seeds.project", {
      library: by("seeds.battery"),
      MCP: by("seeds.battery"),
      "Claude Code hook": by("hooks.project-handover"),
      createAgent: by("controller.lifecycle"),
      "AI SDK": by("compaction.drivers"),
    }),
  ),
  row(
    "L17",
    "Incomplete work is flagged, and blockers are documented.",
    everywhere("project.lifecycle", {
      library: noConversation,
      MCP: callsOnly,
      "Claude Code hook": by("hooks.project-handover"),
      createAgent: by("controller.lifecycle"),
      "AI SDK": by("compaction.drivers"),
    }),
  ),
  row("L18", "The continuity log is append-only.", everywhere("project.append-only")),
  row("L19", "The archive has decisions with their rationale and who decided.", everywhere("project.named")),
  row(
    "L20",
    "A bead is created with bd add, --priority, --title and --ref.",
    everywhere("project.beads", { "Claude Code hook": noTools }),
  ),
  row("L21", "Structure goes to grimoires/loa/discovery/.", calls),
  row(
    "L22",
    "Results decay: grep above 20 hits, files above 100 lines, trees, JSON, test runs.",
    ownLoops("controller.results-kinds", onlyOwnLoops),
  ),
  row(
    "L23",
    "A result is cleared once it is synthesized, after each operation.",
    ownLoops("controller.results-worked-in", onlyOwnLoops),
    "The newest results stay, and results are cleared in batches, because each clearing changes the cached prompt. Large old results go without a synthesis, and `recall_result` brings them back.",
  ),
  row(
    "L24",
    "One line with the finding stands in place of the result.",
    ownLoops("project.stubs", onlyOwnLoops),
  ),
  row(
    "L25",
    "The agent knows the heuristic of the attention budget.",
    ownLoops("project.attention", onlyOwnLoops),
  ),
  row(
    "L26",
    "A sprint is compacted after N closed tasks.",
    only(
      {
        createAgent: by("config.sprint"),
        chat: by("config.sprint"),
        "AI SDK": na("The caller ends its turns."),
      },
      hostKeeps,
    ),
    "It is off by default (`project.compactAfterTasks`), and counts the tasks of `end_task`.",
  ),
  row(
    "L27",
    "The session is summarized before its context is reset.",
    everywhere("seeds.project", {
      library: noConversation,
      MCP: callsOnly,
      "Claude Code hook": by("hooks.project-handover"),
      createAgent: by("controller.lifecycle"),
      "AI SDK": by("compaction.drivers"),
    }),
  ),
  row("L28", "Manual edits are preserved.", everywhere("project.bytes")),
  row(
    "L29",
    "Clear, don't compact: /clear keeps the memory.",
    only(
      {
        "Claude Code hook": by("hooks.clear"),
        chat: by("chat.commands"),
        OpenClaw: by("plugins.openclaw-reset"),
      },
      na("There is no /clear."),
    ),
  ),
  row(
    "L30",
    "NOTES.md is used without being asked for.",
    everywhere("config.notes-found", {
      library: no("A library has no project: `projectSurface({ root })` names it."),
      createAgent: no("A library has no project: `projectSurface({ root })` names it."),
      "AI SDK": no("A library has no project: `projectSurface({ root })` names it."),
    }),
  ),
];

export const seedRows: Record<DocumentName, readonly SeedRow[]> = {
  "session-notepad": notepad,
  "scratchpad-notes-adr": notes,
  "session-scratchpad-spaces": spaces,
  "session-scratchpad-extension": extension,
  "notes-md-protocol": project,
};
