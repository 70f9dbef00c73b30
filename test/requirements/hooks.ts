import { from } from "./requirement.ts";

export const hooks = from("hooks", {
  "hooks.ids": "A host's session has an id that every store takes, whatever the host calls it.",
  "hooks.follow":
    "The MCP server follows the host's session through /clear and resume without a restart, by the host's process, else by the working directory.",
  "hooks.link-files": "Links are small files for their owner only; stale ones are dropped.",
  "hooks.processes": "Processes are told apart by number and start, on Linux and macOS.",
  "hooks.project":
    "The project is found from the working directory; its folder is private and ignored by Git.",
  "hooks.host-compaction":
    "A compaction that a host does itself passes the same gate: no receipt without a checkpoint, a new epoch after it.",
  "hooks.startup":
    "A new conversation is shown its memory, and in one line where the notes of earlier ones are.",
  "hooks.sessions":
    "A new conversation has a memory of its own; a resumed or compacted one keeps its memory.",
  "hooks.clear": "After /clear the notes are there.",
  "hooks.fork": "A forked conversation gets a copy of the memory.",
  "hooks.claude-code":
    "Claude Code: plain words for the summariser before a compaction, nothing on PostCompact, memory with checkpoint and receipt at the new start.",
  "hooks.codex": "Codex: an object before a compaction, nothing after, memory at the new start.",
  "hooks.told-once":
    "A compaction that a resumed conversation was told of is not told again at its own event.",
  "hooks.gemini":
    "Gemini CLI: JSON always, no angle brackets, cheap before every request, memory again once the chat was compressed.",
  "hooks.generic": "Other hosts send plain events and get plain fields back.",
  "hooks.news": "A prompt brings what others have changed, once, and nothing else.",
  "hooks.resume": "A resumed conversation is told nothing unless its memory has changed.",
  "hooks.size":
    "At most 9,500 bytes reach the model, most important first, each cut with the way to read the rest.",
  "hooks.nudges": "Nudges are off by default and come with a prompt when they are set and due.",
  "hooks.quiet": "The end of a turn and of a session print nothing.",
  "hooks.bad-input":
    "Malformed JSON, unknown events and hosts: exit code 0, one line on stderr, kept for doctor.",
  "hooks.huge": "An event of 100 MB is refused, and nothing is lost.",
  "hooks.deadline": "A hook keeps its deadline, whatever it waits for.",
  "hooks.store": "A store named on the command line or in the environment is used.",
  "hooks.missing": "A missing database is named, and made when there is something to write.",
  "hooks.damaged": "A damaged database is named and left as it is.",
  "hooks.read-only": "In a read-only project memory is shown all the same.",
  "hooks.full-disk": "On a full disk a hook ends with 0 and says so.",
  "hooks.config": "A setting that cannot be used is named, and the default holds.",
  "hooks.not-executed": "Nothing in an event is ever executed.",
  "hooks.concurrency": "Hooks, a server and a person's edit at once lose nothing.",
  "hooks.project-recovery":
    "A host is given level 1 of the project's NOTES.md at the start, after /clear and after a compaction.",
  "hooks.project-handover": "A compaction and the end of a session leave a hand-over row in NOTES.md.",
});
