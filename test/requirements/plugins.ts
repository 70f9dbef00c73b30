import { from } from "./requirement.ts";

export const plugins = from("plug-ins of the hosts", {
  "plugins.repeated-calls": "A tool call that a host runs again under the same id changes nothing.",
  "plugins.earlier-sessions":
    "A new session of pi is offered the open items of the last one. OpenClaw, where several people may talk to one agent, offers nothing.",
  "plugins.pi-tools": "pi gets the memory tools as its own, one call at a time, under names without dots.",
  "plugins.pi-placement": "Memory is in every model call of pi and is stored in no message.",
  "plugins.pi-branch": "The memory is in custom entries along the branch; going back restores it.",
  "plugins.pi-fork": "A fork in a separate file starts with a copy of the memory.",
  "plugins.pi-people": "A person's edits in the project's store reach pi's agent and its branch.",
  "plugins.pi-compaction":
    "pi's compactions have a handoff, a summary that includes the earlier one, and a receipt; a repeated request runs once.",
  "plugins.pi-warning": "The agent is warned once per epoch before pi compacts.",
  "plugins.pi-without-store": "When no store can be opened, pi's own file keeps the memory.",
  "plugins.opencode-placement": "Memory is in every model call of opencode and is stored in no message.",
  "plugins.opencode-compaction":
    "opencode's summariser is told what to keep, and the next call gets memory, handoff and receipt, also in a new process.",
  "plugins.opencode-end":
    "When opencode deletes a session or is disposed, each session ends once, with its conversation.",
  "plugins.opencode-link": "The MCP server works on the opencode session that calls it.",
  "plugins.openclaw-tools": "OpenClaw gets the tools that the manifest names.",
  "plugins.openclaw-prompt": "OpenClaw's prompt contains the memory of its session.",
  "plugins.openclaw-compaction":
    "After a compaction OpenClaw's prompt contains memory, handoff and receipt, after a restart too.",
  "plugins.openclaw-reset": "A reset starts with an empty memory, and the old one stays readable.",
  "plugins.openclaw-register":
    "Registering the OpenClaw plug-in repeatedly has the effect of registering it once.",
  "plugins.scratchpad":
    "pi and OpenClaw offer the scratchpad instead of the notepad, and keep it in the session's own entries.",
  "plugins.openclaw-warning": "OpenClaw's agent is warned with a tool's result, or with the next prompt.",
  "plugins.failure":
    "A failing plug-in leaves its host unaffected, reports the failure once, and records it for doctor.",
  "plugins.package": "The package declares where pi and OpenClaw find their plug-ins.",
});
