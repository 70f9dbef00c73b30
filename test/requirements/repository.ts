import { from } from "./requirement.ts";

export const repository = [
  ...from("simulation", {
    "sim.facts":
      "In simulated runs with kills at every call to the store and compactions at every boundary, no acknowledged fact is absent from the next request.",
    "sim.seeds": "A simulated run depends on its seed alone.",
    "sim.planted": "The bugs that the simulation has to find can be planted into the sources as they are.",
  }),
  ...from("survival benchmark", {
    "bench.seeds":
      "A story of the survival benchmark depends on its seed alone, and each number is said once.",
    "bench.cost":
      "The survival benchmark counts a prompt's part that a provider has in its cache at a tenth, and everything else in full.",
    "bench.failures":
      "A turn without an answer has failed in the survival benchmark, whatever a system returns.",
    "bench.kills":
      "Every story of the survival benchmark is killed in every phase, one after another, and compared with a run without kills; a memory that the next process does not find fails.",
  }),
  ...from("resume benchmark", {
    "resume.stories":
      "The session of the resume benchmark has at least 150,000 tokens and questions of every kind about each part; no input of a reader has a gold answer.",
    "resume.contexts":
      "A context of the resume benchmark and what recall finds are the same in every run, also if the hook before each compaction was killed.",
    "resume.planted":
      "A handoff without the user's words, a handoff of names only, and a notepad that is not restored can be planted for the readers of the resume benchmark.",
    "resume.blind":
      "An answer of the resume benchmark quotes its context, and a name that its reader was not shown is reported; a grader sees letters in another order for each question.",
    "resume.export":
      "The resume benchmark exports each task as a folder that needs nothing else, without gold answers for readers, refuses malformed answers with the fault, and records the others.",
    "resume.recorded":
      "Every recorded answer of the resume benchmark rests on the context that was read, and every grade on these answers.",
  }),
  ...from("repository", {
    "repo.node-version": "On a Node older than 22.13 the CLI says so in one line and exits with 1.",
    "repo.install":
      "The pre-script installs what is missing and does nothing when the lock file is already installed.",
    "repo.lock": "The lock file contains no download URLs.",
    "repo.boundaries": "Imports point inward only; the check finds a planted violation.",
    "repo.hosts-table": "The table of clients and scenarios in the docs is rendered from the recorded runs.",
    "repo.hosts": "Only a host's folder and the list of hosts name a host; the check finds a planted name.",
    "repo.root-entry": "The built root entry statically imports no Node module.",
    "repo.expected":
      "The repository has workflows that run its own scripts, templates, conduct, releasing and versioning; the check finds a script that is missing.",
    "repo.light":
      "Installing the package takes at most 35 MB and 65 packages, without the AI SDK; what only chat, serve or the sandbox need is loaded by them alone.",
    "repo.newcomer":
      "With the packed tarball in an empty directory: init, first memory in a request, doctor without a problem and a clean uninstall, within two minutes.",
    "repo.show-entry": "Showing a memory loads no schema library, which takes longer than the rest.",
    "repo.hook-entry": "The built hook loads only its own file and Node's modules.",
    "repo.plans-pure":
      "compaction/ has no I/O of its own, and no function called plan writes; the check finds planted ones.",
    "repo.architecture":
      "Every path that ARCHITECTURE.md and the documentation name exists, and the former names every folder of src/.",
    "repo.growth":
      "Every pattern and every function that takes a text runs on four times as much hostile text in at most eight times the time; the check finds planted slow ones, and a new one is covered without being listed.",
    "repo.requirements": "Every requirement is cited by a test, and every citation names a requirement.",
    "repo.docs":
      "Code blocks in the docs are cut from files that run in the tests, commands exist with their options, and links resolve.",
    "repo.api":
      "The TypeScript reference is generated from the sources: every export of every entry, with its declaration and comment.",
    "repo.prose": "npm run check finds sentences in the docs that break a rule which a pattern can see.",
    "repo.site": "Every page of the docs is on the site, in one section; npm run docs builds it.",
    "repo.pictures": "The README's terminals are drawn from runs of the program, and are current.",
    "repo.demo": "The demo shows the notepad growing through compactions and what was kept at the end.",
  }),
];
