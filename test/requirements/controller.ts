import { from } from "./requirement.ts";

export const controller = [
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
    "controller.prompt-pairs":
      "Agents that talk in one session at the same time leave prompts that providers take, and lose nothing.",
    "controller.prompt-valid":
      "No request has an empty message, a call without its result, or ends with the assistant.",
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
    "controller.ledger": "For each model call what it was given is recorded, byte for byte.",
    "controller.ledger-size": "The record of 500 calls takes at most three times the conversation.",
    "controller.ledger-fails": "A record that cannot be written holds up nothing.",
    "compaction.drivers":
      "The agent, the AI SDK adapter, the hooks, pi, OpenClaw and opencode drive one compaction: same checkpoint, same receipt fields, same moments.",
    "compaction.drivers-bite": "A wrong driver fails the driver contract.",
    "controller.context":
      "Surfaces, limits and tokenizer are given once, to openMemory; a session's context and its agent's are the same.",
    "controller.moments":
      "Surfaces hear of a session's start, compactions, clearings and end, and may write outside it.",
    "controller.outside":
      "What a surface shows from outside the session is shown as it is now, in every placement.",
    "controller.extra-tools": "Tools that come and go are offered while they are there.",
    "controller.results-worked-in": "A result gives way once what it holds has been worked into notes.",
    "controller.results-kinds":
      "Searches, files, trees, JSON and test runs are told apart, each with the document's threshold.",
    "controller.results-first":
      "Clearing comes before a compaction, and takes its place when it makes room enough.",
    "controller.results-by-agent": "The agent can clear a result itself.",
    "controller.summary-refused":
      "A summary that is empty, too long or lost the open ask is refused, made again, then replaced.",
    "controller.tasks-forgotten": "A task left open is harmless.",
    "controller.tasks-originals": "What a task collapsed stays readable, and the notepad is untouched by it.",
    "controller.failing-memory":
      "A store that fails to take memory's part of a turn is told of, and the turn goes on.",
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
    "controller.compaction": "A compaction in a sub-session passes the same gate and is marked as one.",
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
  ...from("holdfast chat", {
    "chat.ask":
      "-p runs one prompt and exits: the answer on stdout, all else on stderr; --session goes on with a session.",
    "chat.surfaces": "Every surface can be chosen, and hears when the chat ends.",
    "chat.json": "--json prints the controller's events as lines, and a result at the end.",
    "chat.commands":
      "/notepad, /compact, /receipt, /undo, /sessions, /fork, /help and /quit, typed or from a pipe.",
    "chat.resume": "A turn that was killed in any phase goes on at the next start.",
    "chat.abort": "Ctrl-C stops the running turn; at the prompt it ends the chat.",
    "chat.models":
      "Any OpenAI-compatible endpoint without a key; hosted models through packages that the error names; a wrong model or address is told in one line.",
    "chat.files": "The chat's tools read and search the working directory, and nothing outside it.",
  }),
  ...from("replay", {
    "replay.recorded": "The recorded cost of a session is reproduced within 1 % from the usage of each call.",
    "replay.compaction": "Compactions that the recording lacks are those that the controller would make.",
    "replay.epoch":
      "A notepad in epoch placement costs at most 2 % more than no memory on the recorded sessions.",
    "replay.clearing":
      "Cache-aware clearing is at least 20 % cheaper than none, beside the bound of perfect foresight.",
  }),
];
