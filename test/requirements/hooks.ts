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
});
