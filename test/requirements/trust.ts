import { from } from "./requirement.ts";

export const trust = from("trust", {
  "trust.clone":
    "Memory that Git tracks is quarantined: hooks, MCP, the server and the CLI show none of it, and name it at the start and in doctor.",
  "trust.index":
    "Tracked files are found in every version of Git's index, split or not, in a worktree or a submodule.",
  "trust.archive": "Memory without a binding outside a Git work tree is quarantined.",
  "trust.bound":
    "A folder that this user made is bound to the user by a key outside the repository, and stays bound when it moves; another key does not fit.",
  "trust.earlier":
    "A folder from an earlier version is taken for the user's own if the user owns it in a Git work tree that does not track it.",
  "trust.links": "A link, pipe, device or socket at or in .holdfast is refused and not followed.",
  "trust.own-store": "While memory is quarantined, agents write to a private store outside the repository.",
  "trust.accept":
    "holdfast trust shows what is quarantined and accepts it with --yes; a later version from the repository is quarantined again.",
  "trust.import": "holdfast import --quarantined takes single sessions.",
  "trust.config":
    "A config file from the repository may not name a store outside of .holdfast until the user accepts it.",
  "trust.origin":
    "Each line of the notepad and of the scratchpad, each reference and each note keeps who wrote it (agent, person, sub-session, import); what is not the agent's own is named where it is shown to it, in holdfast show and in the inspector.",
  "trust.notes-md": "NOTES.md is shown as data of the repository, with its name.",
});
