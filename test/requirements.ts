/** One behaviour that was promised. Tests cite it by `[id]` in their names; an uncited id fails the run. */
export interface Requirement {
  id: string;
  source: string;
  sentence: string;
}

function from(source: string, sentences: Record<string, string>): Requirement[] {
  return Object.entries(sentences).map(([id, sentence]) => ({ id, source, sentence }));
}

export const requirements: readonly Requirement[] = [
  ...from("repository", {
    "repo.node-version": "The CLI started on a Node older than 22.13 says so in one line and exits 1.",
    "repo.install":
      "The pre-script installs what is missing and does nothing when the lock file is installed already.",
    "repo.lock": "The lock file names no download address.",
    "repo.boundaries": "Imports point inward only; a planted violation is found.",
    "repo.root-entry": "The built root entry pulls in no Node module by a static import.",
    "repo.requirements": "Every requirement is cited by a test, and every citation names a requirement.",
    "repo.docs": "Code blocks in the docs are cut from files that run in the tests.",
    "repo.demo": "The demo shows the notepad growing through compactions and what was kept at the end.",
  }),
  ...from("engine and stores", {
    "engine.pure":
      "An operation gives the same changes for the same state, and changes nothing it was given.",
    "engine.fold": "Replaying the journal from the start gives the stored state.",
    "stores.contract": "Memory, SQLite, JSONL and PostgreSQL keep the same contract.",
    "stores.contract-bites": "Deliberately broken stores fail the contract.",
    "stores.notepad-column": "agent_sessions has a text column notepad, NULL until used.",
    "stores.rows": "Spaces, notes, tasks, journal and messages are rows; an edit writes only its own.",
    "stores.owner": "Every query is scoped by owner; no other owner's session can be reached.",
    "stores.session-first": "In Postgres every statement on session data names one session first.",
    "stores.synchronous": "SQLite runs in WAL with synchronous=FULL unless a weaker mode is named.",
    "stores.sqlite-version": "A SQLite older than 3.51.3 is named with its fault when a database is opened.",
    "stores.jsonl-torn": "A torn last line of a JSONL file is dropped with a warning.",
    "stores.jsonl-damage": "Damage elsewhere in a JSONL file is an error that names the line.",
    "stores.jsonl-snapshot": "A snapshot line bounds the replay of a JSONL file.",
    "stores.migrations": "An older schema is upgraded, and a process killed on the way leaves it intact.",
    "stores.many-processes":
      "Eight processes writing to one session lose nothing, in a total order, without a busy error.",
    "stores.crash": "A process killed at any moment loses no acknowledged write.",
    "stores.reconnect":
      "After Postgres restarts or cuts a connection, no acknowledged write is lost and none applied twice.",
    "stores.unicode":
      "Every text is the same in every store; NUL is refused, lone surrogates become U+FFFD, CRLF stays.",
    "journal.history": "The journal lists every accepted operation in order, with who, when and what.",
    "journal.diff": "Two revisions can be compared.",
    "journal.undo-last": "The last operation can be undone.",
    "journal.undo-any":
      "Any operation can be undone where it still applies, and is refused with the reason where it does not.",
    "journal.state-at": "The memory as it was at any revision can be read.",
    "journal.feed": "Changes are heard live, in this process and from others.",
    "journal.idempotency": "The same idempotency key twice changes nothing and gives the first answer.",
    "journal.order": "Order comes from sequence numbers: a clock that jumps or stands still changes nothing.",
    "sessions.lifecycle": "Sessions can be created, resumed, listed, archived and deleted.",
    "sessions.fork": "A fork copies everything and is independent of its parent afterwards.",
    "sessions.fork-cost": "Forking copies no notes and no messages.",
    "sessions.spawn": "A spawned session starts empty, or with a copy of the notepad.",
    "sessions.export": "A session can be exported as one JSON document and imported again.",
    "sessions.pi-import": "A pi session file is imported along its current branch only.",
    "sessions.pi-export": "The scratchpad is written back into a pi session file.",
  }),
  ...from("session-notepad", {
    "notepad.read": "read_notepad returns { content }, an empty string if nothing was written yet.",
    "notepad.write": "write_notepad replaces everything; an empty string clears it.",
    "notepad.append": "append starts on a new line when needed.",
    "notepad.prepend": "prepend starts on a new line when needed.",
    "notepad.find-replace":
      "find_replace is literal, replaces the first match unless replace_all, and says how many others there are.",
    "notepad.delete": "delete removes the first exact occurrence.",
    "notepad.not-found": "A text that is not found is an error that shows the closest line.",
    "notepad.missing-parameter":
      "A missing parameter of an operation is an error that names it; nothing is wiped by an omission.",
    "notepad.limit": "A notepad over its limit is refused with the size that would fit.",
    "notepad.schema": "The notepad tools have the seed's names, parameters, enums and required lists.",
    "notepad.block": "The block is '## Session Notepad' with the whole text, or the empty-state hint.",
    "notepad.guidance": "The guidance is the seed's instruction.",
  }),
  ...from("scratchpad-notes-adr", {
    "notes.add": "add_note returns the id, a message and metadata note_id, total_notes, total_tags.",
    "notes.scratch": "scratch_note keeps a note without tags.",
    "notes.content-limit":
      "Over 4,000 characters is refused with the ADR's message; the limit is configurable and counts code points.",
    "notes.tag-limit": "More than 10 tags are refused with the ADR's message; the limit is configurable.",
    "notes.ids": "Ids are note_<ms>, unique and increasing, across processes too.",
    "notes.tags": "Tags are kept as given, matched without case, and combined with AND.",
    "notes.search-order":
      "Search is a case-insensitive substring, ordered by position of the match, then recency.",
    "notes.search-empty": "An empty query with tags lists by tag.",
    "notes.search-ranked":
      "When no note contains the query, word matches are ranked, tolerate prefixes and typos, and the answer says so.",
    "notes.search-index": "The index finds exactly what a scan finds.",
    "notes.search-metadata":
      "Search returns result_count, query and tags; list returns note_count and tag_filter.",
    "notes.list": "list_notes gives all notes by recency, or those with one tag.",
    "notes.cut": "A long list is cut at a token budget, with the words for getting the rest.",
    "notes.update": 'update_note leaves omitted fields alone; content "" is an error; tags [] clears.',
    "notes.delete": "delete_note removes a note; an unknown id is an error with the next step.",
    "notes.list-tags": "list_tags gives every tag in use with the number of notes.",
    "notes.guidance": "The guidance names only tools that exist, and appears only with them.",
  }),
  ...from("session-scratchpad-spaces", {
    "scratchpad.set": "set_notes and set_plan replace; over budget they truncate and warn.",
    "scratchpad.append":
      "append_notes is rejected when the sum would exceed the budget, and notes stay unchanged.",
    "scratchpad.refs-add":
      "refs.add drops the oldest at capacity; a ref that is there moves to the newest place.",
    "scratchpad.refs-remove": "refs.remove takes an exact match away; a missing one is an error.",
    "scratchpad.refs-set": "refs.set replaces all, caps to the first 50, drops non-strings silently.",
    "scratchpad.missing-parameter": "A missing parameter is an error that names it; nothing is wiped.",
    "scratchpad.truncation-kept":
      "What a truncation cut off stays in the journal, and the answer says how to get it.",
    "scratchpad.block":
      "The block shows only non-empty spaces, in the known shape; an empty scratchpad has none.",
    "scratchpad.name": "The tool is called session.scratchpad and also answers to session_scratchpad.",
  }),
  ...from("session-scratchpad-extension", {
    "scratchpad.old-call": "The older call {content, mode} works, with replace as its default.",
    "scratchpad.old-budget":
      "Its token budget truncates a replace and rejects an append with the document's messages.",
    "scratchpad.disabled": "enabled: false means no tool, no block, no guidance.",
    "scratchpad.guidance": "The guidance tells of the tool, its budget and its modes.",
  }),
  ...from("context and tokens", {
    "context.surfaces":
      "session.context() gives the blocks and the guidance of the chosen surfaces, and of no others.",
    "context.one-block": "Any content gives exactly one block, which parses back to the content.",
    "context.cached": "The context of an unchanged session is not rendered again.",
    "tools.duplicate": "Two surfaces with the same tool name are refused at start.",
    "tokens.estimate": "The estimator is within 20 % on prose, code, JSON, hex, base64, UUIDs and CJK.",
    "tokens.exact": "The exact tokenizer equals o200k and copes with long runs.",
    "tokens.calibrate": "Ratios correct themselves from reported usage.",
    "tokens.cache": "An unchanged text is never counted twice.",
  }),
  ...from("controller", {
    "controller.story":
      "Through three and more compactions the spreadsheet story loses no finding: each new epoch has summary, checkpoint, receipt and the whole notepad.",
    "controller.epoch":
      "Within an epoch a prompt only grows at its end, byte for byte, and the whole notepad can be worked out from any request.",
    "controller.changes":
      "A memory change is compact, says where it belongs, and gives way to a whole copy when it outgrows the notepad.",
    "controller.placement-system":
      "system: base prompt, guidance of the surfaces in use, and ## Session Notepad last, current in every request.",
    "controller.placement-message":
      "message: hint, scratchpad, user message, in that order, before what the user said last.",
    "controller.placement-transient":
      "Blocks and hints never reach the stored messages and never stand twice in a request.",
    "controller.warning":
      "The warning has the seed's text, comes once an epoch, and that call offers the memory tools only.",
    "controller.warning-used":
      "What the agent writes in the warning turn is in the notepad of the next epoch.",
    "controller.warning-text":
      "A text answer to the warning answers no question of the user's, and the turn goes on after the compaction.",
    "controller.warning-ignored":
      "A model that ignores the warning, never stops writing, or fails in it, is compacted all the same.",
    "controller.warning-skipped": "Without room for it the warning is skipped, and noted as skipped.",
    "controller.manual": "A manual compaction passes the same gate: warning, checkpoint, summary, receipt.",
    "controller.next-step":
      "A compaction is due at the threshold, or when one more step would leave no room to warn the agent.",
    "controller.checkpoint":
      "The checkpoint has files read and written, commands that fail, open tasks, plan items open, done and cancelled ones marked, identifiers.",
    "controller.checkpoint-asks":
      "It has what the user asked and has no answer to yet, through any number of compactions in one turn.",
    "controller.checkpoint-carry": "What earlier checkpoints knew is carried on behind what is new.",
    "controller.checkpoint-size": "It never has more than 600 tokens, and a long section starves no other.",
    "controller.no-compaction-without-checkpoint":
      "The engine refuses a compaction without a checkpoint of its epoch, or with a receipt that covers anything else.",
    "controller.new-epoch": "A compaction opens an epoch with a new snapshot, no changes and no warning.",
    "controller.cut":
      "The newest messages stay; a result is never parted from its call; the newest exchange stays as long as it fits.",
    "controller.summary-check": "A summary that is empty, too long, or has lost an open ask is refused.",
    "controller.summary-deterministic":
      "Without a model a summary is made from what was asked, said, called and failed.",
    "controller.summary-request":
      "The summary request carries the earlier summary, the open asks and the messages as they stood in the prompt.",
    "controller.identifiers": "Paths, URLs, ids and telling numbers are found, most referred to first.",
    "controller.receipt": "A receipt says what of the removed span is kept, can be recalled, or is missing.",
    "controller.receipt-complete":
      "Every path, id, number, URL and ask of the removed span is in one of the three, exactly once.",
    "controller.receipt-put-back": "What the notepad, the plan or an open task still names is put back.",
    "controller.receipt-line": "The agent sees the receipt in one line.",
    "controller.nudges":
      "The five nudges are off by default and come as one [Hint: …] before the next user message.",
    "controller.nudges-cooldown": "No nudge repeats every turn.",
    "controller.tasks":
      "Tasks nest four deep; ending or cancelling one collapses its span to one line, tool calls and all.",
    "controller.prompt-spans":
      "A collapsed span hides its calls with their results, and no ask that is still open.",
    "controller.prompt-changes": "Memory changes stay where they were put until the epoch ends.",
    "controller.prompt-stubs": "A cleared result stands as a stub with its id; what is stored stays.",
    "controller.prompt-steer": "Hints stand before what the user said last.",
    "controller.prompt-valid":
      "No request has an empty message, a call without its result, or ends with the assistant.",
  }),
  ...from("replay", {
    "replay.recorded": "The recorded cost of a session is reproduced within 1 % from the usage of each call.",
    "replay.epoch":
      "A notepad in epoch placement costs at most 2 % more than no memory on the recorded sessions.",
    "replay.clearing":
      "Cache-aware clearing is at least 20 % cheaper than none, beside the bound of perfect foresight.",
  }),
  ...from("controller: turns and recovery", {
    "controller.kill":
      "A process killed in any phase of a turn or a compaction leaves a session that goes on, with nothing acknowledged lost.",
    "controller.overflow": "A prompt that the provider refuses as too long is compacted and sent again.",
    "controller.overflow-endless":
      "A provider that refuses for ever ends in a clear error, and nothing is lost.",
    "controller.property":
      "Over random runs no message leaves the context without a checkpoint and a receipt, and all of it can be read back.",
    "controller.recall": "Removed messages stay readable with recall, by number or by search, in full.",
    "controller.results":
      "Old large tool results give way to one-line stubs with their id, and recall_result brings them back.",
    "controller.results-policy":
      "Excluded tools and the newest results are never cleared; clearing happens in batches that pay.",
    "controller.results-first":
      "Clearing comes before a compaction, and takes its place when it makes room enough.",
    "controller.results-by-agent": "The agent can clear a result itself.",
    "controller.summary-refused":
      "A summary that is empty, too long or lost the open ask is refused, made again, then replaced.",
    "controller.tasks-forgotten": "A task left open is harmless.",
    "controller.tasks-originals": "What a task collapsed stays readable, and the notepad is untouched by it.",
    "controller.events": "A turn tells typed events and a result.",
    "controller.queue": "Two sends to one session wait for each other.",
    "controller.abort": "A turn can be aborted, and the session goes on afterwards.",
    "controller.resume": "A turn that a dead process left unfinished can be gone on with.",
    "controller.options": "Wrong options are refused with the option's name.",
    "controller.usage": "Token accounting by part adds up to the total.",
    "controller.usage-corrected": "The count is corrected by the usage that the provider reports.",
    "controller.fullness": "The agent can see how full its context is.",
  }),
  ...from("sub-sessions", {
    "controller.fold":
      "Once a provider has forgotten the prompt, the changes of an epoch give way to a fresh snapshot.",
    "controller.spawn":
      "spawn_session starts with an empty notepad unless copy_notepad; report_result hands back a clean summary and ends the child.",
    "controller.fork": "fork_session takes the conversation and the notepad along, and its prompt is whole.",
    "controller.child-limits": "Sub-sessions are limited in depth and number, and only they can report.",
    "controller.child-failure":
      "A child that fails, dies, takes too long or runs out of tokens is reported as such.",
    "controller.child-abort": "Aborting the parent aborts its children.",
  }),
  ...from("bad input", {
    "bad.types":
      "A wrong type, an unknown action or field, or a missing one is refused with the field's name, and nothing changes.",
    "bad.ids": "An unknown or malformed id is refused with the next step.",
    "bad.text": "NUL is refused; lone surrogates are replaced.",
    "bad.huge": "Over-long content is refused with a typed error.",
    "bad.foreign": "A database that is not ours is left alone.",
    "bad.newer": "A database of a newer schema is left alone.",
    "bad.read-only": "In a read-only place reads work, and a write is refused with a typed error.",
    "bad.full":
      "On a full disk a write is refused with a typed error, reads work, and writes work again when there is space.",
  }),
  ...from("holdfast chat", {
    "chat.ask":
      "-p runs one prompt and exits: the answer on stdout, all else on stderr; --session goes on with a session.",
    "chat.json": "--json prints the controller's events as lines, and a result at the end.",
    "chat.commands":
      "/notepad, /compact, /receipt, /undo, /sessions, /fork, /help and /quit, typed or from a pipe.",
    "chat.resume": "A turn that was killed in any phase goes on at the next start.",
    "chat.abort": "Ctrl-C stops the running turn; at the prompt it ends the chat.",
    "chat.models":
      "Any OpenAI-compatible endpoint without a key; hosted models through packages that the error names; a wrong model or address is told in one line.",
    "chat.files": "The chat's tools read and search the working directory, and nothing outside it.",
  }),
  ...from("integration", {
    "aisdk.compaction":
      "A ToolLoopAgent and a streamText call go through warning, checkpoint, compaction and receipt, and lose nothing.",
    "aisdk.overflow": "A prompt that the provider refuses as too long is compacted and sent again.",
    "aisdk.abort": "An abort during a warning turn ends the call; nothing is compacted.",
    "aisdk.epoch":
      "Within an epoch the prefix of the prompt stays byte for byte; changes of memory follow at the tail.",
    "aisdk.message":
      "In message placement the order is steer, scratchpad, user message, and none of it stays.",
    "aisdk.system":
      "In system placement the current notepad ends the system prompt; marked instructions stay as they are.",
    "aisdk.fresh-prompts": "A prompt without its history still comes with every change of the epoch.",
    "aisdk.untouched":
      "Nothing that is injected reaches the caller's messages, the response messages or UI messages.",
    "aisdk.alignment": "A caller's messages are known again however they are handed in and converted.",
    "aisdk.restart": "Another process that is handed the whole history goes on from the summary.",
    "aisdk.tools":
      "Memory's tools run in the AI SDK, give outputs to programs and texts to the model, and refuse taken names.",
    "aisdk.tasks": "A task collapses to one line in the prompt, and the question before it stays.",
    "aisdk.clearing": "Old, long results give way to stubs in the prompt only.",
    "aisdk.parts": "Tools, middleware and prepareStep work one by one; a missing part is told.",
    "aisdk.failure": "A failure of the memory never stops the agent, and is never silent.",
    "openai.chat": "Tools and their answers for chat completions, with the real client.",
    "openai.responses": "Tools and their answers for the responses API, with the real client.",
    "anthropic.messages": "Tools and their answers for the Messages API, with the real client.",
    "anthropic.memory-tool": "memory_20250818 works with the real client and with its tool runner.",
    "anthropic.memory-answers": "The memory tool's commands answer as Anthropic's own file system tool does.",
    "anthropic.memory-files":
      "Notepad, spaces and notes are files, other files are notes; whatever is written is read back.",
    "anthropic.memory-paths": "Paths that lead out of /memories are refused, however they are written.",
    "anthropic.memory-journal":
      "The memory tool's commands are journaled, budgeted, can be undone, and lose no concurrent edit.",
    "tools.projections": "The same call through every projection gives the same answer and the same memory.",
  }),
];
