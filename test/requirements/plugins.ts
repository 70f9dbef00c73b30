import { from } from "./requirement.ts";

export const plugins = from("plug-ins of the hosts", {
  "plugins.pi-tools": "pi gets the memory tools as its own, one call at a time, under names without dots",
  "plugins.pi-placement": "memory stands in every model call of pi, and is stored in no message",
  "plugins.pi-branch":
    "the memory is in custom entries along the branch; going back brings it back as it was there",
  "plugins.pi-fork": "a fork in a file of its own begins with a copy of the memory",
  "plugins.pi-people": "what a person writes into the project's store reaches pi's agent and its branch",
  "plugins.pi-compaction":
    "pi's compactions have a checkpoint, a summary that carries the earlier one, and a receipt; asked twice they are made once",
  "plugins.pi-warning": "the agent is warned once in each epoch before pi compacts",
  "plugins.pi-without-store": "where no store can be opened, pi's own file keeps the memory",
  "plugins.opencode-placement": "memory stands in every model call of opencode, and is stored in no message",
  "plugins.opencode-compaction":
    "opencode's summariser is told what to keep, and the next call gets memory, checkpoint and receipt",
  "plugins.opencode-link": "the MCP server works for the opencode session that calls it",
  "plugins.openclaw-tools": "OpenClaw gets the tools that the manifest names",
  "plugins.openclaw-prompt": "OpenClaw's prompt holds the memory of its session",
  "plugins.openclaw-compaction": "after a compaction OpenClaw's prompt holds memory, checkpoint and receipt",
  "plugins.openclaw-reset": "a reset begins with an empty memory, and the old one can be looked at",
  "plugins.openclaw-register": "registering the OpenClaw plug-in many times does everything once",
  "plugins.failure":
    "a plug-in that fails leaves its host as it is, says so once, and keeps the failure for doctor",
  "plugins.package": "the package says where pi and OpenClaw find their plug-ins",
});
