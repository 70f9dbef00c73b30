import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { hostNamed } from "../hosts.ts";
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
