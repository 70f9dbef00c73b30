import { join } from "node:path";
import { plainTextOf, type StoredMessage } from "../../context/conversation.ts";
import { homeFolder } from "../../state-folder.ts";
import { formatReply } from "../hook/event.ts";
import type { Host } from "../host.ts";

/** Our extension runs inside pi; the hook is for scripts that send the generic events. */
export const pi: Host = {
  name: "pi",
  title: "pi",
  program: "pi",
  userFolder: (env) => env.PI_CODING_AGENT_DIR || join(homeFolder(env), ".pi/agent"),
  events: {},
  formatAnswer: formatReply,
  emptyAnswer: "{}",
  offersTools: true,
  takesSystemText: true,
  compaction: { lastRemoved: lastRemovedByPi },
  transcriptFolder: (env) => join(pi.userFolder(env), "sessions"),
  recording: async () => (await import("./session-file.ts")).piRecording,
  sessionFile: async () => (await import("./session-file.ts")).piSessionFile,
  setup: async () => (await import("./setup.ts")).piSetup,
};

/** pi's own default, and its own estimate: four characters are a token. */
const keptTokens = 20_000;

/** The last message that pi removes: it keeps the newest until they have this many tokens, from an answer or a prompt on. */
function lastRemovedByPi(messages: readonly StoredMessage[]): number {
  let first = messages.length;
  for (let tokens = 0; first > 0 && tokens < keptTokens; first--) {
    const message = messages[first - 1]?.message;
    tokens += message ? plainTextOf(message).length / 4 : 0;
  }
  // A result stays only with its call.
  while (messages[first]?.message.role === "tool") first++;
  // If all of it fits, a manual compaction summarizes all.
  return first === 0 ? messages.length : first;
}
