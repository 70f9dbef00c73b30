import { from } from "./requirement.ts";

export const install = from("init, uninstall, doctor", {
  "init.detects":
    "init finds the hosts that are present by program, by folder or by project file, and takes the named ones when given",
  "init.merges":
    "init merges into existing config and leaves comments, order, indentation, line ends and every other entry as they are",
  "init.idempotent":
    "a second init changes no byte of any file, and keeps what a person added to our entries",
  "init.shows": "init shows what it writes as a diff, and with --dry-run writes nothing",
  "init.refuses": "a config that cannot be read is named with its line, and then no file at all is changed",
  "init.links": "a linked config is followed in place; in a project a link that leads out of it is refused",
  "init.scopes":
    "init writes for one project or, with --user, for all, in the folders that the hosts' variables name",
  "init.command":
    "hosts get plain holdfast where that is this package, else this Node and this file, and paths with spaces and metacharacters work",
  "init.all-or-nothing": "when one file cannot be written, the others are put back",
  "uninstall.exact":
    "uninstall restores untouched files byte for byte and removes the files and folders that init made",
  "uninstall.edits": "uninstall takes only its own entries out of a file that a person has changed since",
  "uninstall.one-host": "uninstall of one host leaves the others as they are",
  "doctor.healthy": "doctor exits with 0 where everything works",
  "doctor.table": "doctor prints a table with a remedy for each problem, and exits with 1 when there is one",
  "doctor.wiring":
    "doctor finds what is missing in a host's config, in the project or the person's own, and a config that cannot be read by its line",
  "doctor.trust":
    "doctor finds hooks that are switched off and servers that were rejected, and names the hooks that Codex would skip",
  "doctor.server": "doctor starts the MCP server as it is configured and asks for its tools",
  "doctor.canary":
    "doctor writes a canary to a notepad and looks for it in the answer of the configured hook, and tells how long that took",
  "doctor.plugin": "doctor loads the plugin file of hosts that have one",
  "doctor.store": "doctor finds a store that cannot be written",
  "doctor.last-failure": "doctor names the last failure of a host's hooks",
  "doctor.absent": "a host that is not present is no problem",
  "doctor.no-trace": "doctor leaves no session behind, and the current session of an agent stays current",
  "doctor.live":
    "with --live doctor looks for the canary in a request of the real client to a scripted model on loopback",
  "init.plugin":
    "one plugin folder serves Claude Code and Codex, an extension Gemini CLI, with what init would write",
});
