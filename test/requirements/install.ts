import { from } from "./requirement.ts";

export const install = from("init, uninstall, doctor", {
  "init.detects":
    "init finds installed hosts by program, folder or project file, or takes the hosts named on the command line.",
  "init.merges":
    "init merges into existing config and keeps comments, order, indentation, line endings and all other entries.",
  "init.idempotent":
    "A second init changes no byte of any file and keeps what a person added to our entries.",
  "init.shows": "init summarises what it writes, with --diff line by line; with --dry-run it writes nothing.",
  "init.refuses": "An unreadable config is reported with its line, and no file is changed.",
  "init.links": "A linked config is edited in place; in a project, a link that leads out of it is rejected.",
  "init.scopes":
    "init writes for one project or, with --user, for all, in the folders that the hosts' variables name.",
  "init.command":
    "Hosts get plain holdfast where that resolves to this package, otherwise this Node and this file; paths with spaces and metacharacters work.",
  "init.checkout":
    "Started with npm --prefix CHECKOUT run holdfast, every command works on the directory the person is in.",
  "init.machine-paths":
    "init names the project's files into which it writes paths of this machine; --portable writes holdfast instead, and a later init and doctor keep that.",
  "init.teammate":
    "With the project's files, the client of a teammate without Holdfast reports nothing, to the user or to the model.",
  "init.next": "init ends with what happens now, how to see it, how to check it and how to undo it.",
  "init.permissions":
    "init allows the memory tools, and no others, in hosts that refuse them without a screen; doctor notes where they are not allowed.",
  "init.one-document":
    "With one surface alone, init allows and teaches the tools of that surface and no others, and finds nothing to change the second time.",
  "init.no-warning": "init sets no key and no timeout that a host warns about.",
  "doctor.one-document": "With one surface alone, doctor finds the canary and reports no false problem.",
  "doctor.placement": "doctor names a placement that a coding agent cannot honor.",
  "doctor.conversation":
    "In an agent that started before it was connected, doctor reports that this conversation has no tools, and how to continue it.",
  "init.copy":
    "Run from the cache of npx, init installs a copy in the state folder, and hosts, a dry run and doctor use that one.",
  "init.codex-wait":
    "init has Codex wait for the memory tools before its first request, unless the user has set how long; the setting cannot end a conversation.",
  "init.at-once": "Several inits at once lose nothing of each other's record.",
  "init.all-or-nothing": "When one file cannot be written, the others are restored.",
  "uninstall.exact":
    "uninstall restores untouched files byte for byte and removes the files and folders that init created.",
  "uninstall.edits": "uninstall removes only its own entries from a file that a person has changed since.",
  "uninstall.cache": "uninstall removes the cache of compiled hooks with the last host.",
  "uninstall.one-host": "Uninstalling one host leaves the others unchanged.",
  "uninstall.one-project": "Uninstalling in one project leaves the others unchanged.",
  "doctor.config": "doctor reports a wrong setting as one problem, with its file and line.",
  "doctor.healthy": "doctor exits with 0 when everything works.",
  "doctor.table": "doctor prints a table with a fix for each problem, and exits with 1 when there is one.",
  "doctor.wiring":
    "doctor finds what is missing in a host's config, in the project's or the user's own, and reports an unreadable config with its line.",
  "doctor.plugin-wiring":
    "doctor knows a host that has our plug-in instead of what init writes, and reports when it has both.",
  "doctor.trust":
    "doctor finds disabled hooks, rejected servers and trust that was never given, and names the hooks that Codex would skip.",
  "doctor.server": "doctor starts the MCP server as configured and requests its tools.",
  "doctor.canary":
    "doctor writes a canary to a notepad, looks for it in the configured hook's output, and reports how long that took.",
  "doctor.plugin": "doctor loads the plugin file of hosts that have one.",
  "doctor.store": "doctor finds a store that is not writable.",
  "doctor.last-failure": "doctor reports the last failure of a host's hooks.",
  "doctor.absent": "A host that is not installed is not a problem.",
  "doctor.no-trace": "doctor leaves no session behind, and an agent's current session stays current.",
  "doctor.live":
    "With --live, doctor looks for the canary in a request from the real client to a scripted model on loopback.",
  "init.plugin":
    "One plugin folder serves Claude Code and Codex, and an extension serves Gemini CLI, with what init would write.",
  "init.skill":
    "Init writes the skill that teaches when to write what, where the host looks for skills; uninstall removes it.",
});
