import { from } from "./requirement.ts";

export const configuration = from("configuration", {
  "config.files":
    "holdfast.json in the project, .holdfast/config.json and a file for the user are read by every entry point; flags and the environment go before them.",
  "config.names":
    "It holds the seeds' names, nested or dotted, and today's flat names; the surfaces, limits, thresholds and files of every part.",
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
  "config.outside": "A project's config that names a store outside the project is shown as such.",
});
