import assert from "node:assert/strict";
import { test } from "node:test";
import { claudeRecording, readClaudeLine } from "./transcript.ts";

const user = (content: unknown, more: object = {}) => ({ type: "user", message: { content }, ...more });
const assistant = (content: unknown, more: object = {}) => ({
  type: "assistant",
  message: { content },
  ...more,
});

/** One line in both views: what a hook keeps, and what the model was sent. */
function read(line: Record<string, unknown>) {
  const hook = readClaudeLine(line);
  return {
    hook: hook && "messages" in hook ? hook.messages.map(({ content }) => content) : hook,
    recording: claudeRecording
      .read?.([line], "")
      .map((event) => (event.type === "message" ? event.message.content : event)),
  };
}

test("a hook keeps the user's messages, a recording everything that the model was sent", () => {
  assert.deepEqual(read(user("Port it")), { hook: ["Port it"], recording: ["Port it"] });
  const reminder = "<system-reminder>x</system-reminder>";
  assert.deepEqual(read(user(reminder)), { hook: [], recording: [reminder] });
  assert.deepEqual(read(user("meta", { isMeta: true })), { hook: undefined, recording: ["meta"] });
  const failed = assistant("API Error", { isApiErrorMessage: true });
  assert.deepEqual(read(failed), { hook: undefined, recording: ["API Error"] });
  const thought = { type: "reasoning", text: "hm" };
  const said = { type: "text", text: "yes" };
  const blocks = [{ type: "thinking", thinking: "hm" }, said];
  assert.deepEqual(read(assistant(blocks)), { hook: [[said]], recording: [[thought, said]] });
});

test("sub-agents are in neither, an image is named in both", () => {
  assert.deepEqual(read(user("aside", { isSidechain: true })), { hook: undefined, recording: [] });
  const shown = [
    { type: "text", text: "look" },
    { type: "image", source: {} },
  ];
  assert.deepEqual(read(user(shown)), { hook: ["look\n[image]"], recording: ["look\n[image]"] });
});

test("a compaction is its boundary and its summary", () => {
  const boundary = { type: "system", subtype: "compact_boundary" };
  assert.deepEqual(read(boundary), { hook: { summary: "" }, recording: [] });
  assert.deepEqual(read(user("earlier: …", { isCompactSummary: true })), {
    hook: { summary: "earlier: …" },
    recording: [{ type: "compaction", summary: "earlier: …" }],
  });
});
