import { from } from "./requirement.ts";

export const configuration = from("configuration", {
  "config.files":
    "holdfast.json in the project and a file for the user are read by every entry point; flags and the environment go before them.",
  "config.names":
    "It holds the seeds' names, nested or dotted, and today's flat names; the surfaces, limits, thresholds and files of every part.",
  "config.hook-surfaces":
    "A hook shows and names only the surfaces that the config chooses, and the user's rules; a change to another surface is no news.",
  "config.sandbox-surfaces": "The sandbox's guidance names only surfaces that the agent gets.",
  "config.scratchpad-off": "scratchpad.enabled: false wins over surfaces.",
  "config.mistakes":
    "An unknown key or a bad value is an error that names the closest key and the file's line.",
  "config.doctor": "doctor reports a mistake in the config.",
  "config.schema":
    "The JSON Schema is printed by holdfast config schema, shipped in the package, and agrees with the checks.",
  "config.library":
    "The library checks its options the same way: a misspelt key, a nudge of -1 and an unknown key are refused.",
  "config.command": "holdfast config prints every setting with its value and where it comes from.",
  "config.init": "holdfast init --surfaces writes the choice to the config.",
  "config.flags": "Flags set the nudges and every other setting.",
  "config.openclaw": "OpenClaw's configSchema accepts the same keys, and they act.",
  "config.page": "Every setting is in one page of the docs, generated from the table of settings.",
  "config.examples": "The schema validates the examples in the docs.",
  "config.acts": "A setting in the file is seen to act in chat, MCP, a hook, pi and OpenClaw.",
  "config.chat-commands": "/clear, /memory, /context and /pin work in chat.",
  "config.plugin-nudges":
    "Nudges and the scratchpad reach the model in pi and OpenClaw, also from entries that pi already has.",
  "config.steer": "A host hands over steer text: steer, scratchpad, user message, in that order.",
  "config.sprint": "A conversation is compacted after N closed tasks, if that is set.",
  "config.archive": "An archived session is read-only until it is restored.",
  "config.level-one":
    "Level 1 comes first after /clear, behind the user's pins, and its decisions carry their evidence.",
  "config.once": "The block of NOTES.md is shown once after a compaction.",
  "config.beads": "bd add is called as in the protocol where the tracker takes it, else bd create.",
  "config.discovery":
    "Structural findings go to discovery/ beside NOTES.md, one file per topic, and recovery finds them.",
  "config.grimoires": "project init writes to grimoires/loa if that folder exists.",
  "config.handover": "Handoff rows have no machine paths, and there is none where nothing was done.",
  "config.worked-in": "A result counts as worked in by its call's path or command, symbols and outcome too.",
  "config.clearing": "Nothing is cleared that the agent cannot get back.",
  "config.warning": "The warning before a compaction names what the agent has.",
  "config.label": "A system prompt changed within an epoch is labelled as such.",
  "config.shortening": "An edit that does not lengthen a text is accepted, whatever the limit.",
  "config.tasks":
    "Without a conversation to collapse, open tasks and outcomes are kept and shown, and the texts say so.",
  "config.task-collapse":
    "Where a host's transcript can be read, a finished task is a line of the handoff with its outcome.",
  "config.tags":
    "list_tags shows a spelling that a note has; limits as configured are in the tools' schemas.",
  "config.authored": "Tools that an agent authors are offered to an AI SDK agent that is already running.",
  "config.true-texts":
    "Every tool named in guidance, warnings, hints and descriptions is callable there, and what is said about placement holds in the next request.",
  "config.when-to-write":
    "When to write, and what not to write, is in the scratchpad's guidance, the skill and the docs.",
  "config.named-surfaces": "openMemory says where project and sandbox are if it gets their names.",
  "config.sdk-limits": "The AI SDK adapter shows the memory's limits in guidance and schemas.",
  "config.nudge-count": "An agent and a hook count turns for a nudge the same way.",
  "config.similar":
    "Ranked hits are returned beside the exact ones and not counted as results of the search.",
  "config.empty-hint":
    "The hint of an empty notepad is the seed's, and after the first write nothing says that it is empty.",
  "config.hook-mistake": "A hook with a mistake in the config says so and goes on with the default.",
  "config.coming-from":
    "The docs say where metaclaw's, Forge's, OpenClaw's and Loa's parts are, and what to import.",
  "config.notes-found": "NOTES.md is used by chat without --surfaces and by OpenClaw if it is there.",
  "config.outside": "A project's config that names a store outside the project is shown as such.",
});
