import { from } from "./requirement.ts";

export const controller = [
  ...from("controller", {
    "controller.story":
      "Through at least three compactions the spreadsheet story loses no finding: each new epoch has summary, handoff, receipt and the whole notepad.",
    "controller.epoch":
      "Between compactions a prompt only grows at its end, byte for byte; the first write takes the hint out of it. A turn in which the notepad changed shows all of it.",
    "controller.changes":
      "A changed block of memory is shown whole, once, and says that it replaces every earlier copy.",
    "controller.placement-system":
      "system: base prompt, guidance of the surfaces in use, and ## Session Notepad last, up to date in every request.",
    "controller.placement-message":
      "message: hint and scratchpad, in that order, come right before the user's last message.",
    "controller.placement-transient":
      "Blocks and hints never reach the stored messages and never appear twice in a request.",
    "controller.warning":
      "The warning has the seed's text, comes once per epoch, and only the memory tools work in its turn.",
    "controller.warning-used":
      "The notepad of the next epoch contains what the agent writes in the warning turn.",
    "controller.warning-text":
      "A text answer to the warning does not answer the user's question, and the turn continues after the compaction.",
    "controller.warning-ignored":
      "A model that ignores the warning, never stops writing or fails in it is compacted anyway.",
    "controller.warning-skipped": "Without space for it, the warning is skipped and recorded as skipped.",
    "controller.manual": "A manual compaction passes the same gate: warning, handoff, summary, receipt.",
    "controller.next-step":
      "A compaction is due at the threshold, or when one more step would leave no space to warn the agent.",
    "handoff.words":
      "Every message of the user that is under the cut is in the handoff word for word after 1, 3 and 10 compactions, in any script; a longer one is cut in the middle with a marker, and nothing is classified, split or replaced.",
    "handoff.order":
      "If the user's messages do not all fit, the oldest between the first and the newest give way, and the text says how many.",
    "handoff.noise":
      "Reminders, command wrappers, task notifications and interruptions of a host are not the user's words.",
    "handoff.plan":
      "The to-do list is shown as it was last written with the host's own tool, with the open tasks.",
    "handoff.steps":
      "Each call is one line with its outcome; failures keep their error, equal retries are one line with a count, edits name the file and the change, reads the file and its range, and memory's own tools are left out.",
    "handoff.earlier":
      "Work from before the last compaction keeps about half of the room for steps, shared by all earlier spans.",
    "handoff.room":
      "A handoff takes 1.2 % of the window, at least 600 and at most 2,500 tokens, or what a host's limit leaves, to the byte.",
    "handoff.pure":
      "The same conversation gives the same text, in linear time for a hostile one, without secrets and without our markers.",
    "handoff.bite": "A fault that is planted into the handoff fails its tests.",
    "handoff.off": "With handoff: false nothing is extracted, in config, library and every driver.",
    "recall.search":
      "recall returns the best five passages of the conversation that left the context, each with who, when and a number to read on from, within 1,500 tokens, without secrets.",
    "recall.words": "recall finds words in any language, and paths and identifiers by their pieces.",
    "recall.hosts":
      "Over MCP and in plugins recall searches the host's transcripts of this session and those it continues, and nothing else.",
    "recall.size": "The definition of recall takes at most 90 tokens.",
    "controller.no-compaction-without-handoff":
      "The engine rejects a compaction without a handoff of its epoch, or with a receipt for a different span.",
    "controller.new-epoch": "A compaction starts an epoch with a new snapshot, no changes and no warning.",
    "controller.cut":
      "The newest messages stay, a result is never separated from its call, and the newest exchange stays as long as it fits.",
    "controller.summary-check": "A summary that is empty or longer than the messages is rejected.",
    "controller.summary-deterministic":
      "Without a model, a summary is built from the steps, newest in detail.",
    "controller.summary-request":
      "The summary request contains the earlier summary, the handoff as what is kept anyway, and the messages as they appeared in the prompt.",
    "controller.receipt":
      "A receipt has facts: the messages compacted, the user's messages above whole and cut, the lines of the notepad above, and how the rest is read; each is right.",
    "controller.receipt-line":
      "The agent sees the receipt as one line of at most 25 tokens, a few more where something was cut.",
    "controller.nudges":
      "The five nudges are off by default and come as one [Hint: …] before the next user message.",
    "controller.nudges-cooldown": "No nudge repeats every turn.",
    "controller.tasks":
      "Tasks nest four levels deep; ending or cancelling one collapses its span, tool calls included, to one line.",
    "controller.prompt-spans": "A collapsed span hides its calls with their results, but no open request.",
    "controller.prompt-changes": "Memory changes keep their position until the epoch ends.",
    "controller.prompt-stubs":
      "A stub with its id replaces a cleared result in the prompt; the stored message stays unchanged.",
    "controller.prompt-steer": "Hints come before the user's last message.",
    "controller.prompt-pairs":
      "Agents that use one session concurrently produce prompts that providers accept, and lose nothing.",
    "controller.prompt-valid":
      "No request has an empty message or a call without its result, or ends with an assistant message.",
  }),
  ...from("controller: turns and recovery", {
    "controller.kill":
      "A process killed in any phase of a turn or a compaction leaves a session that can continue, with nothing acknowledged lost.",
    "controller.overflow": "A prompt that the provider rejects as too long is compacted and resent.",
    "controller.overflow-endless":
      "A provider that keeps rejecting the prompt leads to a clear error, and nothing is lost.",
    "controller.long-chat":
      "In 200 turns with several compactions every request is valid, fits, has the newest notepad, and each compaction is warned once.",
    "controller.property":
      "In random runs no message leaves the context without a handoff and a receipt, and every message can be read back.",
    "controller.recall": "Removed messages stay readable with recall, by search and page by page, in full.",
    "controller.results":
      "One-line stubs with an id replace old large tool results, and recall_result brings them back.",
    "controller.results-policy":
      "Excluded tools and the newest results are never cleared; clearing happens in batches that pay off.",
    "controller.ledger": "The exact prompt of each model call is recorded, byte for byte.",
    "controller.ledger-size":
      "The ledger of 500 calls takes at most three times the size of the conversation.",
    "controller.ledger-fails": "A failing ledger write never blocks the turn.",
    "compaction.drivers":
      "The agent, the adapters of frameworks, the hooks, pi, OpenClaw and opencode drive one compaction: same handoff, same receipt fields, same moments.",
    "compaction.drivers-bite": "A wrong driver fails the driver contract.",
    "controller.context":
      "Surfaces, limits and tokenizer are given once, to openMemory; an agent adds surfaces for itself alone.",
    "controller.lifecycle":
      "Surfaces are notified of a session's start, compactions, clearings and end, and may write outside it.",
    "controller.outside": "What a surface shows from outside the session is up to date, in every placement.",
    "controller.extra-tools": "Tools that come and go are offered while they exist.",
    "controller.results-worked-in": "A result is cleared once its content is in the notes.",
    "controller.results-kinds":
      "Searches, files, trees, JSON and test runs are told apart, each with the document's threshold.",
    "controller.results-first":
      "Clearing comes before a compaction, and replaces it when it frees enough space.",
    "controller.results-by-agent": "The agent can clear a result itself.",
    "controller.summary-refused":
      "A summary that is empty, too long or misses the open request is rejected, retried, then replaced.",
    "controller.tasks-forgotten": "A task left open is harmless.",
    "controller.tasks-originals": "What a task collapsed stays readable, and the notepad is unaffected.",
    "controller.failing-memory":
      "When the store fails to save memory's part of a turn, the failure is reported and the turn continues.",
    "controller.events": "A turn emits typed events and a result.",
    "controller.queue": "Two sends to one session wait for each other.",
    "controller.abort": "A turn can be aborted, and the session continues afterwards.",
    "controller.resume": "A turn that a dead process left unfinished can be resumed.",
    "controller.options": "Invalid options are rejected with the option's name.",
    "controller.usage": "Token accounting by part adds up to the total.",
    "controller.usage-corrected": "The provider's reported usage corrects the count.",
  }),
  ...from("controller: small windows", {
    "controller.fit-results":
      "Results are fitted to the window when they arrive, fairly among parallel ones, with head, tail and a marker that says how to read the rest.",
    "controller.fit-prompt":
      "A prompt that does not fit is cut in the middle with a marker, kept whole and readable; if even that cannot help, it is refused before any model call.",
    "controller.warning-always":
      "At steady growth of up to a quarter of the window per turn, every compaction is warned.",
    "controller.usage-kept": "The provider's counts correct the next process from its first call.",
    "controller.growth": "Growth is learned over the session and stored.",
    "controller.memory-share":
      "Memory takes at most its share of the window; beyond it, it is shown in part, and the write that crosses the line says so.",
    "controller.no-progress": "A turn that repeats itself after compactions ends with an error that says so.",
    "controller.summary-room":
      "A summary request uses the room there is and takes several passes where needed.",
    "controller.oversize":
      "With any sizes of results, prompts and notepads, every request fits the window, every turn ends, nothing leaves unmarked, and the calls are bounded.",
  }),
  ...from("controller: providers", {
    "cache.marks":
      "Anthropic gets cache breakpoints after tools, frozen memory and summary and at the end, at most four with the caller's own; they can be turned off.",
    "cache.warning":
      "Where a provider caches prompts, a warning turn offers the same tools as every call, and runs only memory's.",
    "cache.key": "OpenAI gets one cache key per session; the caller's own wins.",
    "wires.calls":
      "On the wires of Anthropic, OpenAI and Google, parallel calls are paired with their results, and thinking keeps its signature through results and a restart.",
    "wires.compaction": "Compactions leave requests that each provider accepts.",
    "wires.media": "Images and files reach the model and survive a restart.",
    "wires.endings": "Refusals and answers at the output limit are reported as what they are.",
    "wires.overflow": "An overflow in each provider's words is compacted and sent again.",
    "wires.usage": "Counts come from each provider's fields, cache reads and writes included.",
    "wires.settings": "Settings of the model's calls reach the provider.",
  }),
  ...from("sub-sessions", {
    "controller.compaction": "A compaction in a sub-session passes the same gate and is marked as one.",
    "controller.refresh":
      "Once the provider's cache has expired, a new snapshot replaces the changes of an epoch.",
    "controller.spawn":
      "spawn_session starts with an empty notepad unless copy_notepad is set; report_result returns a clean summary and ends the child.",
    "controller.fork": "fork_session copies the conversation and the notepad, and its prompt is complete.",
    "controller.child-limits": "Sub-sessions are limited in depth and number, and only they can report.",
    "controller.child-failure":
      "A child that fails, dies, takes too long or runs out of tokens is reported as such.",
    "controller.child-abort": "Aborting the parent aborts its children.",
  }),
  ...from("holdfast chat", {
    "chat.ask":
      "-p runs one prompt and exits: the answer goes to stdout, everything else to stderr; --session continues a session.",
    "chat.surfaces": "Every surface can be selected and is notified when the chat ends.",
    "chat.json": "--json prints the controller's events as lines and a result at the end.",
    "chat.commands":
      "/memory, /context, /compact, /undo, /clear, /help and /quit work, typed or from a pipe; after /clear each text keeps its author.",
    "chat.resume": "A turn that was killed in any phase continues at the next start.",
    "chat.abort": "Ctrl-C stops the running turn; at the prompt it ends the chat.",
    "chat.view":
      "On a terminal an answer appears as it arrives, once; one figure says how full the context is.",
    "chat.models":
      "Any OpenAI-compatible endpoint works without a key; hosted models use packages that the error names; a wrong model or address is a one-line error.",
    "chat.files": "The chat's tools list and read only the working directory.",
  }),
];
