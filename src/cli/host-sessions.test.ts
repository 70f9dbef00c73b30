import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hook, hookProject, inMemory } from "../../test/support/hook.ts";
import { SessionSearch } from "../sessions/session-search.ts";
import { findProject } from "../workspace/project.ts";
import { hostSessions } from "./host-sessions.ts";

test("search finds the conversation before /clear too, with the numbers that the page shows [people.search] [serve.search]", async () => {
  const project = await hookProject();
  const send = (session_id: string, event: object) => {
    const transcript_path = join(project.root, `${session_id}.jsonl`);
    return hook(project, "claude-code", { session_id, transcript_path, ...event });
  };
  const say = (name: string, ...texts: string[]) => {
    const lines = texts.map((content, index) =>
      JSON.stringify({ type: "user", uuid: `${name}${index}`, message: { role: "user", content } }),
    );
    writeFileSync(join(project.root, `${name}.jsonl`), `${lines.join("\n")}\n`);
  };
  const id = "claude-code.b1";
  // A new one each time, as for a command: it keeps the list of links for a second.
  const open = () => hostSessions(findProject(project.root));
  const find = (query: string) =>
    inMemory(project, async (memory) => {
      const search = new SessionSearch({ query, limit: 5 });
      await search.add(await memory.resumeSession(id), (mayMatch) => open().messages(id, mayMatch));
      return search.hits().map(({ message, text }) => `${message} ${text}`);
    });

  say("b1", "Count the giraffe.", "And the zebra.");
  say("stranger", "The giraffe of a stranger.");
  await send("b1", { hook_event_name: "SessionStart", source: "startup" });
  await inMemory(project, async (memory) => (await memory.openSession(id)).notepad.write("x"));
  await send("stranger", { hook_event_name: "SessionStart", source: "startup" });
  assert.deepEqual(await find("giraffe"), ["1 Count the giraffe."]);

  await send("b1", { hook_event_name: "SessionEnd", reason: "clear" });
  await send("b2", { hook_event_name: "SessionStart", source: "clear" });
  assert.equal((await open().conversation(id))?.messages.length, 2, "the new transcript does not exist yet");
  say("b2", "Count the okapi.");
  const conversation = await open().conversation(id);
  assert.deepEqual(
    [conversation?.messages.map(({ number }) => number), conversation?.earlier],
    [[1, 2, 3], 2],
  );
  assert.deepEqual(await find("giraffe"), ["1 Count the giraffe."]);
  assert.deepEqual(await find("okapi"), ["3 Count the okapi."]);
});
