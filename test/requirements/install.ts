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
});
