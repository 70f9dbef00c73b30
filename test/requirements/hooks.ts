import { from } from "./requirement.ts";

export const hooks = from("hooks", {
  "hooks.warning":
    "An agent in Claude Code or Codex is warned in mid-turn, in the seed's words, once before each compaction, and its surfaces are named.",
  "hooks.warning-jump":
    "If a result jumps over the limit, an automatic compaction waits for one request, never for two, and never when the window would overflow.",
  "hooks.warning-end":
    "At the end of a turn an agent that has written nothing since the warning is warned once more.",
  "hooks.warning-full":
    "An agent whose notepad takes no more keeps its notes, and its compaction waits once.",
  "hooks.warning-locked": "A warning that a locked store kept from the agent comes with the next event.",
  "hooks.warning-agent": "A sub-agent is not warned with the main agent's figures.",
  "hooks.warning-learned": "The fill at which a host compacted before decides when the agent is warned.",
  "hooks.ids": "A host's session gets an id that every store accepts, whatever the host calls it.",
  "hooks.follow":
    "The MCP server follows the host's session through /clear and resume without a restart, by the host's process or else by the working directory.",
  "hooks.link-files": "Links are small files that only their owner can read; stale ones are deleted.",
  "hooks.processes": "Processes are identified by number and start time, on Linux and macOS.",
  "hooks.project":
    "The project is found from the working directory; its folder is private and ignored by Git.",
  "hooks.place":
    "If a host passes the project's folder to its hooks, that is the project, wherever the agent's shell is.",
  "hooks.host-compaction":
    "A compaction that a host does itself passes the same gate: no receipt without a handoff, and a new epoch after it.",
  "hooks.once": "A compaction parses each line of the transcript once, over all its hooks.",
  "hooks.startup":
    "A new conversation sees its memory, and at most five open items of the last one with the command that continues it.",
  "hooks.sessions": "A new conversation has its own memory; a resumed or compacted one keeps its memory.",
  "hooks.clear": "After /clear the notes are still there.",
  "hooks.fork": "A forked conversation gets a copy of the memory.",
  "hooks.claude-code":
    "Claude Code: plain text for the summariser before a compaction, nothing on PostCompact, memory with handoff and receipt at the next start.",
  "hooks.codex": "Codex: an object before a compaction, nothing after it, memory at the next start.",
  "hooks.told-once":
    "A compaction reported to a resumed conversation is not reported again at its own event.",
  "hooks.kept-tail": "Where a host keeps the newest messages, the handoff does not repeat their steps.",
  "hooks.gemini":
    "Gemini CLI: always JSON, no angle brackets, cheap before every request, memory with the prompt, and again after the chat was compressed, where it replaces the copies that were kept.",
  "hooks.in-turn":
    "If a host starts the hooks of a session's start and of its first prompt at once, they run one after another, so memory is shown once.",
  "hooks.cursor": "Cursor: memory at a session's start and, after a compaction, with the next tool.",
  "hooks.generic": "Other hosts send plain events and get plain fields back.",
  "hooks.news":
    'A prompt brings the memory if it has changed since it was last shown, or always with `placement: "message"`.',
  "hooks.resume": "A resumed conversation gets nothing unless its memory has changed.",
  "hooks.size":
    "At most 9,500 bytes reach the model, most important first, and each cut says how to read the rest.",
  "hooks.notice":
    "After a compaction the user reads in one line what was restored and what can be recalled, where the host shows it.",
  "hooks.nudges": "Nudges are off by default and come with a prompt when enabled and due.",
  "hooks.quiet": "The end of a turn and of a session print nothing.",
  "hooks.bad-input":
    "Malformed JSON, unknown events and unknown hosts: exit code 0, one line on stderr, recorded for doctor.",
  "hooks.huge": "An event of 100 MB is rejected, and nothing is lost.",
  "hooks.deadline": "A hook meets its deadline while it waits for input or a lock.",
  "hooks.gone": "The command that init writes does nothing and exits with 0 if its program is gone.",
  "hooks.no-directory":
    "In a deleted directory, and in one that its user may not read, a hook works, prints no error and exits with 0.",
  "hooks.special-files":
    "A hook refuses pipes, devices and sockets in place of files, and files above a limit.",
  "hooks.store": "A store named on the command line or in the environment is used.",
  "hooks.missing":
    "A database that is gone is reported, one that was never there is not; it is created when there is something to write.",
  "hooks.damaged": "A damaged database is reported and left unchanged.",
  "hooks.read-only": "A read-only project still shows its memory, and that nothing can be saved.",
  "hooks.full-disk": "On a full disk a hook exits with 0 and reports it.",
  "hooks.config": "An invalid setting is reported, and the default applies.",
  "hooks.reported-twice":
    "A report that a host sends twice, one after the other or at once, changes nothing the second time.",
  "hooks.not-executed": "Nothing in an event is ever executed.",
  "hooks.declined":
    "If the user declined our server in Claude Code, doctor reports it, and no hook names its tools.",
  "hooks.concurrency": "Concurrent hooks, a server and a person's edit lose nothing.",
  "hooks.project-recovery":
    "A host gets level 1 of the project's NOTES.md at the start, after /clear and after a compaction.",
  "hooks.project-handover": "A compaction and the end of a session leave a hand-over row in NOTES.md.",
});
