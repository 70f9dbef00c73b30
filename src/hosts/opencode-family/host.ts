import { formatReply } from "../hook/event.ts";
import type { Host } from "../host.ts";
import { lastRemovedByFamily } from "./kept-tail.ts";
import { readOpencodeLine } from "./transcript.ts";

/** What the hosts of this family share: our plugin runs the hook and sends it the generic events. */
export const familyTraits = {
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  transcript: { readLine: readOpencodeLine },
  // The plugin places memory in each call; the conversation contains none of it.
  forgetsStart: true,
  takesSystemText: true,
  // It leaves room for the longest answer that it asks for.
  compaction: { lastRemoved: lastRemovedByFamily },
} satisfies Partial<Host>;
