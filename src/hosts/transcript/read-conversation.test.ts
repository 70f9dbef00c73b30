import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { hostNamed } from "../hosts.ts";
import { compressedHistory } from "../test-support/driver-transcripts.ts";
import { readConversation } from "./read-conversation.ts";

test("[hooks.gemini] a chat is read as lines and as one JSON document in any layout", () => {
  const path = join(temporaryDirectory(), "chat.json");
  const messages = ["Port lib/old.py", "Then test it"].map((content, id) => ({ id, type: "user", content }));
  const chat = { sessionId: "s1", messages };
  for (const text of [
    JSON.stringify(chat),
    JSON.stringify(chat, null, 2),
    [{ sessionId: "s1" }, ...messages].map((line) => JSON.stringify(line)).join("\n"),
  ]) {
    writeFileSync(path, text);
    const read = readConversation(hostNamed("gemini"), path)?.messages ?? [];
    assert.deepEqual(
      read.map(({ message }) => message.content),
      ["Port lib/old.py", "Then test it"],
    );
  }
});

test("[hooks.gemini] a chat has the calls that a message got later, and neither rewound messages nor injected text", () => {
  const path = join(temporaryDirectory(), "chat.jsonl");
  const user = (id: string, ...texts: string[]) => ({
    id,
    type: "user",
    content: texts.map((text) => ({ text })),
  });
  const answer = { id: "g1", type: "gemini", content: "" };
  const history = compressedHistory("Porting.");
  const lines = [
    user("u1", "<hook_context>[Holdfast] memory</hook_context>\n\nPort lib/old.py"),
    answer,
    { ...answer, toolCalls: [{ id: "c1", name: "write_file", args: { file_path: "lib/new.py" } }] },
    user("u2", "A mistake"),
    { $rewindTo: "u2" },
    history,
    user("u3", "Then test it", "<hook_context>[Holdfast] memory</hook_context>"),
    history,
  ];
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  const shown = (hasEnded: boolean) => {
    const { messages = [], summary = "" } = readConversation(hostNamed("gemini"), path, { hasEnded }) ?? {};
    return { texts: JSON.stringify(messages.map(({ message }) => message.content)), summary };
  };
  assert.deepEqual(shown(false), { texts: '["Then test it"]', summary: "" });
  const before = shown(true);
  assert.match(before.texts, /^\["Port lib\/old\.py",\[.*lib\/new\.py/);
  assert.doesNotMatch(before.texts, /mistake|Holdfast/);
  assert.match(before.summary, /Porting/);
});
