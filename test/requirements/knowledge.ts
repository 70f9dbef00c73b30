import { from } from "./requirement.ts";

export const knowledge = from("knowledge layers", {
  "knowledge.system-prompt":
    "edit_system_prompt has the operations of update_notepad, and its text is permanent, per agent.",
  "knowledge.system-history": "The system prompt has history, older versions and undo.",
  "knowledge.system-locks": "People can lock parts of the system prompt.",
  "knowledge.state": "JSON values by key, per agent, are available in all its sessions, with prefix listing.",
  "knowledge.state-compare": "A value can be set on condition of its current version.",
  "knowledge.state-limits": "Keys, values and their number are limited; rejections say what fits.",
  "knowledge.scratch": "session.scratch is the same store, scoped to one session.",
  "knowledge.skills-saved":
    "Saved skills have one line in context and their text on demand, in every session.",
  "knowledge.skills-folders": "Skills are read from the usual folders, in the open format.",
  "knowledge.skills-broken": "A broken skill file is skipped with a warning that names it.",
  "knowledge.skills-summaries":
    "However many skills there are, each has one line in context, and all lines stay short.",
  "knowledge.skills-inside": "Nothing outside a skill's folder can be read through it.",
  "knowledge.order": "The prompt has the layers in the seed's order.",
  "knowledge.layer-system-prompt": "The system prompt is always in context and permanent.",
  "knowledge.layer-skills": "Skills have summaries always in context, text on demand, and are permanent.",
  "knowledge.layer-notepad": "The notepad survives compaction in full and is archived with its session.",
  "knowledge.layer-history": "History is summarised at compaction and archived with its session.",
  "knowledge.layer-state": "State is read on demand and permanent.",
  "knowledge.layers-documented": "The docs have a table with a row for each layer.",
  "knowledge.skills-checked": "A skill is validated before it is saved.",
});
