import { from } from "./requirement.ts";

export const trust = from("trust", {
  "trust.clone":
    "A clone that brings a config, a memory, links, a foreign .git file or a NOTES.md full of instructions gets nothing trusted, and nothing outside its folder is read.",
  "trust.origin":
    "Each line of the notepad and of the scratchpad, each reference and each note keeps who wrote it (agent, person, sub-session, import); what is not the agent's own is named where it is shown to it, in holdfast show and in the inspector.",
  "trust.notes-md": "NOTES.md is shown as data of the repository, with its name.",
});
