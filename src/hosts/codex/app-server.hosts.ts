import assert from "node:assert/strict";
import { delimiter, join } from "node:path";
import { type TestContext, test } from "node:test";
import { openMemory } from "../../index.ts";
import { findProject } from "../../workspace/project.ts";
import { startScriptedModel } from "../doctor/scripted-model.ts";
import { linkSession, sessionIdOf } from "../session-link.ts";
import { builtCommand, type ClientPlace, makePlace, run } from "../test-support/clients.ts";
import { binFolder, codex, spec, startAppServer, writeUserConfig } from "./test-support/codex-client.ts";

/** A place with Codex as init leaves it, its hooks not reviewed, and a model that appends "remember: WORD" to the notepad. */
async function start(t: TestContext): Promise<ClientPlace> {
  const model = await startScriptedModel(({ last, isResult, tools }) => {
    const content = /remember: ([\w-]+)/.exec(last)?.[1];
    const tool = tools.find((name) => /update_notepad$/.test(name));
    if (isResult || content === undefined || tool === undefined) return { text: "Done." };
    return { call: { tool, input: { operation: "append", content } } };
  });
  t.after(model.close);
  const place = makePlace("codex");
  writeUserConfig(place, model);
  return place;
}

/** The notepads that contain something, by session. */
async function notepads({ root }: ClientPlace): Promise<Record<string, string>> {
  const memory = await openMemory({ store: join(findProject(root).directory, "memory.db") });
  const texts: Record<string, string> = {};
  for (const { id } of await memory.listSessions()) {
    const text = await (await memory.resumeSession(id)).notepad.read();
    if (text !== "") texts[id] = text;
  }
  await memory.close();
  return texts;
}

const timeout = 180_000;

test(`${spec}: two threads of one process keep their memories apart [mcp.conversation]`, {
  timeout,
}, async (t) => {
  const place = await start(t);
  const server = await startAppServer(place);
  t.after(server.stop);
  const begin = async () => {
    const options = { cwd: place.root, approvalPolicy: "never" };
    return ((await server.ask("thread/start", options)) as { thread: { id: string } }).thread.id;
  };
  const [a, b] = [await begin(), await begin()];
  await server.turn(a, "Please remember: one-A");
  await server.turn(b, "Please remember: one-B");
  await Promise.all([server.turn(a, "Please remember: two-A"), server.turn(b, "Please remember: two-B")]);
  assert.deepEqual(await notepads(place), {
    [sessionIdOf("codex", a)]: "one-A\ntwo-A",
    [sessionIdOf("codex", b)]: "one-B\ntwo-B",
  });
});

test(`${spec}: with hooks that are not reviewed it writes to a session of its own, and doctor reports it [mcp.own-host] [doctor.trust]`, {
  timeout,
}, async (t) => {
  const place = await start(t);
  const directory = findProject(place.root).directory;
  const other = linkSession({ directory, cwd: place.root, host: "claude-code", hostSession: "last" });
  const memory = await openMemory({ store: join(directory, "memory.db") });
  await (await memory.openSession(other)).notepad.write("of the other host");
  await memory.close();
  await codex(place, "exec", "--skip-git-repo-check", "Please remember: cedar-4711");
  const { [other]: kept, ...own } = await notepads(place);
  assert.equal(kept, "of the other host");
  assert.deepEqual(Object.values(own), ["cedar-4711"]);
  assert.match(Object.keys(own)[0] ?? "", /^codex\./);
  place.env.PATH = `${binFolder()}${delimiter}${place.env.PATH ?? ""}`;
  const said = await run(process.execPath, [builtCommand(), "doctor", "codex"], place).catch(String);
  assert.match(
    said,
    /PROBLEM\s+trust\s+Codex\s+silently\s+skips\s+hooks\s+that\s+you\s+have\s+not\s+reviewed/,
  );
});
