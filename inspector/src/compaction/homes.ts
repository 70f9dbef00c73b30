import type { Home } from "./trace-items.ts";

export const homeNames: Record<Home, string> = {
  memory: "In the notepad",
  "put-back": "Put back",
  summary: "In the summary",
  checkpoint: "In the checkpoint",
  window: "In later messages",
  recallable: "Recallable",
  missing: "Missing",
};

/** Why it is there. */
const homeReasons: Record<Home, string> = {
  memory: "The agent wrote it down. Memory is shown to it whole, in every turn.",
  "put-back": "It was about to be lost, and memory refers to it; Holdfast put it back into the window.",
  summary: "The summary that stands in place of the messages says it.",
  checkpoint: "Holdfast noted it before the cut, whether or not the agent did.",
  window: "Messages that were not removed still say it.",
  recallable: "Out of the window, but kept. The agent gets it back with the tool recall.",
  missing: "Nothing that the agent can reach has it. The journal still does.",
};

/** A host compacts its conversation itself, and keeps it. */
const hostReasons: Partial<Record<Home, string>> = {
  summary: "The host's own summary says it.",
  recallable: "Out of the window, but in the host's transcript, where the agent can look it up.",
};

export function reasonFor(home: Home, isHost: boolean): string {
  return (isHost ? hostReasons[home] : undefined) ?? homeReasons[home];
}
