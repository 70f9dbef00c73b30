import { from } from "./requirement.ts";

export const repository = [
  ...from("repository", {
    "repo.node-version": "The CLI started on a Node older than 22.13 says so in one line and exits 1.",
    "repo.install":
      "The pre-script installs what is missing and does nothing when the lock file is installed already.",
    "repo.lock": "The lock file names no download address.",
    "repo.boundaries": "Imports point inward only; a planted violation is found.",
    "repo.plans-pure":
      "compaction/ has no I/O of its own, and no function called plan writes; a planted one is found.",
    "repo.architecture": "Every path that ARCHITECTURE.md names exists, and it names every folder of src/.",
    "repo.hosts":
      "No source outside a host's folder and the list of hosts names a host; a planted name is found.",
    "repo.root-entry": "The built root entry pulls in no Node module by a static import.",
    "repo.hook-entry": "The built hook loads nothing but its own file and Node's modules.",
    "repo.requirements": "Every requirement is cited by a test, and every citation names a requirement.",
    "repo.docs": "Code blocks in the docs are cut from files that run in the tests.",
    "repo.demo": "The demo shows the notepad growing through compactions and what was kept at the end.",
  }),
];
