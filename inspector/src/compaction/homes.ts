import type { Home } from "./trace-items.ts";

export const homeNames: Record<Home, string> = {
  memory: "In the notepad",
  "put-back": "Put back",
  summary: "In the summary",
  checkpoint: "In the checkpoint",
  window: "In later messages",
  recallable: "Out of sight, can be fetched",
  missing: "Lost",
};

/** Why an item is there. */
const homeReasons: Record<Home, string> = {
  memory: "The agent wrote it down, and sees all of its memory in every turn.",
  "put-back": "Memory refers to it, so Holdfast put it back into the window instead of losing it.",
  summary: "The summary that replaced the messages contains it.",
  checkpoint: "Holdfast wrote it down before the compaction, whether or not the agent did.",
  window: "Messages that were not removed still contain it.",
  recallable: "It left the window, but it is kept. The agent fetches it with the recall tool.",
  missing: "The agent can no longer reach it. The journal still has it.",
};

/** For a host that compacts and keeps its own conversation. */
const hostReasons: Partial<Record<Home, string>> = {
  summary: "The host's summary contains it.",
  recallable: "It left the window, but the agent can look it up in the host's transcript.",
};

export function reasonFor(home: Home, isHost: boolean): string {
  return (isHost ? hostReasons[home] : undefined) ?? homeReasons[home];
}
